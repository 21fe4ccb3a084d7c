import { type Line, cellsOf, linesOf } from './lines.ts';
import { type Margin, type RichText, hasLayout } from './rich-text.ts';
import { type Delimiters, fenceFor, withDelimiters } from './writers.ts';

/* Writes rich text as Markdown, with lists, quotations, headings, tables and rules. */

interface MarkdownOptions {
  tables: boolean;
  /** The deepest heading level to write; deeper ones become bold text. */
  headings: number;
  rules: boolean;
}

export function toMarkdownBlocks(
  rich: RichText,
  delimiters: Delimiters,
  options: MarkdownOptions,
): string {
  if (!hasLayout(rich)) return withDelimiters(rich, delimiters);
  const lines = linesOf(rich);
  const margins = marginsOf(lines);
  const written: string[] = [];
  for (let start = 0, end = 0; start < lines.length; start = end) {
    const line = lines[start];
    if (!line) break;
    end = start + 1;
    while (line.kind === 'code' && lines[end]?.kind === 'code') end++;
    const margin = margins[start] ?? [];
    const block =
      line.kind === 'code'
        ? codeBlock(lines.slice(start, end), delimiters)
        : rowsOrLine(line, lines[start - 1], delimiters, options);
    for (const [i, each] of block.entries()) {
      const left = marginOf(i === 0 ? margin : margin.map(continued));
      written.push(each === '' ? left.trimEnd() : left + each);
    }
  }
  return written.join('\n');
}

const continued = ({ of }: Margin): Margin => ({ of, isFirst: false });

const hasContent = ({ margin, runs }: Line) => margin.length > 0 || runs.length > 0;

/** The containers of each line. An empty line is inside the containers that the lines before and after it share. */
function marginsOf(lines: readonly Line[]): (readonly Margin[])[] {
  let behind: readonly Margin[] = [];
  const next = lines.toReversed().map((line) => {
    if (hasContent(line)) behind = line.margin;
    return behind;
  });
  let before: readonly Margin[] = [];
  return lines.map((line, i) => {
    if (hasContent(line)) {
      before = line.margin;
      return before;
    }
    const following = next[lines.length - 1 - i] ?? [];
    const end = before.findIndex(({ of }, depth) => of !== following[depth]?.of);
    return before.slice(0, end === -1 ? before.length : end).map(continued);
  });
}

function marginOf(margin: readonly Margin[]): string {
  return margin
    .map(({ of, isFirst }) => {
      if (of.kind === 'quote') return '> ';
      const mark = of.number === undefined ? '- ' : `${of.number}. `;
      const box = of.checked === undefined ? '' : of.checked ? '☑ ' : '☐ ';
      return isFirst ? mark + box : ' '.repeat(mark.length);
    })
    .join('');
}

function codeBlock(lines: readonly Line[], delimiters: Delimiters): string[] {
  const code = lines.map(({ runs }) => runs.map(({ text }) => text).join(''));
  const fence = fenceFor('block', code.join('\n'), delimiters);
  // No fence is long enough: write it as text.
  if (fence === undefined)
    return code.map((text) => withDelimiters([{ text, look: {} }], delimiters));
  return [fence + (lines[0]?.language ?? ''), ...code, fence];
}

function rowsOrLine(
  line: Line,
  before: Line | undefined,
  delimiters: Delimiters,
  { tables, headings, rules }: MarkdownOptions,
): string[] {
  const { kind, runs, level } = line;
  if (kind === 'rule' && rules) return ['---'];
  const isRow = kind === 'head' || (kind === 'body' && /^(?:head|body)$/.test(before?.kind ?? ''));
  if (isRow && tables) {
    const cells = cellsOf(line).map((cell) => withDelimiters(cell, delimiters).trim());
    const row = `| ${cells.join(' | ')} |`;
    return kind === 'head' ? [row, `|${' --- |'.repeat(cells.length)}`] : [row];
  }
  if (kind !== 'heading') return [withDelimiters(runs, delimiters)];
  if (level <= headings) return [`${'#'.repeat(level)} ${withDelimiters(runs, delimiters)}`];
  return [
    withDelimiters(
      runs.map(({ text, look }) => ({ text, look: { ...look, bold: true } })),
      delimiters,
    ),
  ];
}
