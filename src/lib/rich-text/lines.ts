import type { Margin, RichText, Run } from './rich-text.ts';

/* Splits rich text into lines, for writers of lists, quotations, headings and tables. */

export interface Line {
  margin: readonly Margin[];
  /** Without the margin, and without the looks that `kind` already expresses. */
  runs: readonly Run[];
  kind: 'text' | 'code' | 'heading' | 'head' | 'body' | 'rule';
  /** The level of a heading, 1 to 6; otherwise 0. */
  level: number;
  /** The language of code, if known. */
  language: string | undefined;
}

export function linesOf(rich: RichText): Line[] {
  const lines: Run[][] = [[]];
  for (const { text, look } of rich) {
    for (const [i, piece] of text.split('\n').entries()) {
      if (i > 0) lines.push([]);
      // Keep empty pieces of code: they are empty lines.
      if (piece !== '' || look.block) lines.at(-1)?.push({ text: piece, look });
    }
  }
  return lines.map(lineOf);
}

function lineOf(all: readonly Run[]): Line {
  const margin = all.flatMap(({ look }) => (look.margin ? [look.margin] : []))[0] ?? [];
  const runs = all.filter(({ look, text }) => !look.margin && text !== '');
  const level = runs.find(({ look }) => look.heading !== undefined)?.look.heading ?? 0;
  const bar = runs.find(({ look }) => look.bar !== undefined)?.look.bar;
  const isCode = all.some(({ look }) => look.block) && runs.every(({ look }) => look.block);
  const language = runs.find(({ look }) => look.language !== undefined)?.look.language;
  const kind = runs.some(({ look }) => look.rule)
    ? 'rule'
    : isCode
      ? 'code'
      : (bar ?? (level > 0 ? 'heading' : 'text'));
  return { margin, runs: level > 0 ? runs.map(withoutHeading) : runs, kind, level, language };
}

/** Headings are bold anyway. */
function withoutHeading({ text, look }: Run): Run {
  const { heading: _, bold: __, ...rest } = look;
  return { text, look: rest };
}

export function cellsOf({ runs }: Line): Run[][] {
  const cells: Run[][] = [[]];
  for (const run of runs) {
    if (run.look.bar === undefined) cells.at(-1)?.push(run);
    else cells.push([]);
  }
  return cells;
}
