import { type Look, type RichText, type Run, cleanAddress } from './rich-text.ts';

/*
 * Rich text in the markups of messengers. Whatever stands in the text itself is escaped: it can never be taken
 * for markup.
 */

export type Escape = (text: string) => string;

export const escapeHtml: Escape = (text) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** HTML of the few elements that every messenger with HTML knows. `newline` is what a line break becomes. */
export function toHtml(rich: RichText, newline = '\n'): string {
  return grouped(rich)
    .map((group) => {
      const [first] = group;
      if (first?.look.block) {
        return `<pre><code>${escapeHtml(group.map(({ text }) => text).join(''))}</code></pre>`;
      }
      return group.map(({ text, look }) => htmlRun(text, look, newline)).join('');
    })
    .join('');
}

function htmlRun(text: string, look: Look, newline: string): string {
  let html = escapeHtml(text).replaceAll('\n', newline);
  if (look.code) html = `<code>${html}</code>`;
  if (look.strike) html = `<s>${html}</s>`;
  if (look.italic) html = `<i>${html}</i>`;
  if (look.bold) html = `<b>${html}</b>`;
  if (look.link !== undefined) html = `<a href="${escapeHtml(look.link)}">${html}</a>`;
  return html;
}

/** How a messenger with signs around words writes them. */
export interface Signs {
  bold: string;
  italic: string;
  strike: string;
  code: string;
  /** Around lines of code. */
  block: string;
  /** Is not asked of letters, digits, spaces and commas alone: they are no markup anywhere. */
  escape: Escape;
  /** Inside of code nothing else is escaped than this. */
  escapeCode: Escape;
  /** A link around a text that is written already; left out where the address has to follow the text. */
  link?(text: string, url: string): string;
  /** What nobody sees; for markups that take a sign for one only if its neighbours are of the right kind. */
  joint?: string;
}

/** Signs hold only around words: spaces at the borders of a run stay outside of them. */
export function toSigns(rich: RichText, signs: Signs): string {
  const groups = grouped(rich);
  return groups
    .map((group, i) => {
      const [run] = group;
      if (run && !run.look.block)
        return signedRun(run, signs, groups[i - 1]?.[0], groups[i + 1]?.[0]);
      const code = signs.escapeCode(group.map(({ text }) => text).join(''));
      return `${signs.block}\n${code.replace(/\n$/, '')}\n${signs.block}\n`;
    })
    .join('');
}

