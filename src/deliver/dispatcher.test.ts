import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';

import { TestClock } from '../../test/support/clock.ts';
import { createLog } from '../lib/telemetry/log.ts';
import type {
  AttemptResult,
  IntegrationStatus,
  ClaimedMessage,
  DispatchRound,
  DispatchResult,
} from '../store/delivery/dispatch-round.ts';
import { Dispatcher } from './dispatcher.ts';
import { Runner } from './runner.ts';

const OWNED = { integrationId: 5, applicationId: 3, teamId: 1, fence: 1 };

const status: IntegrationStatus = {
  integrationId: 5,
  owned: true,
  open: true,
  found: 0,
  nextDueAt: null,
  pausedUntil: null,
  name: 'webhook',
  credentials: null,
  mode: 'live',
  uncertain: 'resend',
  quietHours: null,
  unhealthy: false,
};

const attemptResult: AttemptResult = {
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

/** A store whose dispatch rounds end on command, in any order. */
async function dispatcherOf(clock: TestClock) {
  const made: { round: DispatchRound; end(result?: Partial<DispatchResult>): void }[] = [];
  const started: ClaimedMessage[] = [];
  const store = {
    engine: { maxConcurrentRounds: 2 },
    deliveries: {
      dispatch(round: DispatchRound): Promise<DispatchResult> {
        const { promise, resolve } = Promise.withResolvers<DispatchResult>();
        const statuses = round.claims.map(() => status);
        made.push({
          round,
          end: (result) =>
            resolve({ refused: [], recovering: [], claimed: [], statuses, ...result }),
        });
        return promise;
      },
    },
  };
  const dispatcher = new Dispatcher({
    store,
    clock,
    log: await createLog({ level: 'fatal', pretty: false }),
    node: 'a',
    maxInFlight: 100,
    mayStart: () => true,
    start: (message) => void started.push(message),
    acknowledge() {},
    learn() {},
    recover() {},
    lose() {},
    requeueUnknown: async () => {},
    roundEnded() {},
  });
  return { made, started, dispatcher };
}

/** A round starts at the end of the event loop's turn. */
async function soon(): Promise<void> {
  await immediate();
  await immediate();
}

it('the dispatcher claims again when a result frees a lane after a concurrent round has claimed', async () => {
  const clock = new TestClock();
  const { made, dispatcher } = await dispatcherOf(clock);
  const runner = new Runner(OWNED, clock);
  runner.isRecovered = true;
  dispatcher.add(runner);
  dispatcher.wake(5);
  await soon();
  // A message ends during the claim, and a concurrent round records it.
  dispatcher.settle(attemptResult);
  runner.woken = true;
  await soon();
  assert.deepEqual(
    made.map(({ round }) => [round.results.length, round.claims.length]),
    [
      [0, 1],
      [1, 0],
    ],
  );
  made[0]?.end();
  await soon();
  assert.equal(made[2]?.round.claims.length, 1, 'claims before the result is recorded');
  made[2]?.end();
  await soon();
  assert.equal(made.length, 3);
  made[1]?.end();
  await soon();
  assert.equal(made[3]?.round.claims.length, 1, 'claims again once it is recorded');
});

/** An integration with messages in flight. */
async function sending(inFlight: number) {
  const clock = new TestClock();
  const { made, started, dispatcher } = await dispatcherOf(clock);
  const runner = new Runner(OWNED, clock);
  runner.isRecovered = true;
  for (let i = 0; i < inFlight; i++) runner.started();
  dispatcher.add(runner);
  let messageId = 0;
  const end = async (count = 1) => {
    for (let i = 0; i < count; i++)
      dispatcher.settle({ ...attemptResult, messageId: ++messageId }, runner);
    await soon();
    return made.map(({ round }) => round.results.length);
  };
  return { clock, dispatcher, made, started, end };
}

it('the dispatcher records results together that arrive within 4 ms', async () => {
  const { clock, end } = await sending(10);
  assert.deepEqual(await end(), []);
  assert.deepEqual(await end(), []);
  clock.advance(4);
  assert.deepEqual(await end(0), [2]);
});

it('the dispatcher stops waiting for more results after 16, or when fewer than 4 messages are in flight', async () => {
  const many = await sending(30);
  assert.deepEqual(await many.end(15), []);
  assert.deepEqual(await many.end(), [16]);

  const few = await sending(6);
  assert.deepEqual(await few.end(2), []);
  assert.deepEqual(await few.end(), [3]);
});

it('the dispatcher starts messages of other integrations while it batches results', async () => {
  const { clock, dispatcher, made, end } = await sending(10);
  const other = new Runner({ ...OWNED, integrationId: 6 }, clock);
  other.isRecovered = true;
  dispatcher.add(other);
  await end();
  dispatcher.wake(6);
  await soon();
  assert.deepEqual(
    made.map(({ round }) => [
      round.results.length,
      round.claims.map((claim) => claim.integrationId),
    ]),
    [[0, [6]]],
  );
});

it('the dispatcher records 64 results without waiting for the round in progress', async () => {
  const { end } = await sending(200);
  assert.deepEqual(await end(16), [16]);
  assert.deepEqual(await end(63), [16]);
  assert.deepEqual(await end(), [16, 64]);
});

it('the dispatcher sends what a round claimed even if its results were refused, and records those one by one', async () => {
  const { made, started, end } = await sending(2);
  await end(2);
  const fault = Object.assign(new Error('a NUL'), { code: '22021' });
  made[0]?.end({ fault, claimed: [{ id: 9, integrationId: 5 } as ClaimedMessage] });
  await soon();
  assert.deepEqual(
    started.map(({ id }) => id),
    [9],
  );
  made[1]?.end();
  await soon();
  assert.deepEqual(
    made.map(({ round }) => round.results.map(({ messageId }) => messageId)),
    [[1, 2], [1], [2]],
  );
});
