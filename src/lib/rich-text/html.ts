import { type Line, cellsOf, linesOf } from './lines.ts';
import type { Container, RichText } from './rich-text.ts';
import { escapeHtml, toHtml } from './writers.ts';

/* Writes rich text as HTML, with lists, quotations, headings, tables and rules. */

interface HtmlOptions {
  /** Written for a line break within a paragraph. */
  newline: string;
  /** Whether to write tables; otherwise rows become lines of text. */
  tables: boolean;
  /** The deepest heading level to write; deeper ones become bold text. */
  headings: number;
}

export function toHtmlBlocks(rich: RichText, options: HtmlOptions): string {
  return blocks(linesOf(rich), 0, options);
}

/** Writes lines whose first `depth` containers are already open. */
function blocks(lines: readonly Line[], depth: number, options: HtmlOptions): string {
  let html = '';
  let text: Line[] = [];
  const endText = (isLast: boolean) => {
    html += paragraph(text, html !== '', !isLast, options.newline);
    text = [];
  };
  for (let start = 0, end = 0; start < lines.length; start = end) {
    const line = lines[start];
    if (!line) break;
    const outer = line.margin[depth]?.of;
    end = outer ? endOf(lines, start, depth, outer) : endOfKind(lines, start, options);
    const group = lines.slice(start, end);
    const block = outer ? container(outer, group, depth, options) : leaf(line.kind, group, options);
    if (block === undefined) text.push(...group);
    else {
      endText(false);
      html += block;
    }
  }
  endText(true);
  return html;
}

/** The index after the last line of this quotation or list, including empty lines within it. */
function endOf(lines: readonly Line[], start: number, depth: number, outer: Container): number {
  let end = start + 1;
  for (let at = end; at < lines.length; at++) {
    const line = lines[at];
    if (line && isWithin(line, depth, outer)) end = at + 1;
    else if (!line || line.runs.length > 0 || line.margin.length > 0) break;
  }
  return end;
}

function isWithin({ margin }: Line, depth: number, outer: Container): boolean {
  const of = margin[depth]?.of;
  if (of?.kind === 'item' && outer.kind === 'item') return of.list === outer.list;
  return of === outer;
}

/** The index after a sequence of code lines or table rows. */
function endOfKind(lines: readonly Line[], start: number, { tables }: HtmlOptions): number {
  const first = lines[start];
  const isSame = (line: Line | undefined) => {
    if (line === undefined || line.margin.length > (first?.margin.length ?? 0)) return false;
    if (first?.kind === 'code') return line.kind === 'code';
    return tables && first?.kind === 'head' && line.kind === 'body';
  };
  let end = start + 1;
  while (isSame(lines[end])) end++;
  return end;
}

function container(
  outer: Container,
  lines: readonly Line[],
  depth: number,
  options: HtmlOptions,
): string {
  if (outer.kind === 'quote')
    return `<blockquote>${blocks(lines, depth + 1, options)}</blockquote>`;
  const items: Line[][] = [];
  let last: Container | undefined;
  for (const line of lines) {
    const of = line.margin[depth]?.of;
    if (of && of !== last) items.push([]);
    last = of ?? last;
    items.at(-1)?.push(line);
  }
  const listItems = items.map((item) => {
    const of = item[0]?.margin[depth]?.of;
    const box = of?.kind === 'item' && of.checked !== undefined ? (of.checked ? '☑ ' : '☐ ') : '';
    return `<li>${box}${blocks(item, depth + 1, options)}</li>`;
  });
  const { number } = outer;
  if (number === undefined) return `<ul>${listItems.join('')}</ul>`;
  return `<ol${number === 1 ? '' : ` start="${number}"`}>${listItems.join('')}</ol>`;
}

/** Undefined for plain text. */
function leaf(
  kind: Line['kind'],
  lines: readonly Line[],
  { tables, headings }: HtmlOptions,
): string | undefined {
  const [first] = lines;
  if (!first) return undefined;
  if (kind === 'rule') return '<hr>';
  if (kind === 'code') {
    const code = lines.map(({ runs }) => runs.map(({ text }) => text).join('')).join('\n');
    const language = first.language === undefined ? '' : ` class="language-${first.language}"`;
    return `<pre><code${language}>${escapeHtml(code)}</code></pre>`;
  }
  if (kind === 'heading' && first.level <= headings) {
    return `<h${first.level}>${toHtml(first.runs)}</h${first.level}>`;
  }
  if (kind === 'head' && tables) {
    const rows = lines.map((row) => {
      const cell = row.kind === 'head' ? 'th' : 'td';
      return `<tr>${cellsOf(row)
        .map((runs) => `<${cell}>${cellText(runs, cell)}</${cell}>`)
        .join('')}</tr>`;
    });
    return `<table>${rows.join('')}</table>`;
  }
  return undefined;
}

function cellText(runs: RichText, cell: 'th' | 'td'): string {
  if (cell === 'td') return toHtml(runs).trim();
  return toHtml(runs.map(withoutBold)).trim();
}

const isEmpty = ({ runs }: Line) => runs.length === 0;

/** Drops empty lines next to a block element: the element already separates the text. */
function paragraph(
  lines: readonly Line[],
  isAfter: boolean,
  isBefore: boolean,
  newline: string,
): string {
  let [start, end] = [0, lines.length];
  while (isAfter && start < end && isEmpty(lines[start] ?? EMPTY)) start++;
  while (isBefore && end > start && isEmpty(lines[end - 1] ?? EMPTY)) end--;
  return lines
    .slice(start, end)
    .map(({ runs, kind }) => toHtml(kind === 'heading' ? runs.map(asBold) : runs))
    .join(newline);
}

/** Table headers are bold anyway. */
function withoutBold({ text, look }: RichText[number]): RichText[number] {
  const { bold: _, ...rest } = look;
  return { text, look: rest };
}

const asBold = ({ text, look }: RichText[number]): RichText[number] => ({
  text,
  look: { ...look, bold: true },
});

const EMPTY: Line = { margin: [], runs: [], kind: 'text', level: 0, language: undefined };
