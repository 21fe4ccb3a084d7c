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

/** Delimiters only work next to words, so spaces at the ends of a run stay outside. */
export function toSigns(rich: RichText, signs: Delimiters): string {
  const groups = grouped(rich);
  return groups
    .map((group, i) => {
      const [run] = group;
      if (!run?.look.block) {
        return run ? signedRun(run, signs, groups[i - 1]?.[0], groups[i + 1]?.[0]) : '';
      }
      const code = group.map(({ text }) => text).join('');
      const fence = fenceFor('block', code, signs);
      // No fence is long enough: write it as text.
      if (fence === undefined) return signedRun({ text: code, look: {} }, signs);
      return `${fence}\n${code.replace(/\n$/, '')}\n${fence}\n`;
    })
    .join('');
}

/** Whether `toSigns` drops a look because its delimiter occurs in the text and cannot be escaped. */
export function hasClash(rich: RichText, signs: Delimiters): boolean {
  return rich.some(({ text, look }) => {
    if (look.block) return fenceFor('block', text, signs) === undefined;
    if (look.code) return fenceFor('code', text, signs) === undefined;
    return Object.keys(look).length > Object.keys(withoutClash(text, look, signs)).length;
  });
}

/** Indented code, if it starts a paragraph. */
const INDENT = /^(?: {4}| {0,3}\t)/;

function signedRun({ text, look }: Run, signs: Delimiters, before?: Run, after?: Run): string {
  const lines = text.split('\n');
  let isCode = false;
  return lines
    .map((line, i) => {
      const isLast = i === lines.length - 1;
      const isStart = i === 0 ? !before : isCode || lines[i - 1]?.trim() === '';
      isCode = signs.indents === 'code' && isStart && INDENT.test(line);
      // In code, escaping backslashes would be visible.
      if (isCode) return line;
      return signedLine(
        line,
        look,
        signs,
        i === 0 ? before : undefined,
        isLast ? after : undefined,
      );
    })
    .join('\n');
}

const PLAIN = /^[\p{L}\p{N} ,]*$/u;
/** A URL that messengers turn into a link themselves. */
const BARE_URL = /^https?:\/\/[^\s<>"`]+$/;

function signedLine(
  line: string,
  look: Look,
  signs: Delimiters,
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
  const shown = signs.isCommonMark
    ? withoutTouching(look, beside.before)
    : withoutClash(content, look, signs);
  const code = look.code ? codeOf(content, signs) : undefined;
  const result =
    code ??
    (signs.isCommonMark ? besideSigns(content, shown, beside, signs) : escaped(content, signs));
  return left + withAddress(withSigns(result, shown, signs), shown, signs) + right;
}

function escaped(content: string, { escape }: Delimiters): string {
  return escape && !PLAIN.test(content) ? escape(content) : content;
}

/** Inline code; undefined if no fence can enclose it. */
function codeOf(content: string, signs: Delimiters): string | undefined {
  const fence = fenceFor('code', content, signs);
  if (fence === undefined) return undefined;
  const isAtEdge = content.startsWith('`') || content.endsWith('`');
  return isAtEdge ? `${fence} ${content} ${fence}` : `${fence}${content}${fence}`;
}

/** A fence that the code cannot close. */
export function fenceFor(
  kind: 'code' | 'block',
  text: string,
  signs: Delimiters,
): string | undefined {
  const fence = signs[kind];
  if (!text.includes(fence)) return fence;
  if (!signs.longer?.includes(kind)) return undefined;
  const longest = Math.max(...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  return '`'.repeat(Math.max(longest + 1, fence.length));
}

/** Without an escape, styled text cannot contain its own delimiter. */
function withoutClash(text: string, look: Look, signs: Delimiters): Look {
  if (signs.escape) return look;
  const { bold, italic, strike, ...rest } = look;
  return {
    ...rest,
    ...(bold && !text.includes(signs.bold) && { bold }),
    ...(italic && !text.includes(signs.italic) && { italic }),
    ...(strike && !text.includes(signs.strike) && { strike }),
  };
}

function withSigns(content: string, { bold, italic, strike }: Look, signs: Delimiters): string {
  let signed = content;
  if (strike) signed = `${signs.strike}${signed}${signs.strike}`;
  if (italic) signed = `${signs.italic}${signed}${signs.italic}`;
  if (bold) signed = `${signs.bold}${signed}${signs.bold}`;
  return signed;
}

function withAddress(signed: string, { link }: Look, signs: Delimiters): string {
  if (link === undefined) return signed;
  const address = cleanUrl(link);
  return signs.link ? signs.link(signed, address) : `${signed} (${address})`;
}

interface Neighbors {
  before: Run | undefined;
  after: Run | undefined;
}

/** CommonMark's punctuation. https://spec.commonmark.org/0.31.2/#delimiter-run */
const MARK = /[\p{P}\p{S}]/u;

/** Adjacent delimiters would be read as one delimiter run, so the second run loses its look. */
function withoutTouching(look: Look, before: Run | undefined): Look {
  if (!before || !isSigned(look) || !isSigned(before.look)) return look;
  if (lastOf(before.text).trim() === '') return look;
  const { bold: _, italic: __, strike: ___, ...rest } = look;
  return rest;
}

/**
 * Makes delimiters work between punctuation and a letter. In `**a:**b` they would be shown as text, so the letter is
 * written as an HTML entity, which counts as punctuation. Also keeps `!` before a link from making it an image.
 */
function besideSigns(
  content: string,
  look: Look,
  { before, after }: Neighbors,
  signs: Delimiters,
): string {
  if (isSigned(look) || look.link !== undefined) return escaped(content, signs);
  const isFirst = isSignedAt(before, lastOf) && !MARK.test(firstOf(content));
  const isLast = isSignedAt(after, firstOf) && !MARK.test(lastOf(content));
  const first = isFirst ? firstOf(content) : '';
  const last = isLast && first.length < content.length ? lastOf(content) : '';
  const middle = escaped(content.slice(first.length, content.length - last.length), signs);
  const isPicture = content.endsWith('!') && after?.look.link !== undefined;
  const result = isPicture ? `${middle.slice(0, -1)}\\!` : middle;
  return entityOf(first) + result + entityOf(last);
}

const entityOf = (character: string): string =>
  character === '' ? '' : `&#${String(character.codePointAt(0))};`;

function isSignedAt(run: Run | undefined, edge: (text: string) => string): boolean {
  if (!run || !isSigned(run.look)) return false;
  const { bold, italic, strike, code } = run.look;
  const isNested = strike && (bold ?? italic);
  return code ?? isNested ?? MARK.test(edge(run.text));
}

/** Whether its delimiters depend on the neighboring characters. */
function isSigned({ bold, italic, strike, link }: Look): boolean {
  return (bold ?? italic ?? strike ?? false) && link === undefined;
}

const firstOf = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 0x20);
const lastOf = (text: string): string => /.$/su.exec(text.slice(-2))?.[0] ?? ' ';

/** Markdown as CommonMark and most messengers read it. */
export function toMarkdown(rich: RichText): string {
  return toSigns(rich, MARKDOWN);
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
export const MARKDOWN_SIGNS = {
  bold: '**',
  italic: '*',
  strike: '~~',
  code: '`',
  block: '```',
} as const;

export const MARKDOWN: Delimiters = {
  ...MARKDOWN_SIGNS,
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
