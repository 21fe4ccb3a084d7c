/** API timestamps are UTC without a zone; those of events have one. */
export function parseTime(text: string): number {
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}
