/** Milliseconds since 1970, UTC. All times are stored like this. */
export type Millis = number;

let lastSecond = Number.NaN;
let lastWritten = '';

/** A time in the API's format: UTC, whole seconds, no zone suffix. */
export function timestamp(at: Millis): string {
  // Cache the last second: many calls in a row are about the current one.
  const second = Math.floor(at / 1000);
  if (second !== lastSecond) {
    lastWritten = new Date(at).toISOString().slice(0, 19);
    lastSecond = second;
  }
  return lastWritten;
}

const ISO_8601 = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Parses ISO 8601, including the output of `timestamp`; UTC if it has no zone. */
export function parseTimestamp(text: string): Millis | undefined {
  const match = ISO_8601.exec(text);
  if (!match) return undefined;
  const [, day = '', time, , , zone] = match;
  const at = Date.parse(time && !zone ? `${text}Z` : text);
  return Number.isNaN(at) || !isDay(day) ? undefined : at;
}

/** The same, but a date alone is undefined: its hour would be a guess. */
export function parseDateTime(text: string): Millis | undefined {
  return text.includes('T') ? parseTimestamp(text) : undefined;
}

/** Date.parse accepts 30 February as a day in March. */
function isDay(day: string): boolean {
  return new Date(day).toISOString().startsWith(day);
}
