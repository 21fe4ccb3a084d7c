/** Milliseconds since 1970, UTC: how every moment is kept. */
export type Millis = number;

/** A moment as the interface writes it: UTC, whole seconds, no zone suffix. */
export function timestamp(at: Millis): string {
  return new Date(at).toISOString().slice(0, 19);
}

const WRITTEN = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Reads what `timestamp` writes, and any other ISO 8601 form; without a zone it is UTC. */
export function parseTimestamp(text: string): Millis | undefined {
  const written = WRITTEN.exec(text);
  if (!written) return undefined;
  const at = Date.parse(written[1] && !written[4] ? `${text}Z` : text);
  return Number.isNaN(at) ? undefined : at;
}
