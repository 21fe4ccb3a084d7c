import { instantOf, localTime } from './zone.ts';

/** A time of the day in minutes since midnight, from one to another, on some days of the week. */
export interface WeeklyWindow {
  /** The days on which it begins; Sunday is 0. */
  days: readonly number[];
  from: number;
  /** On the next day if it is not after `from`. */
  until: number;
}

const MINUTES_PER_HOUR = 60;
/** More windows in a row than two weeks can have. */
const MAX_STEPS = 64;

/** The end of the window at this time; undefined if there is none. */
export function windowEnd(window: WeeklyWindow, at: number, zone: string): number | undefined {
  const { weekday, ...local } = localTime(at, zone);
  // It began today, or yesterday and goes past midnight.
  for (const ago of [0, 1]) {
    if (!window.days.includes((weekday + 7 - ago) % 7)) continue;
    const day = local.day - ago;
    const start = instantOf({ ...local, day, ...timeOf(window.from) }, zone);
    const endDay = window.until > window.from ? day : day + 1;
    const end = instantOf({ ...local, day: endDay, ...timeOf(window.until) }, zone);
    if (start <= at && at < end) return end;
  }
  return undefined;
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
