/** Milliseconds since 1970, UTC: how every moment is kept. */
export type Millis = number;

let lastSecond = Number.NaN;
let lastWritten = '';

/** A moment as the interface writes it: UTC, whole seconds, no zone suffix. */
export function timestamp(at: Millis): string {
  // Many in a row are of one second, the present one.
  const second = Math.floor(at / 1000);
  if (second !== lastSecond) {
    lastWritten = new Date(at).toISOString().slice(0, 19);
    lastSecond = second;
  }
  return lastWritten;
}

const WRITTEN = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Reads what `timestamp` writes, and any other ISO 8601 form; without a zone it is UTC. */
export function parseTimestamp(text: string): Millis | undefined {
  const written = WRITTEN.exec(text);
  if (!written) return undefined;
  const [, day = '', time, , , zone] = written;
  const at = Date.parse(time && !zone ? `${text}Z` : text);
  return Number.isNaN(at) || !isDay(day) ? undefined : at;
}

/** Date.parse takes 30 February for 1 March. */
function isDay(day: string): boolean {
  return new Date(day).toISOString().startsWith(day);
}
