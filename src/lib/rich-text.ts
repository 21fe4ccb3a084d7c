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
}

export interface Run {
  text: string;
  look: Look;
}

export type RichText = readonly Run[];

export function unstyled(text: string): RichText {
  return text === '' ? [] : [{ text, look: {} }];
}

export function isUnstyled(rich: RichText): boolean {
  return rich.every(({ look }) => Object.keys(look).length === 0);
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
