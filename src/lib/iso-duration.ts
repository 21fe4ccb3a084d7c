/**
 * How many seconds a time takes that is written as Activity Streams has it: `PT1M5S`. Days and what is longer are left
 * out. Undefined when it is no such time. https://www.w3.org/TR/activitystreams-vocabulary/#dfn-duration
 */
export function secondsIn(written: unknown): number | undefined {
  if (typeof written !== 'string' || !/^PT[\dHMS.]{2,20}$/.test(written)) return undefined;
  const [, hours, minutes, seconds] = PARTS.exec(written) ?? [];
  if (hours === undefined || minutes === undefined || seconds === undefined) return undefined;
  const total = partOf(hours) * 3600 + partOf(minutes) * 60 + partOf(seconds);
  return Number.isFinite(total) ? total : undefined;
}

/** In this order, each at most once, with its letter. */
const PARTS = /^PT([\d]{0,4}H|)([\d]{0,4}M|)([\d.]{0,8}S|)$/;

/** A letter without a number is none. */
function partOf(part: string): number {
  if (part === '') return 0;
  return part.length === 1 ? Number.NaN : Number(part.slice(0, -1));
}
