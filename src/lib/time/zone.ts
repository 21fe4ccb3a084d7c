/*
 * Local times in the zones of the IANA database, by Intl: Temporal would do this, but Node.js 24 does not have it.
 */

/** A local date and time, to the minute. */
export interface LocalTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
}

const MINUTE_MS = 60_000;
/** Longer than the difference between local time and UTC anywhere. */
const DAY_MS = 24 * 60 * MINUTE_MS;

/** More than there are zones. Callers write their names in any letter case, so there can be more keys. */
const MAX_CACHED = 1_000;
const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/** An IANA zone name, such as `Europe/Berlin`. Offsets such as `+01:00` are refused: they ignore daylight saving. */
const ZONE_NAME = /^[A-Za-z][\w+/-]{0,63}$/;

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!ZONE_NAME.test(zone)) return undefined;
  if (formats.has(zone)) return formats.get(zone);
  if (formats.size >= MAX_CACHED) formats.clear();
  const format = newFormat(zone);
  formats.set(zone, format);
  return format;
}

function newFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      fractionalSecondDigits: 3,
    });
  } catch {
    return undefined;
  }
}

export function isZone(zone: string): boolean {
  return formatOf(zone) !== undefined;
}

/** The difference between local time and UTC, by Intl, which takes some microseconds. */
function exactOffset(at: number, zone: string): number {
  const parts = new Map<string, number>();
  for (const { type, value } of formatOf(zone)?.formatToParts(at) ?? []) {
    parts.set(type, Number(value));
  }
  const part = (name: string) => parts.get(name) ?? 0;
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
    part('fractionalSecond'),
  );
  return local - at;
}

/** The offset at the beginning of each day, by zone and day. */
const MAX_CACHED_OFFSETS = 20_000;
const offsets = new Map<string, number>();

function offsetOfDay(day: number, zone: string): number {
  const key = `${zone} ${day}`;
  const cached = offsets.get(key);
  if (cached !== undefined) return cached;
  if (offsets.size >= MAX_CACHED_OFFSETS) offsets.clear();
  const offset = exactOffset(day * DAY_MS, zone);
  offsets.set(key, offset);
  return offset;
}

/** The same offset at the start and at the end of a day holds throughout: no zone changes its clocks twice a day. */
function offsetAt(at: number, zone: string): number {
  const day = Math.floor(at / DAY_MS);
  const offset = offsetOfDay(day, zone);
  return offset === offsetOfDay(day + 1, zone) ? offset : exactOffset(at, zone);
}

/** The local time in the zone, as if it were UTC, in milliseconds. */
const localMillis = (at: number, zone: string): number => at + offsetAt(at, zone);

export function localTime(at: number, zone: string): LocalTime & { weekday: number } {
  const local = new Date(localMillis(at, zone));
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    weekday: local.getUTCDay(),
  };
}

/**
 * The instant of a local time. A time that exists twice, when clocks go back, is the first of the two. A time that does
 * not exist, when clocks go forward, is the first instant after the gap. A day beyond the end of the month is in the
 * next month.
 */
export function instantOf({ year, month, day, hour, minute }: LocalTime, zone: string): number {
  const local = Date.UTC(year, month - 1, day, hour, minute);
  const before = offsetAt(local - DAY_MS, zone);
  const after = offsetAt(local + DAY_MS, zone);
  const candidates = [local - before, local - after].toSorted((a, b) => a - b);
  const found = candidates.find((at) => localMillis(at, zone) === local);
  return found ?? endOfGap(local - Math.max(before, after), local - Math.min(before, after), zone);
}

/** The first instant with the offset that applies at `high`; at `low`, another offset applies. */
function endOfGap(low: number, high: number, zone: string): number {
  const offset = offsetAt(high, zone);
  let [from, to] = [low, high];
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if (offsetAt(middle, zone) === offset) to = middle;
    else from = middle;
  }
  return to;
}
