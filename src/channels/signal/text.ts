import { type Look, type RichText, type Run, sameAddress } from '../../lib/rich-text/rich-text.ts';
import { toMarkdown } from '../../lib/rich-text/writers.ts';

/* Signal's styles are ranges beside the text, in UTF-16 code units. The text itself has no markup. */

const STYLES = [
  ['bold', 'BOLD'],
  ['italic', 'ITALIC'],
  ['strike', 'STRIKETHROUGH'],
  ['code', 'MONOSPACE'],
  ['block', 'MONOSPACE'],
] as const satisfies readonly (readonly [keyof Look, string])[];

interface StyledText {
  text: string;
  /** `start:length:STYLE`. */
  styles: string[];
}

/** Writes URLs after the text of links, because the apps make links of URLs only. */
export function toStyled(rich: RichText): StyledText {
  let text = '';
  let link = '';
  const styles: string[] = [];
  for (const [i, run] of rich.entries()) {
    const { look } = run;
    for (const style of new Set(STYLES.flatMap(([name, each]) => (look[name] ? each : [])))) {
      styles.push(`${text.length}:${run.text.length}:${style}`);
    }
    text += run.text;
    if (look.link === undefined) continue;
    link += run.text;
    if (rich[i + 1]?.look.link === look.link) continue;
    if (!sameAddress(link, look.link)) text += ` (${look.link})`;
    link = '';
  }
  return { text, styles };
}

/** A range of a received text. */
export interface Range {
  start: number;
  length: number;
}

/** Converts a received text with styles and mentions. A mention replaces its placeholder character. */
export function fromStyled(
  text: string,
  styles: readonly (Range & { style: string })[],
  mentions: readonly (Range & { name: string })[],
): { text: string; mediaType?: 'text/markdown' } {
  const supported = styles.filter(({ style }) => STYLES.some(([, name]) => name === style));
  const ranges = [...supported, ...mentions];
  const edges = new Set([0, text.length, ...ranges.flatMap((r) => [r.start, r.start + r.length])]);
  const cuts = [...edges].filter((at) => at <= text.length).toSorted((a, b) => a - b);
  const runs = cuts.slice(1).flatMap((end, i): Run[] => {
    const start = cuts[i] ?? 0;
    const covers = (range: Range) => range.start <= start && range.start + range.length >= end;
    const mention = mentions.find(covers);
    const look = Object.fromEntries(
      STYLES.filter(([name, style]) => {
        return name !== 'block' && supported.some((one) => one.style === style && covers(one));
      }).map(([name]) => [name, true]),
    );
    // A mention may span several runs; it is written once.
    if (mention && mention.start !== start) return [];
    return [{ text: mention ? `@${mention.name}` : text.slice(start, end), look }];
  });
  if (supported.length === 0) return { text: runs.map((run) => run.text).join('') };
  return { text: toMarkdown(runs), mediaType: 'text/markdown' };
}
