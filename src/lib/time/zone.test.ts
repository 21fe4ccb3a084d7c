import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { instantOf, isZone, localTime } from './zone.ts';

const at = (text: string) => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = text.split(/\D/).map(Number);
  return { year, month, day, hour, minute };
};
const iso = (instant: number) => new Date(instant).toISOString().replace('.000Z', 'Z');

/** Local time, zone, and its instant. */
const CASES: readonly (readonly [string, string, string])[] = [
  ['2026-12-01T09:00', 'Europe/Berlin', '2026-12-01T08:00:00Z'],
  ['2026-07-01T09:00', 'Europe/Berlin', '2026-07-01T07:00:00Z'],
  ['2026-12-01T09:00', 'UTC', '2026-12-01T09:00:00Z'],
  ['2026-12-01T09:00', 'Asia/Kathmandu', '2026-12-01T03:15:00Z'],
  ['2026-12-01T00:30', 'Pacific/Kiritimati', '2026-11-30T10:30:00Z'],
  ['2026-12-01T23:30', 'Pacific/Pago_Pago', '2026-12-02T10:30:00Z'],
  // Gaps: the first instant after.
  ['2027-03-28T02:30', 'Europe/Berlin', '2027-03-28T01:00:00Z'],
  ['2027-03-28T02:00', 'Europe/Berlin', '2027-03-28T01:00:00Z'],
  ['2027-03-28T03:00', 'Europe/Berlin', '2027-03-28T01:00:00Z'],
  ['2027-03-14T02:59', 'America/New_York', '2027-03-14T07:00:00Z'],
  // Half an hour only.
  ['2027-10-03T02:15', 'Australia/Lord_Howe', '2027-10-02T15:30:00Z'],
  // Midnight does not exist.
  ['2027-04-30T00:30', 'Africa/Cairo', '2027-04-29T22:00:00Z'],
  // A whole day does not exist.
  ['2011-12-30T09:00', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
  // Overlaps: the first of both.
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00Z'],
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00Z'],
  ['2027-04-04T01:45', 'Australia/Lord_Howe', '2027-04-03T14:45:00Z'],
  ['2026-10-25T03:00', 'Europe/Berlin', '2026-10-25T02:00:00Z'],
];

describe('zones', () => {
  for (const [local, zone, instant] of CASES) {
    it(`${local} in ${zone} is ${instant}`, () => {
      assert.equal(iso(instantOf(at(local), zone)), instant);
    });
  }

  it('every hour of a year round-trips, except where a clock is set', () => {
    const start = Date.UTC(2026, 0, 1);
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']) {
      let differing = 0;
      for (let hour = 0; hour < 365 * 24; hour++) {
        const instant = start + hour * 3_600_000;
        if (instantOf(localTime(instant, zone), zone) !== instant) differing++;
      }
      assert.ok(differing <= 1, `${zone}: ${differing}`);
    }
  });

  it('names of the IANA database are zones, in any letter case', () => {
    for (const zone of [
      'Europe/Berlin',
      'europe/berlin',
      'UTC',
      'Etc/GMT+5',
      'America/Port-au-Prince',
    ])
      assert.equal(isZone(zone), true, zone);
    for (const zone of [
      '',
      'Europe/Nowhere',
      '+01:00',
      'recipient',
      'x'.repeat(1000),
      'Europe/Berlin ',
    ])
      assert.equal(isZone(zone), false, zone);
  });

  it('knows the day of the week', () => {
    assert.equal(localTime(Date.UTC(2026, 10, 15, 23, 30), 'Europe/Berlin').weekday, 1);
    assert.equal(localTime(Date.UTC(2026, 10, 15, 12), 'Europe/Berlin').weekday, 0);
  });
});

it('the local times of a day take few calls of Intl, which are slow', (context) => {
  const { mock } = context.mock.method(Intl.DateTimeFormat.prototype, 'formatToParts');
  const midnight = Date.parse('2026-11-15T00:00:00Z');
  for (let minute = 0; minute < 24 * 60; minute++) {
    localTime(midnight + minute * 60_000, 'Europe/Berlin');
  }
  assert.ok(mock.callCount() <= 2, `${mock.callCount()}`);
});
