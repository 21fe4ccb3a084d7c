import assert from 'node:assert/strict';
import { it } from 'node:test';

import { TestClock } from '../support/clock.ts';
import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { clientOf } from '../support/service/delivery.ts';
import { startTestService } from '../support/service/service.ts';

/** The clock of these tests starts at 2026-11-15T00:00:00Z, which is 01:00 in Berlin. */
async function open() {
  const clock = new TestClock();
  const service = await startTestService('sqlite', { clock });
  const { application } = await service.application();
  const app = await clientOf(service, 'application', application.id, clock);
  await integrate(app, application.id, {
    name: 'twilio',
    username: 'ACfake0000000000000000000000000000',
    secret: 'fake',
    address: '+15005550006',
  });
  return { service, app };
}

const GERMAN = '+4915112345678';
const AMERICAN = '+12125550100';
const to = (id: string, change: Record<string, unknown> = {}) =>
  message({ to: { type: 'Person', id }, ...change });

async function dryRun(app: Client, body: Record<string, unknown>) {
  const { status, body: preview } = await app.post('/1/message?dry_run=true', body);
  assert.equal(status, 200, JSON.stringify(preview));
  return preview;
}

/** What is asked for, when it leaves, and where its zone comes from. */
const TIMES: readonly (readonly [unknown, string | null, string | null])[] = [
  ['2026-12-01T09:00:00Z', '2026-12-01T09:00:00', null],
  ['2026-12-01T09:00:00+01:00', '2026-12-01T08:00:00', null],
  ['2026-12-01T09:00:00', '2026-12-01T09:00:00', null],
  ['2026-12-01T09:00:00.500Z', '2026-12-01T09:00:00', null],
  ['2026-11-14T09:00:00Z', null, null],
  ['2026-11-15T00:00:00Z', null, null],
  ['2027-11-15T00:00:00Z', '2027-11-15T00:00:00', null],
  [{ local: '2026-12-01T09:00', zone: 'Europe/Berlin' }, '2026-12-01T08:00:00', 'request'],
  [{ local: '2026-12-01T09:00', zone: 'recipient' }, '2026-12-01T08:00:00', 'phone'],
  [{ local: '09:00', zone: 'recipient' }, '2026-11-15T08:00:00', 'phone'],
  [{ local: '01:00', zone: 'recipient' }, null, 'phone'],
  [{ local: '00:59', zone: 'recipient' }, '2026-11-15T23:59:00', 'phone'],
  [{ local: '09:00', zone: 'America/New_York' }, '2026-11-15T14:00:00', 'request'],
  [{ local: '2027-03-28T02:30', zone: 'Europe/Berlin' }, '2027-03-28T01:00:00', 'request'],
  [{ local: '2027-10-31T02:30', zone: 'Europe/Berlin' }, '2027-10-31T00:30:00', 'request'],
];

/** What is refused, and where. */
const REFUSED: readonly (readonly [unknown, string])[] = [
  ['tomorrow', '/send_at'],
  ['2026-12-01', '/send_at'],
  ['2026-02-30T09:00:00Z', '/send_at'],
  ['2027-11-17T00:00:00Z', '/send_at'],
  [{ local: '25:00', zone: 'UTC' }, '/send_at/local'],
  [{ local: '2027-02-30T09:00', zone: 'UTC' }, '/send_at/local'],
  [{ local: '2026-12-01T09:00:00Z', zone: 'UTC' }, '/send_at/local'],
  [{ local: '09:00', zone: 'Europe/Nowhere' }, '/send_at/zone'],
  [{ local: '09:00', zone: '+01:00' }, '/send_at/zone'],
];

it('a dry run says when a message would leave', async () => {
  const { service, app } = await open();
  await using _ = service;
  for (const [sendAt, leaves, source] of TIMES) {
    const preview = await dryRun(app, { ...to(GERMAN), send_at: sendAt });
    const what = JSON.stringify(sendAt);
    assert.deepEqual([preview.send_at, preview.zone_source], [leaves, source], what);
    assert.equal(preview.error, null, what);
  }
});

it('an invalid time is refused', async () => {
  const { service, app } = await open();
  await using _ = service;
  for (const [sendAt, pointer] of REFUSED) {
    const { status, body } = await app.post('/1/message', { ...to(GERMAN), send_at: sendAt });
    const what = JSON.stringify(sendAt);
    assert.deepEqual([status, body.errors?.[0].pointer], [422, pointer], what);
    const preview = await dryRun(app, { ...to(GERMAN), send_at: sendAt });
    assert.equal(preview.error.errors[0].pointer, pointer, what);
  }
  for (const sendAt of [
    null,
    5,
    {},
    { local: '09:00' },
    ['09:00'],
    { lokal: '09:00', zone: 'UTC' },
  ]) {
    const { status } = await app.post('/1/message', { ...to(GERMAN), send_at: sendAt });
    assert.equal(status, 422, JSON.stringify(sendAt));
  }
  const { body } = await app.get('/1/messages');
  assert.deepEqual(body.data, []);
});

