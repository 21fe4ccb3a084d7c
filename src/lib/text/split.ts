import { graphemesOf } from './graphemes.ts';

export interface PartLimit {
  max: number;
  /** The length of a text. It must be monotonic: no prefix is longer than the text. */
  measure(text: string): number;
  /** Whether each line becomes its own part. */
  byLine?: boolean;
}

/**
 * Splits a text into parts within the limit. Prefers the end of a paragraph, then of a line, a sentence, a word, and
 * finally of a grapheme. Drops only white space, at the cuts and at both ends of a text that is too long; one that is
 * all white space yields no parts. Takes linear time.
 */
export function split(text: string, { max, measure, byLine = false }: PartLimit): string[] {
  const fits: Fits = (start, end) => measure(text.slice(start, end)) <= max;
  return splitRanges(text, fits, byLine).map(([start, end]) => text.slice(start, end));
}

/** Whether the range fits. It must be monotonic: if a range does not fit, neither does a longer one from the same start. */
export type Fits = (start: number, end: number) => boolean;

/** The start and end of each part, for texts whose length is not that of their characters. */
export function splitRanges(text: string, fits: Fits, byLine = false): [number, number][] {
  if (!byLine) return text === '' ? [] : splitRange(text, 0, text.length, fits);
  const ranges: [number, number][] = [];
  let start = 0;
  for (const line of text.split(LINE_END)) {
    if (line.trim() !== '') ranges.push(...splitRange(text, start, start + line.length, fits));
    start += line.length;
    start += LINE_END.exec(text.slice(start, start + 2))?.[0].length ?? 0;
  }
  return ranges;
}

/** The longest prefix of whole graphemes that fits. */
export function cut(text: string, { max, measure }: PartLimit): string {
  return text.slice(
    0,
    wholeEnd(
      text,
      0,
      fittingEnd(text, 0, (start, end) => measure(text.slice(start, end)) <= max),
    ),
  );
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/;
const SPACE = /\s/;
/** No-break spaces, which keep the words on both sides together. */
const NO_BREAK = /[\u00a0\u2007\u202f\ufeff]/;
const SENTENCE_END = /[.!?…؟۔।]/;
/** These end a sentence without a following space. */
const FULL_WIDTH_END = /[。！？｡]/;
const CLOSING = /["'’”»)\]]/;

function splitRange(text: string, from: number, to: number, fits: Fits): [number, number][] {
  // Avoid measuring the whole text if it is far too long.
  const first = fittingEnd(text.slice(0, to), from, fits);
  if (first === to) return [[from, to]];
  const ranges: [number, number][] = [];
  const trimmed = text.slice(0, to).trimEnd();
  let length = first - from;
  for (let start = skipSpace(trimmed, from); start < trimmed.length;) {
    // Parts have similar lengths, so search from the length of the previous one.
    const fitting = fittingEnd(trimmed, start, fits, length, STEP);
    length = fitting - start;
    const end = wholeEnd(trimmed, start, fitting);
    const breakAt = end < trimmed.length ? bestBreak(trimmed, start, end) : end;
    const part = trimmed.slice(start, breakAt).trimEnd();
    // If the limit separates a space from its combining accent, trimming leaves nothing.
    if (part !== '') ranges.push([start, start + part.length]);
    start = skipSpace(trimmed, breakAt);
  }
  return ranges;
}

/** The last grapheme boundary after `start` and at or before `end`. */
function wholeEnd(text: string, start: number, end: number): number {
  if (end === text.length) return end;
  // Whether a boundary is here depends on the text before it and on one code point after it.
  const near = graphemesOf(text.slice(start, end + 2));
  const whole = start + (near.containing(end - start)?.index ?? 0);
  if (whole > start) return whole;
  const splitsPair = end > start && text.codePointAt(end - 1) !== text.charCodeAt(end - 1);
  const point = splitsPair ? end - 1 : end;
  if (point > start) return point;
  throw new RangeError('a single character does not fit');
}

const FIRST_GUESS = 512;
const STEP = 2;

/** The end of the longest slice from `start` that fits. Starts at a guess, doubles the step, then bisects. */
function fittingEnd(
  text: string,
  start: number,
  fits: Fits,
  guess = FIRST_GUESS,
  firstStep = FIRST_GUESS,
): number {
  let low = start;
  let high = Math.min(start + Math.max(guess, 1), text.length);
  let step = firstStep;
  if (fits(start, high)) {
    do {
      if (high === text.length) return high;
      low = high;
      high = Math.min(high + step, text.length);
      step *= 2;
    } while (fits(start, high));
  } else {
    for (let down = high - step; down > start; down -= step) {
      if (fits(start, down)) {
        low = down;
        break;
      }
      high = down;
      step *= 2;
    }
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(start, middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The best place to cut after `start`, up to `end`; `end` itself if there is no better one. */
function bestBreak(text: string, start: number, end: number): number {
  let line: number | undefined;
  let sentence: number | undefined;
  let word: number | undefined;
  for (let at = end; at > start; at--) {
    if (isSpace(text, at)) {
      const first = firstOfSpace(text, at, start);
      const space = text.slice(first, endOfSpace(text, at));
      const lines = space === ' ' ? 0 : space.split(LINE_END).length - 1;
      if (lines > 1) return first;
      if (lines === 1) line ??= first;
      else if (!NO_BREAK.test(space)) {
        if (endsSentence(text, start, first)) sentence ??= first;
        else word ??= first;
      }
      at = first;
    } else if (sentence === undefined && endsFullWidth(text, at)) sentence = at;
  }
  return line ?? sentence ?? word ?? end;
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  // Fast path: this runs for every character, and most are not white space.
  return code <= 0x20 || code >= 0xa0 ? SPACE.test(text.charAt(at)) : false;
}

function firstOfSpace(text: string, at: number, start: number): number {
  let first = at;
  while (first > start && isSpace(text, first - 1)) first--;
  return first;
}

function endOfSpace(text: string, at: number): number {
  let end = at;
  while (isSpace(text, end)) end++;
  return end;
}

/** Skips white space, except a space that carries a combining accent. */
function skipSpace(text: string, at: number): number {
  const end = endOfSpace(text, at);
  return end > at && end < text.length && !isBoundary(text, end) ? end - 1 : end;
}

function endsSentence(text: string, start: number, end: number): boolean {
  let at = end - 1;
  while (at > start && CLOSING.test(text.charAt(at))) at--;
  return SENTENCE_END.test(text.charAt(at)) || FULL_WIDTH_END.test(text.charAt(at));
}

function endsFullWidth(text: string, end: number): boolean {
  return FULL_WIDTH_END.test(text.charAt(end - 1)) && isBoundary(text, end);
}

/** Whether a grapheme boundary is here, judging by both neighbors only. */
function isBoundary(text: string, at: number): boolean {
  return graphemesOf(text.slice(at - 1, at + 2)).containing(1)?.index === 1;
}
