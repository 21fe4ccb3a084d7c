/*
 * Formatted text as a list of runs, each with one look (its format). Blocks such as lists, quotations and headings
 * are already laid out in lines; a look holds only what messengers can show.
 */

export interface Look {
  bold?: true;
  italic?: true;
  strike?: true;
  /** Inline code. */
  code?: true;
  /** A code block; adjacent runs form one block. */
  block?: true;
  /** The URL of a link. */
  link?: string;
  /** A heading level, 1 to 6. Headings are also bold, for channels without headings. */
  heading?: number;
  /** The language of a code block. */
  language?: string;
  /** This run is the prefix of a line that shows its containers: bullets, numbers, `> ` and spaces. */
  margin?: readonly Margin[];
  /** This run separates two cells of a row. */
  bar?: 'head' | 'body';
  rule?: true;
}

/** A quotation or list item. All its lines share the same object. */
export type Container =
  | { kind: 'quote' }
  | { kind: 'item'; list: object; number?: number | undefined; checked?: boolean };

export interface Margin {
  of: Container;
  isFirst: boolean;
}

export interface Run {
  text: string;
  look: Look;
}

export type RichText = readonly Run[];

export function unstyled(text: string): RichText {
  return text === '' ? [] : [{ text, look: {} }];
}

/** Whether no run has a format. Layout does not count. */
export function isUnstyled(rich: RichText): boolean {
  return rich.every(({ look }) => Object.keys(withoutLayout(look)).length === 0);
}

function withoutLayout(look: Look): Look {
  const { heading: _, language: __, margin: ___, bar: ____, rule: _____, ...rest } = look;
  return rest;
}

/** Whether the characters alone are the whole text: no run has a look. */
export function isPlain(rich: RichText): boolean {
  return rich.every(({ look }) => Object.keys(look).length === 0);
}

/** Removes layout attributes, for channels that show formatted lines only; the text already contains the layout. */
export function flattened(rich: RichText): RichText {
  return joined(rich.map(({ text, look }) => ({ text, look: withoutLayout(look) })));
}

/** Whether it has lists, quotations, headings, tables, rules, or code with a language. */
export function hasLayout(rich: RichText): boolean {
  return rich.some(
    ({ look }) => Object.keys(look).length > Object.keys(withoutLayout(look)).length,
  );
}

export function charactersOf(rich: RichText): string {
  return rich.map(({ text }) => text).join('');
}

/** As plain text: each link is followed by its URL. */
export function plainText(rich: RichText): string {
  return rich
    .map(({ text, look: { link } }, i) => {
      const isEnd = link !== undefined && rich[i + 1]?.look.link !== link;
      return isEnd && !sameAddress(linkTextAt(rich, i), link) ? `${text} (${link})` : text;
    })
    .join('');
}

/** The whole text of the link that ends with this run. */
function linkTextAt(rich: RichText, end: number): string {
  let start = end;
  while (start > 0 && rich[start - 1]?.look.link === rich[end]?.look.link) start--;
  return charactersOf(rich.slice(start, end + 1));
}

/** Whether the text of a link already shows its URL. */
export function sameAddress(text: string, link: string): boolean {
  return withoutScheme(text) === withoutScheme(link);
}

function withoutScheme(address: string): string {
  return address.replace(/^(mailto:|https?:\/\/)/, '').replace(/\/$/, '');
}

/** Characters that end a URL or have a meaning in some markup. */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\s\u0000-\u0020\u007f-\u009f<>"`]/g;

/** Encodes unsafe characters in a URL, so that it stays one word in any markup. */
export function cleanUrl(url: string): string {
  return url.trim().replaceAll(UNSAFE, encodeURIComponent);
}

/**
 * Replaces links that do not fit by their text followed once by the URL in brackets. Otherwise such a link could not be
 * sent, or each part of its text would repeat the URL. `fits` is called with all runs of a link.
 */
export function withoutLongLinks(rich: RichText, fits: (link: RichText) => boolean): RichText {
  const runs: Run[] = [];
  for (let start = 0, end = 0; start < rich.length; start = end) {
    const link = rich[start]?.look.link;
    for (end = start + 1; end < rich.length && rich[end]?.look.link === link;) end++;
    const linkRuns = rich.slice(start, end);
    if (link === undefined || fits(linkRuns)) runs.push(...linkRuns);
    else {
      for (const { text, look } of linkRuns) {
        const { link: _, ...rest } = look;
        runs.push({ text, look: rest });
      }
      if (!sameAddress(charactersOf(linkRuns), link)) runs.push({ text: ` (${link})`, look: {} });
    }
  }
  return joined(runs);
}

/** Returns a function that slices rich text by character positions; fast for many slices. */
export function slicerOf(rich: RichText): (start: number, end: number) => RichText {
  const starts: number[] = [];
  let length = 0;
  for (const { text } of rich) {
    starts.push(length);
    length += text.length;
  }
  return (start, end) => {
    const slice: Run[] = [];
    for (let i = lastUpTo(starts, start); i < rich.length && (starts[i] ?? length) < end; i++) {
      const { text, look } = rich[i] ?? NOTHING;
      const at = starts[i] ?? 0;
      const part = text.slice(Math.max(start - at, 0), end - at);
      if (part !== '') slice.push({ text: part, look });
    }
    return slice;
  };
}

const NOTHING: Run = { text: '', look: {} };

/** Binary search: the index of the last number that is at most `max`. */
function lastUpTo(numbers: readonly number[], max: number): number {
  let low = 0;
  let high = numbers.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= max) low = middle;
    else high = middle;
  }
  return low;
}

/** Merges adjacent runs with the same look and drops empty ones. */
export function joined(rich: RichText): RichText {
  const runs: Run[] = [];
  for (const { text, look } of rich) {
    const last = runs.at(-1);
    if (text === '') continue;
    if (last && isSameLook(last.look, look)) last.text += text;
    else runs.push({ text, look });
  }
  return runs;
}

function isSameLook(a: Look, b: Look): boolean {
  const keys = Object.keys({ ...a, ...b }) as (keyof Look)[];
  return keys.every((key) => a[key] === b[key]);
}
