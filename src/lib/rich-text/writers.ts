import { type Look, type RichText, type Run, cleanUrl } from './rich-text.ts';

/* Writes rich text in the markup of messengers. The text itself is always escaped, so it can never act as markup. */

export type Escape = (text: string) => string;

export const escapeHtml: Escape = (text) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** The HTML elements that most messengers with HTML support, besides links. */
const HTML_ELEMENTS = ['b', 'i', 's', 'code', 'pre'] as const;
type HtmlElement = (typeof HTML_ELEMENTS)[number];

/** `newline` is written for a line break. Formatting without an element is dropped; its text stays. */
export function toHtml(
  rich: RichText,
  newline = '\n',
  elements: readonly HtmlElement[] = HTML_ELEMENTS,
): string {
  return grouped(rich)
    .map((group) => {
      const [first] = group;
      if (first?.look.block && elements.includes('pre')) {
        return `<pre><code>${escapeHtml(group.map(({ text }) => text).join(''))}</code></pre>`;
      }
      return group.map(({ text, look }) => htmlRun(text, look, newline, elements)).join('');
    })
    .join('');
}

function htmlRun(
  text: string,
  look: Look,
  newline: string,
  elements: readonly HtmlElement[],
): string {
  let html = escapeHtml(text).replaceAll('\n', newline);
  const wrap = (element: HtmlElement, isSet: boolean | undefined) => {
    if (isSet && elements.includes(element)) html = `<${element}>${html}</${element}>`;
  };
  wrap('code', look.code);
  wrap('s', look.strike);
  wrap('i', look.italic);
  wrap('b', look.bold);
  if (look.link !== undefined) html = `<a href="${escapeHtml(look.link)}">${html}</a>`;
  return html;
}

/** The delimiters of a markup. */
export interface Delimiters {
  bold: string;
  italic: string;
  strike: string;
  code: string;
  /** Around code blocks. */
  block: string;
  /**
   * Omitted if the markup has no escape: the text is written as is, and a look is dropped if its delimiter occurs in
   * the text. Not called for text of letters, digits, spaces and commas only, which is never markup.
   */
  escape?: Escape;
  /** Whether a longer fence may enclose backticks; if not, code that contains its delimiter is written as text. */
  longer?: readonly ('code' | 'block')[];
  /** Writes a link around text that is already written. Omitted if the URL must follow the text. */
  link?(text: string, url: string): string;
  /** Set if indented lines are code. */
  indents?: 'code';
  /** Whether CommonMark's flanking rules apply to delimiters, and HTML entities work. */
  isCommonMark?: true;
}

/** Writes formatted text. Delimiters only work next to words, so spaces at the ends of a run stay outside. */
export function withDelimiters(rich: RichText, delimiters: Delimiters): string {
  const groups = grouped(rich);
  return groups
    .map((group, i) => {
      const [run] = group;
      if (!run?.look.block) {
        return run ? delimitedRun(run, delimiters, groups[i - 1]?.[0], groups[i + 1]?.[0]) : '';
      }
      const code = group.map(({ text }) => text).join('');
      const fence = fenceFor('block', code, delimiters);
      // No fence is long enough: write it as text.
      if (fence === undefined) return delimitedRun({ text: code, look: {} }, delimiters);
      return `${fence}\n${code.replace(/\n$/, '')}\n${fence}\n`;
    })
    .join('');
}

/** Whether `withDelimiters` drops a look because its delimiter occurs in the text and cannot be escaped. */
export function hasClash(rich: RichText, delimiters: Delimiters): boolean {
  return rich.some(({ text, look }) => {
    if (look.block) return fenceFor('block', text, delimiters) === undefined;
    if (look.code) return fenceFor('code', text, delimiters) === undefined;
    return Object.keys(look).length > Object.keys(withoutClash(text, look, delimiters)).length;
  });
}

/** Indented code, if it starts a paragraph. */
const INDENT = /^(?: {4}| {0,3}\t)/;

