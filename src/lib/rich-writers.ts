import type { Look, RichText, Run } from './rich-text.ts';

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
  escape: Escape;
  /** Inside of code nothing else is escaped than this. */
  escapeCode: Escape;
  /** A link around a text that is written already; left out where the address has to follow the text. */
  link?(text: string, url: string): string;
}

/** Signs hold only around words: spaces at the borders of a run stay outside of them. */
export function toSigns(rich: RichText, signs: Signs): string {
  return grouped(rich)
    .map((group) => {
      if (!group[0]?.look.block) return group.map((run) => signedRun(run, signs)).join('');
      const code = signs.escapeCode(group.map(({ text }) => text).join(''));
      return `${signs.block}\n${code.replace(/\n$/, '')}\n${signs.block}\n`;
    })
    .join('');
}

function signedRun({ text, look }: Run, signs: Signs): string {
  return text
    .split(/(\n+)/)
    .map((line) => (/^\n*$/.test(line) ? line : signedLine(line, look, signs)))
    .join('');
}

function signedLine(line: string, look: Look, signs: Signs): string {
  const words = line.trim();
  if (words === '') return line;
  const before = line.slice(0, line.length - line.trimStart().length);
  const after = line.slice(line.trimEnd().length);
  // Messengers make a link of an address by themselves.
  if (words === look.link) return line;
  let signed = look.code
    ? `${signs.code}${signs.escapeCode(words)}${signs.code}`
    : signs.escape(words);
  if (look.strike) signed = `${signs.strike}${signed}${signs.strike}`;
  if (look.italic) signed = `${signs.italic}${signed}${signs.italic}`;
  if (look.bold) signed = `${signs.bold}${signed}${signs.bold}`;
  if (look.link !== undefined) {
    signed = signs.link ? signs.link(signed, look.link) : `${signed} (${look.link})`;
  }
  return `${before}${signed}${after}`;
}

/** Markdown, as CommonMark and most messengers read it. */
export function toMarkdown(rich: RichText): string {
  return toSigns(rich, MARKDOWN);
}

export const escapeMarkdown: Escape = (text) => text.split('\n').map(escapeLine).join('\n');

/** Some signs mean something only at the beginning of a line; everywhere else they are better left alone. */
function escapeLine(line: string): string {
  const beginning = line.length - line.trimStart().length;
  const number = /^\s*\d+/.exec(line)?.[0].length;
  return line.replaceAll(/[\\`*_[\]<>#+\-.)|~]/g, (sign, at: number) => {
    if ('#+->'.includes(sign)) return at === beginning ? `\\${sign}` : sign;
    if (sign === '.' || sign === ')') return at === number ? `\\${sign}` : sign;
    return `\\${sign}`;
  });
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
  link: (text, url) => `[${text}](<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>)`,
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
