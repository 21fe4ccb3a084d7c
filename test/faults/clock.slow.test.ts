import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { textMember } from '../../src/lib/json/json-member.ts';
import type { Store } from '../../src/store/store.ts';
import { type Reply, type Request, openHttp } from '../emulators/server/http.ts';
import { integrate, message } from '../support/service/activity.ts';
import { type DeliveryService, openDelivery } from '../support/service/delivery.ts';
import { SetClock } from '../support/set-clock.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const ACCEPTED = { status: 200, body: { ok: true, channel: 'C000000001', ts: '1.1' } };
/** A conversation in which Slack always fails, and a member of a pool that it always limits. */
const BROKEN = 'C000000007';
const LIMITED_MEMBER = 'xoxb-fake-limited';
const LIMITED = { status: 429, headers: { 'retry-after': '2' }, body: { ok: false } };

function answer({ json, headers }: Request): Reply {
  if (headers['authorization'] === `Bearer ${LIMITED_MEMBER}`) return LIMITED;
  if (textMember(json, 'channel') === BROKEN) return { status: 500, body: 'never' };
  return ACCEPTED;
}

/** Sends a message to a pool whose first member is limited; returns its id. */
async function sendToPool({ app, applicationId }: DeliveryService): Promise<number> {
  const members = [];
  for (const token of [LIMITED_MEMBER, 'xoxb-fake-member']) {
    const { id } = await integrate(app, applicationId, { name: 'slack', token });
    members.push({ integration_id: id });
  }
  const pool = { name: 'pair', failover_after: 'PT5S', members };
  assert.equal((await app.post('/1/pools', pool)).status, 201);
  const generator = { type: 'Service', id: 'pool:pair' };
  const object = { type: 'Note', content: 'pooled' };
  const to = { type: 'Person', id: 'C000000009' };
  const { status, body } = await app.post('/1/message', message({ to, object, generator }));
  assert.equal(status, 202, JSON.stringify(body));
  return body.id;
}

/** Waits until the node has polled for due messages, which also checks the clock. */
async function looksAround({ ownerships }: Store): Promise<void> {
  let times = 0;
  const due = ownerships.due.bind(ownerships);
  ownerships.due = (...given) => {
    times++;
    return due(...given);
  };
  await until('the node polls for due messages', () => times > 1);
  ownerships.due = due;
}

for (const engine of ENGINES) {
  for (const [words, by] of [
    ['an hour forward', HOUR_MS],
    ['a day forward', DAY_MS],
    ['an hour back', -HOUR_MS],
    ['a day back', -DAY_MS],
  ] as const) {
    describe(`setting the clock ${words} (${engine})`, () => {
      it('delays, loses and repeats no message', async () => {
        // Tokens must be issued before the time that the clock is set back to, because tokens from the future are refused.
        const clock = new SetClock(-2 * DAY_MS);
        await using sb = await openDelivery(engine, {
          channel: 'slack',
          clock,
          credentials: { token: 'xoxb-fake-token' },
          open: () => openHttp(answer),
        });
        clock.set(2 * DAY_MS);
        await looksAround(sb.service.store);
        const spaced = await sb.send('spaced', 'C000000001');
        await sb.settled(spaced);
        sb.peer.next({ status: 500, body: 'not now' });
        const failed = await sb.send('failed once', 'C000000002');
        // On a busy machine, what these wait for may be over when it is looked at.
        await sb.message(failed, ({ attempts }) => attempts >= 1);
        sb.peer.next(LIMITED);
        const limited = await sb.send('limited once', 'C000000003');
        await sb.message(
          limited,
          ({ state, waiting }) => waiting?.reason === 'rate_limit' || state === 'sent',
        );

        const later = new Date(clock.now() + HOUR_MS / 2).toISOString();
        const scheduled = await sb.send('scheduled', 'C000000005', { startTime: later });
        const pooled = await sendToPool(sb);
        const generator = { type: 'Service', id: String(sb.integrationId) };
        const routes = [{ after: 'PT5S' }, { via: sb.integrationId, to: 'C000000008' }];
        const object = { type: 'Note', content: 'routed' };
        const to = { type: 'Person', id: BROKEN };
        const given = { ...message({ to, object, generator }), routes };
        const { body: routed } = await sb.app.post('/1/message', given);
        await sb.message(routed.id, ({ attempts }) => attempts >= 1);

        clock.set(by);
        const next = await sb.send('next in a lane that pauses', 'C000000001', { generator });
        const fresh = await sb.send('fresh', 'C000000004', { generator });
        for (const id of [spaced, failed, limited, next, fresh]) {
          assert.equal((await sb.settled(id)).state, 'sent');
        }
        // Its time is on the clock: it has come, or is further away.
        if (by > 0) await sb.message(scheduled, ({ state }) => state === 'sent');
        else assert.equal((await sb.show(scheduled)).state, 'scheduled');
        const soon = new Date(clock.now() + 1_000).toISOString();
        const exact = await sb.send('exact', 'C000000006', { startTime: soon, generator });
        await sb.message(exact, ({ state }) => state === 'sent');
        assert.ok(clock.now() >= Date.parse(soon), 'not before its time');
        // Waits are relative: the next route, and the next member, start no later than they would have.
        await sb.message(routed.id, ({ state, to: at }) => state === 'sent' && at === 'C000000008');
        await sb.message(pooled, ({ state }) => state === 'sent');
        const { body } = await sb.app.get('/1/events?limit=1000');
        const moments = body.data.map(({ timestamp }: { timestamp: string }) =>
          Date.parse(timestamp),
        );
        assert.ok(moments.length >= 5);
        assert.deepEqual(
          moments,
          moments.toSorted((a: number, b: number) => a - b),
        );
        const taken = sb.peer.seen.filter((request) => {
          const isMember = request.headers['authorization'] === `Bearer ${LIMITED_MEMBER}`;
          return !isMember && textMember(request.json, 'channel') !== BROKEN;
        });
        const texts = taken.map(({ json }) => textMember(json, 'text') ?? '');
        assert.deepEqual(texts.toSorted(), [
          'exact',
          'failed once',
          'failed once',
          'fresh',
          'limited once',
          'limited once',
          'next in a lane that pauses',
          'pooled',
          'routed',
          ...(by > 0 ? ['scheduled'] : []),
          'spaced',
        ]);
      });
    });
  }
}