function delimitedRun(
  { text, look }: Run,
  delimiters: Delimiters,
  before?: Run,
  after?: Run,
): string {
  const lines = text.split('\n');
  let isCode = false;
  return lines
    .map((line, i) => {
      const isLast = i === lines.length - 1;
      const isStart = i === 0 ? !before : isCode || lines[i - 1]?.trim() === '';
      isCode = delimiters.indents === 'code' && isStart && INDENT.test(line);
      // In code, escaping backslashes would be visible.
      if (isCode) return line;
      return delimitedLine(
        line,
        look,
        delimiters,
        i === 0 ? before : undefined,
        isLast ? after : undefined,
      );
    })
    .join('\n');
}

const PLAIN = /^[\p{L}\p{N} ,]*$/u;
/** A URL that messengers turn into a link themselves. */
const BARE_URL = /^https?:\/\/[^\s<>"`]+$/;

function delimitedLine(
  line: string,
  look: Look,
  delimiters: Delimiters,
  before?: Run,
  after?: Run,
): string {
  const content = line.trim();
  if (content === '') return line;
  const start = line.length - line.trimStart().length;
  const left = line.slice(0, start);
  const right = line.slice(start + content.length);
  if (content === look.link && BARE_URL.test(content)) return line;
  const beside = {
    before: left === '' ? before : undefined,
    after: right === '' ? after : undefined,
  };
  const shown = delimiters.isCommonMark
    ? withoutTouching(look, beside.before)
    : withoutClash(content, look, delimiters);
  const code = look.code ? codeOf(content, delimiters) : undefined;
  const result =
    code ??
    (delimiters.isCommonMark
      ? besideDelimiters(content, shown, beside, delimiters)
      : escaped(content, delimiters));
  return left + withAddress(enclosed(result, shown, delimiters), shown, delimiters) + right;
}

function escaped(content: string, { escape }: Delimiters): string {
  return escape && !PLAIN.test(content) ? escape(content) : content;
}

/** Inline code; undefined if no fence can enclose it. */
function codeOf(content: string, delimiters: Delimiters): string | undefined {
  const fence = fenceFor('code', content, delimiters);
  if (fence === undefined) return undefined;
  const isAtEdge = content.startsWith('`') || content.endsWith('`');
  return isAtEdge ? `${fence} ${content} ${fence}` : `${fence}${content}${fence}`;
}

/** A fence that the code cannot close. */
export function fenceFor(
  kind: 'code' | 'block',
  text: string,
  delimiters: Delimiters,
): string | undefined {
  const fence = delimiters[kind];
  if (!text.includes(fence)) return fence;
  if (!delimiters.longer?.includes(kind)) return undefined;
  const longest = Math.max(...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  return '`'.repeat(Math.max(longest + 1, fence.length));
}

/** Without an escape, styled text cannot contain its own delimiter. */
function withoutClash(text: string, look: Look, delimiters: Delimiters): Look {
  if (delimiters.escape) return look;
  const { bold, italic, strike, ...rest } = look;
  return {
    ...rest,
    ...(bold && !text.includes(delimiters.bold) && { bold }),
    ...(italic && !text.includes(delimiters.italic) && { italic }),
    ...(strike && !text.includes(delimiters.strike) && { strike }),
  };
}

function enclosed(content: string, { bold, italic, strike }: Look, delimiters: Delimiters): string {
  let delimited = content;
  if (strike) delimited = `${delimiters.strike}${delimited}${delimiters.strike}`;
  if (italic) delimited = `${delimiters.italic}${delimited}${delimiters.italic}`;
  if (bold) delimited = `${delimiters.bold}${delimited}${delimiters.bold}`;
  return delimited;
}

function withAddress(delimited: string, { link }: Look, delimiters: Delimiters): string {
  if (link === undefined) return delimited;
  const address = cleanUrl(link);
  return delimiters.link ? delimiters.link(delimited, address) : `${delimited} (${address})`;
}

interface Neighbors {
  before: Run | undefined;
  after: Run | undefined;
}

/** CommonMark's punctuation. https://spec.commonmark.org/0.31.2/#delimiter-run */
const MARK = /[\p{P}\p{S}]/u;

/** Adjacent delimiters would be read as one delimiter run, so the second run loses its look. */
function withoutTouching(look: Look, before: Run | undefined): Look {
  if (!before || !isDelimited(look) || !isDelimited(before.look)) return look;
  if (lastOf(before.text).trim() === '') return look;
  const { bold: _, italic: __, strike: ___, ...rest } = look;
  return rest;
}

/**
 * Makes delimiters work between punctuation and a letter. In `**a:**b` they would be shown as text, so the letter is
 * written as an HTML entity, which counts as punctuation. Also keeps `!` before a link from making it an image.
 */
function besideDelimiters(
  content: string,
  look: Look,
  { before, after }: Neighbors,
  delimiters: Delimiters,
): string {
  if (isDelimited(look) || look.link !== undefined) return escaped(content, delimiters);
  const isFirst = isDelimitedAt(before, lastOf) && !MARK.test(firstOf(content));
  const isLast = isDelimitedAt(after, firstOf) && !MARK.test(lastOf(content));
  const first = isFirst ? firstOf(content) : '';
  const last = isLast && first.length < content.length ? lastOf(content) : '';
  const middle = escaped(content.slice(first.length, content.length - last.length), delimiters);
  const isImage = content.endsWith('!') && after?.look.link !== undefined;
  const result = isImage ? `${middle.slice(0, -1)}\\!` : middle;
  return entityOf(first) + result + entityOf(last);
}

const entityOf = (character: string): string =>
  character === '' ? '' : `&#${String(character.codePointAt(0))};`;

function isDelimitedAt(run: Run | undefined, edge: (text: string) => string): boolean {
  if (!run || !isDelimited(run.look)) return false;
  const { bold, italic, strike, code } = run.look;
  const isNested = strike && (bold ?? italic);
  return code ?? isNested ?? MARK.test(edge(run.text));
}

/** Whether its delimiters depend on the neighboring characters. */
function isDelimited({ bold, italic, strike, link }: Look): boolean {
  return (bold ?? italic ?? strike ?? false) && link === undefined;
}

const firstOf = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 0x20);
const lastOf = (text: string): string => /.$/su.exec(text.slice(-2))?.[0] ?? ' ';

/** Markdown as CommonMark and most messengers read it. */
export function toMarkdown(rich: RichText): string {
  return withDelimiters(rich, MARKDOWN);
}

export const escapeMarkdown: Escape = (text) =>
  SIGN.test(text) ? text.split('\n').map(escapeLine).join('\n') : text;

const SIGN = /[\\`*_[\]<>#+\-.)|~&=]/;

/** Some characters are markup only at the start of a line; elsewhere they stay unescaped. */
function escapeLine(line: string): string {
  const beginning = line.length - line.trimStart().length;
  const number = /^\s*\d+/.exec(line)?.[0].length;
  const isUnderline = /^\s*=+\s*$/.test(line);
  return line.replaceAll(/[\\`*_[\]<>#+\-.)|~=]|&(?=#?\w+;)/g, (sign, at: number) => {
    if ('#+->'.includes(sign)) return at === beginning ? `\\${sign}` : sign;
    if (sign === '.' || sign === ')') return at === number ? `\\${sign}` : sign;
    if (sign === '=') return isUnderline && at === beginning ? `\\${sign}` : sign;
    return `\\${sign}`;
  });
}

