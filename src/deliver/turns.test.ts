import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';

import { TestClock } from '../../test/support/clock.ts';
import { createLog } from '../lib/log.ts';
import type { Store } from '../store/store.ts';
import type { Settlement, Standing, Taken, Turn, TurnResult } from '../store/turn.ts';
import { Runner } from './runner.ts';
import { Turns } from './turns.ts';

const OWNED = { integrationId: 5, applicationId: 3, teamId: 1, fence: 1 };

const standing: Standing = {
  integrationId: 5,
  owned: true,
  open: true,
  found: 0,
  nextDueAt: null,
  pausedUntil: null,
  name: 'webhook',
  credentials: null,
  uncertain: 'resend',
  unhealthy: false,
};

const settlement: Settlement = {
  ...OWNED,
  messageId: 7,
  start: 1,
  recipient: 'ada',
  state: 'sent',
  failed: false,
  partsSent: 1,
  channelIds: null,
  reason: null,
  detail: null,
  dueAt: 0,
  waits: null,
  attempt: null,
  event: null,
  trace: null,
  reportedAs: null,
  health: null,
  wasUnhealthy: false,
};

/** A store whose turns end when they are told to, in any order. */
async function turnsOf(clock: TestClock) {
  const made: { turn: Turn; end(result?: Partial<TurnResult>): void }[] = [];
  const started: Taken[] = [];
  const store = {
    engine: { turnsAtOnce: 2 },
    deliveries: {
      turn(turn: Turn): Promise<TurnResult> {
        const { promise, resolve } = Promise.withResolvers<TurnResult>();
        const standings = turn.wants.map(() => standing);
        made.push({
          turn,
          end: (result) =>
            resolve({ refused: [], recovering: [], taken: [], standings, ...result }),
        });
        return promise;
      },
    },
  } as unknown as Store;
  const turns = new Turns({
    store,
    clock,
    log: await createLog({ level: 'fatal', pretty: false }),
    node: 'a',
    atOnce: 100,
    mayStart: () => true,
    start: (message) => void started.push(message),
    acknowledge() {},
    learn() {},
    recover() {},
    lose() {},
    giveBackUnknown: async () => {},
    ended() {},
  });
  return { made, started, turns };
}

/** A turn is made at the end of the event loop's own. */
async function soon(): Promise<void> {
  await immediate();
  await immediate();
}

it('asks again for what a turn has freed that another one asked for too early', async () => {
  const clock = new TestClock();
  const { made, turns } = await turnsOf(clock);
  const runner = new Runner(OWNED, clock);
  runner.isRecovered = true;
  turns.add(runner);
  turns.wake(5);
  await soon();
  // While it is asked for, something ends: that is recorded by a turn beside it.
  turns.settle(settlement);
  runner.woken = true;
  await soon();
  assert.deepEqual(
    made.map(({ turn }) => [turn.settlements.length, turn.wants.length]),
    [
      [0, 1],
      [1, 0],
    ],
  );
  made[0]?.end();
  await soon();
  assert.equal(made[2]?.turn.wants.length, 1, 'it is asked for before that is on record');
  made[2]?.end();
  await soon();
  assert.equal(made.length, 3);
  made[1]?.end();
  await soon();
  assert.equal(made[3]?.turn.wants.length, 1, 'and again when it is');
});

/** An integration with so many messages under way. */
async function sending(underWay: number) {
  const clock = new TestClock();
  const { made, started, turns } = await turnsOf(clock);
  const runner = new Runner(OWNED, clock);
  runner.isRecovered = true;
  for (let i = 0; i < underWay; i++) runner.started();
  turns.add(runner);
  let messageId = 0;
  const end = async (count = 1) => {
    for (let i = 0; i < count; i++) turns.settle({ ...settlement, messageId: ++messageId }, runner);
    await soon();
    return made.map(({ turn }) => turn.settlements.length);
  };
  return { clock, turns, made, started, end };
}

it('records together what ends shortly after each other', async () => {
  const { clock, end } = await sending(10);
  assert.deepEqual(await end(), []);
  assert.deepEqual(await end(), []);
  clock.advance(4);
  assert.deepEqual(await end(0), [2]);
});

it('waits no longer when enough has ended, or few are still under way', async () => {
  const many = await sending(30);
  assert.deepEqual(await many.end(15), []);
  assert.deepEqual(await many.end(), [16]);

  const few = await sending(6);
  assert.deepEqual(await few.end(2), []);
  assert.deepEqual(await few.end(), [3]);
});

it('starts what is due for others while it waits for results', async () => {
  const { clock, turns, made, end } = await sending(10);
  const other = new Runner({ ...OWNED, integrationId: 6 }, clock);
  other.isRecovered = true;
  turns.add(other);
  await end();
  turns.wake(6);
  await soon();
  assert.deepEqual(
    made.map(({ turn }) => [turn.settlements.length, turn.wants.map((want) => want.integrationId)]),
    [[0, [6]]],
  );
});

it('records beside another turn once much has ended', async () => {
  const { end } = await sending(200);
  assert.deepEqual(await end(16), [16]);
  assert.deepEqual(await end(63), [16]);
  assert.deepEqual(await end(), [16, 64]);
});

it('sends what was started though nothing was recorded, and records that again, one by one', async () => {
  const { made, started, end } = await sending(2);
  await end(2);
  const fault = Object.assign(new Error('a NUL'), { code: '22021' });
  made[0]?.end({ fault, taken: [{ id: 9, integrationId: 5 } as Taken] });
  await soon();
  assert.deepEqual(
    started.map(({ id }) => id),
    [9],
  );
  made[1]?.end();
  await soon();
  assert.deepEqual(
    made.map(({ turn }) => turn.settlements.map(({ messageId }) => messageId)),
    [[1, 2], [1], [2]],
  );
});
