import MarkdownIt, { type Token } from 'markdown-it';

/* Our own pages as HTML. HTML that stands in them is left out: it is comments for whoever edits them. */

export interface Rendered {
  title: string;
  html: string;
  /** The headings of the second level. */
  headings: { id: string; text: string }[];
}

const reader = new MarkdownIt({ html: true });
const { rules } = reader.renderer;
rules['html_block'] = () => '';
rules['html_inline'] = () => '';
// What is too wide is scrolled by itself, by key as well.
rules['table_open'] = () => '<div class="wide" tabindex="0"><table>';
rules['table_close'] = () => '</table></div>';
rules['fence'] = (tokens, at) =>
  `<pre tabindex="0"><code>${reader.utils.escapeHtml(tokens[at]?.content ?? '')}</code></pre>\n`;

// What the service shows besides its pages is named by its address, and leads there.
rules['code_inline'] = (tokens, at) => {
  const code = reader.utils.escapeHtml(tokens[at]?.content ?? '');
  const isAddress = /^\/(?:docs|docs\/reference|docs\/errors|openapi\.json|llms\.txt)$/.test(code);
  return isAddress ? `<a href="${code}"><code>${code}</code></a>` : `<code>${code}</code>`;
};

/** `leadTo` says where a link leads on the page; undefined where nothing is served that it could lead to. */
export function renderMarkdown(
  text: string,
  leadTo: (link: string) => string | undefined,
): Rendered {
  const tokens = reader.parse(text, {});
  const headings: Rendered['headings'] = [];
  const ids = new Map<string, number>();
  let title = '';
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'inline') dress(token.children ?? [], leadTo);
    if (token.type !== 'heading_open') continue;
    const said = plain(tokens[at + 1]);
    const id = anchorOf(said, ids);
    token.attrSet('id', id);
    if (token.tag === 'h1') title ||= said;
    if (token.tag === 'h2') headings.push({ id, text: said });
  }
  return { title, html: reader.renderer.render(tokens, reader.options, {}), headings };
}

function dress(tokens: Token[], leadTo: (link: string) => string | undefined): void {
  let isLink = true;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const target = leadTo(String(token.attrGet('href')));
      isLink = target !== undefined;
      if (isLink) token.attrSet('href', target ?? '');
      else token.attrs = null;
    }
    if (!isLink && token.type.startsWith('link_')) token.tag = 'span';
  }
  const [first] = tokens;
  if (first?.type === 'text') first.content = first.content.replace(/^\[x\] /, '✓ ');
}

/** What a heading says, without its marks. */
function plain(inline: Token | undefined): string {
  return (inline?.children ?? []).map(({ content }) => content).join('');
}

/** As most places make them that show Markdown, so that links to headings work there as well. */
function anchorOf(heading: string, ids: Map<string, number>): string {
  const id = heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const before = ids.get(id) ?? 0;
  ids.set(id, before + 1);
  return before === 0 ? id : `${id}-${before}`;
}
