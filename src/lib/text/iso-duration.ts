/**
 * Parses an Activity Streams duration such as `PT1M5S` into seconds. Undefined for anything else, including days and
 * longer units. https://www.w3.org/TR/activitystreams-vocabulary/#dfn-duration
 */
export function secondsIn(written: unknown): number | undefined {
  if (typeof written !== 'string' || !/^PT[\dHMS.]{2,20}$/.test(written)) return undefined;
  const [, hours, minutes, seconds] = PARTS.exec(written) ?? [];
  if (hours === undefined || minutes === undefined || seconds === undefined) return undefined;
  const total = partOf(hours) * 3600 + partOf(minutes) * 60 + partOf(seconds);
  return Number.isFinite(total) ? total : undefined;
}

const PARTS = /^PT([\d]{0,4}H|)([\d]{0,4}M|)([\d.]{0,8}S|)$/;

/** NaN for a unit without a number. */
function partOf(part: string): number {
  if (part === '') return 0;
  return part.length === 1 ? Number.NaN : Number(part.slice(0, -1));
}
