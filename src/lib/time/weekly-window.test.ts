import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type WeeklyWindow, firstOutside } from './weekly-window.ts';

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const NIGHT: WeeklyWindow = { days: EVERY_DAY, from: 21 * 60, until: 8 * 60 };
const SUNDAY: WeeklyWindow = { days: [0], from: 0, until: 0 };

/** 2026-11-15 is a Sunday. The windows, the time, and the first time outside, in Berlin. */
const CASES: readonly (readonly [WeeklyWindow[], string, string])[] = [
  [[], '2026-11-16T23:00:00Z', '2026-11-16T23:00:00Z'],
  [[NIGHT], '2026-11-16T12:00:00Z', '2026-11-16T12:00:00Z'],
  [[NIGHT], '2026-11-16T19:59:59Z', '2026-11-16T19:59:59Z'],
  [[NIGHT], '2026-11-16T20:00:00Z', '2026-11-17T07:00:00Z'],
  [[NIGHT], '2026-11-17T06:59:59Z', '2026-11-17T07:00:00Z'],
  [[NIGHT], '2026-11-17T07:00:00Z', '2026-11-17T07:00:00Z'],
  [[SUNDAY], '2026-11-15T10:00:00Z', '2026-11-15T23:00:00Z'],
  [[SUNDAY], '2026-11-16T10:00:00Z', '2026-11-16T10:00:00Z'],
  // Saturday night, then Sunday, then Sunday night.
  [[NIGHT, SUNDAY], '2026-11-14T22:00:00Z', '2026-11-16T07:00:00Z'],
  // The night in which clocks are set forward, and the one in which they are set back.
  [[NIGHT], '2027-03-27T23:00:00Z', '2027-03-28T06:00:00Z'],
  [[NIGHT], '2026-10-24T23:00:00Z', '2026-10-25T07:00:00Z'],
];

describe('weekly windows', () => {
  for (const [windows, at, outside] of CASES) {
    it(`${windows.length} windows at ${at} end at ${outside}`, () => {
      const found = firstOutside(windows, Date.parse(at), 'Europe/Berlin');
      assert.equal(new Date(found ?? 0).toISOString(), outside.replace('Z', '.000Z'));
    });
  }

  it('windows that leave no time have no end', () => {
    const always = { days: EVERY_DAY, from: 0, until: 0 };
    assert.equal(firstOutside([always], Date.parse('2026-11-15T10:00:00Z'), 'UTC'), undefined);
  });
});
