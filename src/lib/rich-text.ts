/*
 * Text with looks: a list of runs, each of which looks the same from end to end. What stands in blocks (lists,
 * quotations, headings) is already laid out in lines; only what a messenger can show is a look.
 */

export interface Look {
  bold?: true;
  italic?: true;
  strike?: true;
  /** Code within a line. */
  code?: true;
  /** Lines of code; runs beside each other are one block. */
  block?: true;
  /** Where it leads. */
  link?: string;
  /** The level of a heading, 1 to 6; it is bold too, for those who show none. */
  heading?: number;
  /** What the code is written in. */
  language?: string;
  /** The text before a line that says what it stands in: bullets, numbers, `> ` and spaces. */
  margin?: readonly Margin[];
  /** Between two cells of a row. */
  bar?: 'head' | 'body';
  /** A line across the page. */
  rule?: true;
}

/** A quotation, or an item of a list: the same object for each of its lines. */
export type Container =
  | { kind: 'quote' }
  | { kind: 'item'; list: object; number?: number | undefined; checked?: boolean };

export interface Margin {
  of: Container;
  /** Whether this is its first line. */
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

/** Whether it has no looks; how it is laid out is none. */
export function isUnstyled(rich: RichText): boolean {
  return rich.every(({ look }) => Object.keys(withoutLayout(look)).length === 0);
}

function withoutLayout(look: Look): Look {
  const { heading: _, language: __, margin: ___, bar: ____, rule: _____, ...rest } = look;
  return rest;
}

/** Whether nothing of it would be lost as bare characters. */
export function isPlain(rich: RichText): boolean {
  return rich.every(({ look }) => Object.keys(look).length === 0);
}

/** For channels that show lines of text, and looks: the layout is in the text. */
export function flattened(rich: RichText): RichText {
  return joined(rich.map(({ text, look }) => ({ text, look: withoutLayout(look) })));
}

/** Whether it has lists, quotations, headings, tables or rules, or code in some language. */
export function hasLayout(rich: RichText): boolean {
  return rich.some(
    ({ look }) => Object.keys(look).length > Object.keys(withoutLayout(look)).length,
  );
}

/** The bare characters. */
export function charactersOf(rich: RichText): string {
  return rich.map(({ text }) => text).join('');
}

/** As it reads where nothing but text can be shown: a link is followed by where it leads. */
export function plainText(rich: RichText): string {
  return rich
    .map(({ text, look: { link } }, i) => {
      const isEnd = link !== undefined && rich[i + 1]?.look.link !== link;
      return isEnd && !sameAddress(linkTextAt(rich, i), link) ? `${text} (${link})` : text;
    })
    .join('');
}

/** All the text of the link that ends with this run. */
function linkTextAt(rich: RichText, end: number): string {
  let start = end;
  while (start > 0 && rich[start - 1]?.look.link === rich[end]?.look.link) start--;
  return charactersOf(rich.slice(start, end + 1));
}

function sameAddress(text: string, link: string): boolean {
  return withoutScheme(text) === withoutScheme(link);
}

function withoutScheme(address: string): string {
  return address.replace(/^(mailto:|https?:\/\/)/, '').replace(/\/$/, '');
}

/** What ends an address, or could mean something, in one markup or another. */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\s\u0000-\u0020\u007f-\u009f<>"`]/g;

/** An address as a link may have it: whatever it is written into, it is one word. */
export function cleanAddress(url: string): string {
  return url.trim().replaceAll(UNSAFE, encodeURIComponent);
}

/**
 * Links that do not fit, written out: their text, and once after it the address in brackets. Such a link could
 * not be written at all, or the address would be there again in each part that has some of the text. `fits`
 * is asked of all runs of a link together.
 */
export function withoutLongLinks(rich: RichText, fits: (link: RichText) => boolean): RichText {
  const runs: Run[] = [];
  for (let start = 0, end = 0; start < rich.length; start = end) {
    const link = rich[start]?.look.link;
    for (end = start + 1; end < rich.length && rich[end]?.look.link === link;) end++;
    const same = rich.slice(start, end);
    if (link === undefined || fits(same)) runs.push(...same);
    else {
      for (const { text, look } of same) {
        const { link: _, ...rest } = look;
        runs.push({ text, look: rest });
      }
      if (!sameAddress(charactersOf(same), link)) runs.push({ text: ` (${link})`, look: {} });
    }
  }
  return joined(runs);
}

/** Cuts out the part from one character to another, as a string's `slice` counts; for who does so often. */
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

/** Where the last number stands that is not above this one; they are in order. */
function lastUpTo(numbers: readonly number[], most: number): number {
  let low = 0;
  let high = numbers.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= most) low = middle;
    else high = middle;
  }
  return low;
}

/** Joins neighbours that look the same, and leaves out what is empty. */
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

export function isSameLook(a: Look, b: Look): boolean {
  const keys = Object.keys({ ...a, ...b }) as (keyof Look)[];
  return keys.every((key) => a[key] === b[key]);
}