function signedRun({ text, look }: Run, signs: Signs, before?: Run, after?: Run): string {
  const lines = text.split('\n');
  return lines
    .map((line, i) => {
      const isLast = i === lines.length - 1;
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
/** An address that messengers make a link of by themselves. */
const ADDRESS = /^https?:\/\/[^\s<>"`]+$/;

function signedLine(line: string, look: Look, signs: Signs, before?: Run, after?: Run): string {
  const words = line.trim();
  if (words === '') return line;
  const start = line.length - line.trimStart().length;
  const left = line.slice(0, start);
  const right = line.slice(start + words.length);
  if (words === look.link && ADDRESS.test(words)) return line;
  let signed = look.code
    ? `${signs.code}${signs.escapeCode(words)}${signs.code}`
    : PLAIN.test(words)
      ? words
      : signs.escape(words);
  if (signs.joint !== undefined) {
    const beside = {
      before: left === '' ? before : undefined,
      after: right === '' ? after : undefined,
    };
    return left + withJoints(signed, look, signs, signs.joint, beside) + right;
  }
  signed = withSigns(signed, look, signs);
  return left + withAddress(signed, look, signs) + right;
}

function withSigns(words: string, { bold, italic, strike }: Look, signs: Signs): string {
  let signed = words;
  if (strike) signed = `${signs.strike}${signed}${signs.strike}`;
  if (italic) signed = `${signs.italic}${signed}${signs.italic}`;
  if (bold) signed = `${signs.bold}${signed}${signs.bold}`;
  return signed;
}

function withAddress(signed: string, { link }: Look, signs: Signs): string {
  if (link === undefined) return signed;
  const address = cleanAddress(link);
  return signs.link ? signs.link(signed, address) : `${signed} (${address})`;
}

/** As CommonMark has it. https://spec.commonmark.org/0.31.2/#delimiter-run */
const MARK = /[\p{P}\p{S}]/u;

/**
 * Signs between a mark and a letter, or beside other signs, would be shown and do nothing: `**a:**b`. A joint
 * stands between them and the mark. Another keeps a link from being a picture: `![a](b)`.
 */
function withJoints(
  words: string,
  look: Look,
  signs: Signs,
  joint: string,
  { before, after }: { before: Run | undefined; after: Run | undefined },
): string {
  if (look.link !== undefined) return withAddress(withSigns(words, look, signs), look, signs);
  if (!isSigned(look))
    return words.endsWith('!') && after?.look.link !== undefined ? words + joint : words;
  const last = lastOf(before?.text ?? '');
  const next = firstOf(after?.text ?? '');
  const isTouched = last.trim() !== '' && before !== undefined && isSigned(before.look);
  const isTouching = next.trim() !== '' && after !== undefined && isSigned(after.look);
  const isLeft = isTouched || isLetter(last, before);
  const isRight = isTouching || isLetter(next, after);
  const apart = (inner: string) =>
    (isLeft && MARK.test(firstOf(inner)) ? joint : '') +
    inner +
    (isRight && MARK.test(lastOf(inner)) ? joint : '');
  const { strike, ...rest } = look;
  const struck = strike ? withSigns(apart(words), { strike }, signs) : words;
  const signed = rest.bold || rest.italic ? withSigns(apart(struck), rest, signs) : struck;
  return isTouched ? joint + signed : signed;
}

/** Whether there are signs around it that depend on what is beside them. */
function isSigned({ bold, italic, strike, link }: Look): boolean {
  return (bold ?? italic ?? strike ?? false) && link === undefined;
}

function isLetter(character: string, { look }: Run = { text: '', look: {} }): boolean {
  return character.trim() !== '' && !MARK.test(character) && !look.code && look.link === undefined;
}

const firstOf = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 0x20);
const lastOf = (text: string): string => /.$/su.exec(text.slice(-2))?.[0] ?? ' ';

/** Markdown, as CommonMark and most messengers read it. */
export function toMarkdown(rich: RichText): string {
  let isStart = true;
  const unindented = rich.map(({ text, look }) => {
    const run = { text: look.block ? text : withoutIndents(text, isStart), look };
    isStart = text.endsWith('\n');
    return run;
  });
  return toSigns(unindented, MARKDOWN);
}

const NO_BREAK_SPACE = '\u00a0';

/** Four spaces at the beginning of a line would make it one of code. */
function withoutIndents(text: string, isStart: boolean): string {
  return text.replaceAll(/^(?: {4}| {0,3}\t)/gm, (indent, at: number) =>
    at > 0 || isStart ? NO_BREAK_SPACE + indent.slice(1) : indent,
  );
}

export const escapeMarkdown: Escape = (text) =>
  SIGN.test(text) ? text.split('\n').map(escapeLine).join('\n') : text;

const SIGN = /[\\`*_[\]<>#+\-.)|~&=]|^(?: {4}| {0,3}\t)/m;

/** Some signs mean something only at the beginning of a line; everywhere else they are better left alone. */
function escapeLine(line: string): string {
  const beginning = line.length - line.trimStart().length;
  const number = /^\s*\d+/.exec(line)?.[0].length;
  const isUnderline = /^\s*=+\s*$/.test(line);
  const escaped = line.replaceAll(/[\\`*_[\]<>#+\-.)|~=]|&(?=#?\w+;)/g, (sign, at: number) => {
    if ('#+->'.includes(sign)) return at === beginning ? `\\${sign}` : sign;
    if (sign === '.' || sign === ')') return at === number ? `\\${sign}` : sign;
    if (sign === '=') return isUnderline && at === beginning ? `\\${sign}` : sign;
    return `\\${sign}`;
  });
  return withoutIndents(escaped, true);
}

const MARKDOWN: Signs = {
  bold: '**',
  italic: '*',
  strike: '~~',
  code: '`',
  block: '```',
  escape: escapeMarkdown,
  // A backtick inside of code would end it.
  escapeCode: (text) => text.replaceAll('`', 'ˋ'),
  link: (text, url) => `[${text}](<${url}>)`,
  // A zero-width non-joiner, which is neither a space nor a mark.
  joint: '\u200c',
};

/** Runs of one block of code together, every other run by itself. */
function grouped(rich: RichText): Run[][] {
  const groups: Run[][] = [];
  for (const run of rich) {
    const last = groups.at(-1);
    if (run.look.block && last?.[0]?.look.block) last.push(run);
    else groups.push([run]);
  }
  return groups;
}