/** The delimiters of most Markdown. */
export const MARKDOWN_DELIMITERS = {
  bold: '**',
  italic: '*',
  strike: '~~',
  code: '`',
  block: '```',
} as const;

export const MARKDOWN: Delimiters = {
  ...MARKDOWN_DELIMITERS,
  escape: escapeMarkdown,
  longer: ['code', 'block'],
  indents: 'code',
  link: (text, url) => `[${text}](<${url}>)`,
  isCommonMark: true,
};

/**
 * Escapes the text around URLs. `url` matches URLs that contain no markup, in one group, and `write` writes them;
 * by default as they are.
 */
export function escapeAround(
  text: string,
  url: RegExp,
  escape: Escape,
  write: Escape = (written) => written,
): string {
  return text
    .split(url)
    .map((part, i) => (i % 2 === 1 ? write(part) : escape(part)))
    .join('');
}

/** Encodes an ASCII character in a URL, also those that `encodeURIComponent` leaves. */
export const percentEncoded: Escape = (sign) =>
  `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

/** Groups adjacent runs of a code block; every other run is its own group. */
function grouped(rich: RichText): Run[][] {
  const groups: Run[][] = [];
  for (const run of rich) {
    const last = groups.at(-1);
    if (run.look.block && last?.[0]?.look.block) last.push(run);
    else groups.push([run]);
  }
  return groups;
}
