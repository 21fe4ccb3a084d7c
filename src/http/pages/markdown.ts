import MarkdownIt, { type Token } from 'markdown-it';

/* The documentation pages as HTML. Raw HTML is dropped: it only contains comments for editors. */

export interface Rendered {
  title: string;
  html: string;
  /** Second-level headings. */
  headings: { id: string; text: string }[];
}

const reader = new MarkdownIt({ html: true });
const { rules } = reader.renderer;
rules['html_block'] = () => '';
rules['html_inline'] = () => '';
// Wide tables scroll, with the keyboard too.
rules['table_open'] = () => '<div class="wide" tabindex="0"><table>';
rules['table_close'] = () => '</table></div>';
rules['fence'] = (tokens, at) =>
  `<pre tabindex="0"><code>${reader.utils.escapeHtml(tokens[at]?.content ?? '')}</code></pre>\n`;

// Inline code that is an address of the service becomes a link.
rules['code_inline'] = (tokens, at) => {
  const code = reader.utils.escapeHtml(tokens[at]?.content ?? '');
  const isAddress = /^\/(?:docs|docs\/reference|docs\/errors|openapi\.json|llms\.txt)$/.test(code);
  return isAddress ? `<a href="${code}"><code>${code}</code></a>` : `<code>${code}</code>`;
};

/** `resolveLink` maps a link to its target; undefined if nothing is served there. */
export function renderMarkdown(
  text: string,
  resolveLink: (link: string) => string | undefined,
): Rendered {
  const tokens = reader.parse(text, {});
  const headings: Rendered['headings'] = [];
  const ids = new Map<string, number>();
  let title = '';
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'inline') resolveLinks(token.children ?? [], resolveLink);
    if (token.type !== 'heading_open') continue;
    const heading = plainText(tokens[at + 1]);
    const id = anchorOf(heading, ids);
    token.attrSet('id', id);
    if (token.tag === 'h1') title ||= heading;
    if (token.tag === 'h2') headings.push({ id, text: heading });
  }
  return { title, html: reader.renderer.render(tokens, reader.options, {}), headings };
}

function resolveLinks(tokens: Token[], resolveLink: (link: string) => string | undefined): void {
  let isLink = true;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const target = resolveLink(String(token.attrGet('href')));
      isLink = target !== undefined;
      if (isLink) token.attrSet('href', target ?? '');
      else token.attrs = null;
    }
    if (!isLink && token.type.startsWith('link_')) token.tag = 'span';
  }
  const [first] = tokens;
  if (first?.type === 'text') first.content = first.content.replace(/^\[x\] /, '✓ ');
}

/** Text of a heading without markup. */
function plainText(inline: Token | undefined): string {
  return (inline?.children ?? []).map(({ content }) => content).join('');
}

/** GitHub's algorithm, so that links to headings work there too. */
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