it('the zone of a recipient in a country with several zones is unknown', async () => {
  const { service, app } = await open();
  await using _ = service;
  const { status, body } = await app.post('/1/message', {
    ...to(AMERICAN),
    send_at: { local: '09:00', zone: 'recipient' },
  });
  assert.deepEqual([status, body.errors[0].pointer], [422, '/send_at/zone']);
});

it('startTime schedules a message, and must equal send_at', async () => {
  const { service, app } = await open();
  await using _ = service;
  const startTime = '2026-12-01T09:00:00Z';
  const { body } = await app.post('/1/message', to(GERMAN, { startTime }));
  assert.deepEqual([body.state, body.send_at], ['scheduled', '2026-12-01T09:00:00']);
  const same = { local: '2026-12-01T10:00', zone: 'recipient' };
  const { status } = await app.post('/1/message', { ...to(GERMAN, { startTime }), send_at: same });
  assert.equal(status, 202);
  const other = { ...to(GERMAN, { startTime }), send_at: '2026-12-01T09:00:01Z' };
  const refused = await app.post('/1/message', other);
  assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '/send_at']);
  for (const wrong of ['soon', '2026-12-01', '2028-01-01T00:00:00Z', 7]) {
    const invalid = await app.post('/1/message', to(GERMAN, { startTime: wrong }));
    assert.deepEqual([invalid.status, invalid.body.errors[0].pointer], [422, '/message/startTime']);
  }
});

it('a message that would expire before it leaves is refused', async () => {
  const { service, app } = await open();
  await using _ = service;
  const at = '2026-12-01T09:00:00Z';
  for (const endTime of ['2026-11-30T00:00:00Z', at]) {
    const { status, body } = await app.post('/1/message', {
      ...to(GERMAN, { endTime }),
      send_at: at,
    });
    assert.deepEqual([status, body.errors[0].pointer], [422, '/message/endTime']);
  }
  const day = await app.post('/1/message', to(GERMAN, { endTime: '2026-12-01' }));
  assert.deepEqual([day.status, day.body.errors[0].pointer], [422, '/message/endTime']);
  const later = to(GERMAN, { endTime: '2026-12-01T09:00:01Z' });
  assert.equal((await app.post('/1/message', { ...later, send_at: at })).status, 202);
});

it('a misplaced or misspelled time, route or category is refused', async () => {
  const { service, app } = await open();
  await using _ = service;
  const at = '2026-12-01T09:00:00Z';
  for (const name of ['startTime', 'start_time', 'starttime', 'endTime', 'end-time']) {
    const { status, body } = await app.post('/1/message', { ...to(GERMAN), [name]: at });
    assert.deepEqual([status, body.errors?.[0].pointer], [422, `/${name}`]);
  }
  const inside = { start_time: at, endtime: at, routes: [], category: 'marketing' };
  for (const [name, value] of Object.entries(inside)) {
    const { status, body } = await app.post('/1/message', to(GERMAN, { [name]: value }));
    assert.deepEqual([status, body.errors?.[0].pointer], [422, `/message/${name}`]);
  }
  // What belongs to the application is kept.
  const own = to(GERMAN, { category: 'orders', options: { a: 1 } });
  assert.equal((await app.post('/1/message', own)).status, 202);
});

it('a misspelled or misplaced send_at never sends now', async () => {
  const { service, app } = await open();
  await using _ = service;
  const at = '2026-12-01T09:00:00Z';
  for (const name of ['sendAt', 'Send_At', 'send-at', 'sent_at', 'sendat']) {
    const { status, body } = await app.post('/1/message', { ...to(GERMAN), [name]: at });
    assert.deepEqual([status, body.errors?.[0].pointer], [422, `/${name}`]);
  }
  for (const name of ['sendAt', 'send_at']) {
    const { message: activity } = to(GERMAN, { [name]: at });
    const { status, body } = await app.post('/1/message', { message: activity });
    assert.deepEqual([status, body.errors?.[0].pointer], [422, `/message/${name}`]);
    const batch = await app.post('/1/messages', { messages: [activity] });
    assert.deepEqual([batch.status, batch.body.errors?.[0].pointer], [422, `/messages/0/${name}`]);
  }
});
