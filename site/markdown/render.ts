import MarkdownIt, { type Token } from 'markdown-it';

import { chartHtml } from '../diagrams/charts.ts';
import { mermaidHtml } from '../diagrams/mermaid.ts';
import { anchor, escape } from '../html.ts';
import { type CodeBlock, codeHtml, tabOf, tabsHtml } from './code-block.ts';

/* Markdown pages as HTML. Raw HTML is dropped: it only contains comments for editors. */

export interface Heading {
  level: number;
  id: string;
  text: string;
}

/** A heading and the plain text below it, for the search. */
export interface Section {
  heading: Heading | undefined;
  text: string;
  /** Names that readers search for. */
  keywords?: string;
}

export interface Rendered {
  title: string;
  html: string;
  /** All headings below the title. */
  headings: Heading[];
  sections: Section[];
}

const reader = new MarkdownIt({ html: true });
const { rules } = reader.renderer;
// A comment that names a chart becomes one; others are for editors.
rules['html_block'] = (tokens, at) => {
  const [, name] = /^<!-- chart: (\w+) -->/.exec(tokens[at]?.content ?? '') ?? [];
  if (name === undefined) return '';
  const chart = chartHtml(name);
  if (chart === undefined) throw new Error(`unknown chart ${name}`);
  return chart;
};
rules['html_inline'] = () => '';
// Wide tables scroll, with the keyboard too.
rules['table_open'] = () => '<div class="wide" tabindex="0"><table>';
rules['table_close'] = () => '</table></div>';
rules['fence'] = madeHtml;

// Inline code that is an address of the service becomes a link.
rules['code_inline'] = (tokens, at) => {
  const code = escape(tokens[at]?.content ?? '');
  const isAddress =
    /^\/(?:docs|docs\/reference(?:\/[\w-]+)?|docs\/errors|openapi\.json|llms\.txt)$/.test(code);
  return isAddress ? `<a href="${code}"><code>${code}</code></a>` : `<code>${code}</code>`;
};

/** The HTML that was made for a token before rendering. */
function madeHtml(tokens: readonly Token[], at: number): string {
  const { meta } = tokens[at] ?? {};
  return (meta as { html?: string } | null)?.html ?? '';
}

/** `resolveLink` maps a link to its target; undefined if nothing is served there. */
export function renderMarkdown(
  text: string,
  resolveLink: (link: string) => string | undefined,
): Rendered {
  const tokens = reader.parse(text, {});
  const headings: Heading[] = [];
  const ids = new Map<string, number>();
  let title = '';
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'inline') resolveLinks(token.children ?? [], resolveLink);
    if (token.type !== 'heading_open') continue;
    const heading = plainText(tokens[at + 1]);
    const id = anchorOf(heading, ids);
    token.attrSet('id', id);
    if (token.tag === 'h1') title ||= heading;
    else {
      headings.push({ level: Number(token.tag.slice(1)), id, text: heading });
      addAnchor(tokens[at + 1], id, heading);
    }
  }
  addRowIds(tokens);
  clearEmptyHeaders(tokens);
  const sections = sectionsOf(tokens, headings);
  groupBlocks(tokens);
  return { title, html: reader.renderer.render(tokens, reader.options, {}), headings, sections };
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

function addAnchor(inline: Token | undefined, id: string, heading: string): void {
  const [first] = inline?.children ?? [];
  if (!inline?.children || !first) return;
  const Token = first.constructor as new (type: string, tag: string, nesting: number) => Token;
  const link = new Token('section_anchor', '', 0);
  link.meta = { html: anchor(id, heading) };
  inline.children.push(link);
}
rules['section_anchor'] = madeHtml;

/** Rows of a table of codes are link targets: `/docs/errors#invalid_fields`. */
function addRowIds(tokens: readonly Token[]): void {
  let isCodeTable = false;
  let row: Token | undefined;
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'thead_open') isCodeTable = tokens[at + 3]?.content === 'code';
    if (token.type === 'tr_open') row = token;
    if (token.type !== 'td_open' || !row || !isCodeTable) continue;
    const [, code] = /^`(\w+)`$/.exec(tokens[at + 1]?.content ?? '') ?? [];
    if (code !== undefined) row.attrSet('id', code);
    row = undefined;
  }
}

/** An empty header cell says nothing: screen readers should not announce it as a header. */
function clearEmptyHeaders(tokens: readonly Token[]): void {
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'th_open' || tokens[at + 1]?.content !== '') continue;
    token.tag = 'td';
    const close = tokens[at + 2];
    if (close?.type === 'th_close') close.tag = 'td';
  }
}

/** Adjacent blocks in different languages become tabs. */
function groupBlocks(tokens: readonly Token[]): void {
  for (let at = 0; at < tokens.length; at++) {
    const group: { token: Token; block: CodeBlock }[] = [];
    for (let next = at; tokens[next]?.type === 'fence'; next++) {
      const token = tokens[next];
      if (!token) break;
      const block = { language: token.info.split(' ', 1)[0] ?? '', text: token.content };
      const label = tabOf(block);
      const isTab = label !== undefined && group.every((one) => tabOf(one.block) !== label);
      if (next > at && !isTab) break;
      group.push({ token, block });
      if (label === undefined) break;
    }
    const [first] = group;
    if (!first) continue;
    if (first.block.language === 'mermaid') {
      first.token.meta = { html: mermaidHtml(first.block.text) };
      continue;
    }
    const blocks = group.map(({ block }) => block);
    first.token.meta = { html: blocks.length > 1 ? tabsHtml(blocks) : codeHtml(first.block) };
    at += group.length - 1;
  }
}

/** The text of each section: of its paragraphs, lists, tables and code. */
function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Rendered['sections'] {
  const byId = new Map(headings.map((heading) => [heading.id, heading]));
  const sections: Rendered['sections'] = [{ heading: undefined, text: '' }];
  let isHeading = false;
  for (const token of tokens) {
    if (token.type === 'heading_open') {
      const heading = byId.get(String(token.attrGet('id')));
      if (heading) sections.push({ heading, text: '' });
      isHeading = true;
    } else if (token.type === 'heading_close') isHeading = false;
    const section = sections.at(-1);
    if (!section || isHeading) continue;
    if (token.type === 'inline') section.text += ` ${plainText(token)}`;
    if (token.type === 'fence') section.text += ` ${token.content}`;
  }
  return sections.map(({ heading, text }) => ({
    heading,
    text: text.replaceAll(/\s+/g, ' ').trim(),
  }));
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
