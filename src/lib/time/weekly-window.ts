import { instantOf, localTime } from './zone.ts';

/** A period of the day on some days of the week; `from` and `until` are minutes since midnight. */
export interface WeeklyWindow {
  /** The days on which it begins; Sunday is 0. */
  days: readonly number[];
  from: number;
  /** On the next day if it is not after `from`. */
  until: number;
}

const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;
/** Changes of a zone's clock, such as daylight saving time, are smaller. */
const MAX_CHANGE_MINUTES = 3 * MINUTES_PER_HOUR;
/** More windows in a row than two weeks can have. */
const MAX_STEPS = 64;

/** The end of the window at this time; undefined if there is none. */
export function windowEnd(window: WeeklyWindow, at: number, zone: string): number | undefined {
  const { weekday, ...local } = localTime(at, zone);
  // It began today, or yesterday and goes past midnight.
  for (const ago of [0, 1]) {
    if (!window.days.includes((weekday + 7 - ago) % 7)) continue;
    const minute = local.hour * MINUTES_PER_HOUR + local.minute + ago * MINUTES_PER_DAY;
    if (!isNear(window, minute)) continue;
    const day = local.day - ago;
    const start = instantOf({ ...local, day, ...timeOf(window.from) }, zone);
    const endDay = window.until > window.from ? day : day + 1;
    const end = instantOf({ ...local, day: endDay, ...timeOf(window.until) }, zone);
    if (start <= at && at < end) return end;
  }
  return undefined;
}

/**
 * Whether the minute may be in the window, counted from midnight of the day on which the window begins. A cheap filter:
 * instants take longer to compute.
 */
function isNear({ from, until }: WeeklyWindow, minute: number): boolean {
  const end = until > from ? until : until + MINUTES_PER_DAY;
  return minute >= from - MAX_CHANGE_MINUTES && minute < end + MAX_CHANGE_MINUTES;
}

const timeOf = (minutes: number) => ({
  hour: Math.floor(minutes / MINUTES_PER_HOUR),
  minute: minutes % MINUTES_PER_HOUR,
});

/** The first time from this one on that is in no window; undefined if the windows leave no time. */
export function firstOutside(
  windows: readonly WeeklyWindow[],
  at: number,
  zone: string,
): number | undefined {
  let time = at;
  for (let step = 0; step < MAX_STEPS; step++) {
    const ends = windows.flatMap((window) => windowEnd(window, time, zone) ?? []);
    if (ends.length === 0) return time;
    time = Math.max(...ends);
  }
  return undefined;
}
