import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { createLog } from '../../src/lib/telemetry/log.ts';
import type { Message } from '../../src/model/message.ts';
import { CONDITIONS } from '../../src/model/sending/message-route.ts';
import type { Store } from '../../src/store/store.ts';
import { fc } from '../support/fast-check.ts';
import { BEHAVIOURS, OUTAGES, type Outage, mayBeOut } from './behaviours.ts';
import { reportedStates } from './feed.ts';
import { MOVING } from './moves.ts';
import { STORE_FAULTS, type StoreFault } from './node.ts';
import { outOfOrder } from './order.ts';
import { QUIET } from './quiet.ts';
import type { GivenMessage } from './records.ts';
import { REPORTS, type ReportState, type RoutedStep, SHAPES, checkRoutes } from './routed.ts';
import { TEMPLATES } from './windows.ts';
import { World } from './world.ts';

/*
 * Random scenarios with every kind of event in any order. `RUNS=5000 npm test -- simulation` runs more of them. A failure
 * prints the seed and the shortest scenario that reproduces it.
 */

/** The number of scenarios to run, unless RUNS is set. */
export const runsOr = (usual: number): number => Number(process.env['RUNS'] ?? usual);

const index = fc.nat(20);
const integration = fc.nat(1);
const recipient = fc.constantFrom('ada', 'bea', 'cleo');
/** Seconds until a scheduled message is due. */
const delay = fc.constantFrom(1, 2, 5, 12);
const text = fc.constantFrom('short', 'a text of some parts');
const template = fc.constantFrom(...TEMPLATES);
/** The condition of a message with two routes, and the seconds that it may take. */
const until = fc.constantFrom(...CONDITIONS);
const routeSeconds = fc.constantFrom(5, 10, 30);
const category = fc.constantFrom(null, null, 'marketing' as const);
const shape = fc.constantFrom(...SHAPES);
const outage = fc.constantFrom('over', 'over', ...OUTAGES);

const made = { integration, recipient, text, template, category };
const routed = {
  ...made,
  recipient: fc.constantFrom('ada', 'bea'),
  shape,
  until,
  after: routeSeconds,
  delay: fc.constantFrom(0, 0, 0, 5),
};
/** To the person whose address changes: nothing but the order of the lane decides when it leaves. */
const moving = {
  ...made,
  recipient: fc.constant(MOVING),
  template: fc.constant('none' as const),
  category: fc.constant(null),
};
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('accept'), ...made }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('schedule'), ...made, delay }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('accept'), ...moving }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change address'), integration }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('write'), integration, recipient }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reschedule'), index, delay }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('route'), ...routed }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('outage'), integration, outage }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('report'), index, state: fc.constantFrom(...REPORTS) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('advance'),
      seconds: fc.constantFrom(0, 1, 2, 4, 8, 12, 40),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revoke'), recipient }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('grant'), recipient }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill'), index }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('start') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave'), index }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('stop'), index }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('goOn') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel'), index }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resend'), index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('disable'), integration }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('enable'), integration }) },
) as fc.Arbitrary<Step>;

type Step =
  | ({ do: 'accept' | 'schedule' } & GivenMessage)
  | { do: 'write'; integration: number; recipient: string }
  | { do: 'change address'; integration: number }
  | { do: 'reschedule'; index: number; delay: number }
  | ({ do: 'route' } & RoutedStep)
  | { do: 'outage'; integration: number; outage: Outage | 'over' }
  | { do: 'report'; index: number; state: ReportState }
  | { do: 'advance'; seconds: number }
  | { do: 'kill' | 'leave' | 'stop' | 'cancel' | 'resend'; index: number }
  | { do: 'revoke' | 'grant'; recipient: string }
  | { do: 'start' | 'goOn' }
  | { do: 'disable' | 'enable'; integration: number };

const course = fc.record({
  uncertain: fc.constantFrom('resend', 'hold'),
  behaviours: fc.array(fc.constantFrom(...BEHAVIOURS), { minLength: 1, maxLength: 8 }),
  spacing: fc.constantFrom(0, 0, 1),
  maxConcurrentRounds: fc.constantFrom(1, 2),
  integrations: fc.constant(2),
  quiet: fc.constantFrom('none', ...QUIET),
  storeFaults: fc.oneof(
    fc.constant<StoreFault[]>(['none']),
    fc.array(fc.constantFrom('none', 'none', 'none', ...STORE_FAULTS), {
      minLength: 5,
      maxLength: 20,
    }),
  ),
  /** Each step with whether to wait until the nodes are quiet before the next. */
  steps: fc.array(fc.tuple(step, fc.boolean()), { minLength: 1, maxLength: 30 }),
  random: fc.double({ min: 0, max: 0.99, noNaN: true }),
});

const MAX_NODES = 3;

async function take(world: World, one: Step): Promise<void> {
  switch (one.do) {
    case 'accept':
    case 'schedule':
      return world.accept(one);
    case 'write':
      return world.write(one.integration, one.recipient);
    case 'route':
      return world.acceptRouted(one);
    case 'outage':
      return world.setOutage(one.integration, one.outage);
    case 'report':
      return world.report(one.index, one.state);
    case 'change address':
      return world.changeAddress(one.integration);
    case 'reschedule':
      return world.reschedule(one.index, one.delay);
    case 'advance':
      return world.clock.advance(one.seconds * 1000);
    case 'kill':
      return world.kill(one.index);
    case 'leave':
      return world.leave(one.index);
    case 'start':
      // Not awaited, so that other steps happen during the start.
      if (world.nodes.length < MAX_NODES) void world.startNode();
      return undefined;
    case 'stop':
      return world.stop(one.index);
    case 'goOn':
      return world.goOn();
    case 'cancel':
      return world.cancel(one.index);
    case 'resend':
      return world.resend(one.index);
    case 'revoke':
      return world.consent(one.recipient, 'revoked');
    case 'grant':
      return world.consent(one.recipient, 'granted');
    case 'disable':
    case 'enable':
      return world.setState(one.integration, one.do);
  }
}

/** The invariants at the end of every scenario. */
async function checkEnd(world: World, store: Store, messages: Message[], uncertain: string) {
  assert.equal(messages.length, world.accepted.length, 'a message is lost');
  assert.deepEqual(outOfOrder(world, messages), [], 'sent after a later message of its lane');
  const reported = await reportedStates(store, messages[0]?.applicationId ?? 0);
  for (const message of messages) {
    const accepted = world.accepted.find(({ id }) => id === message.id);
    assert.ok(accepted);
    const reachedState = `${message.id} ${message.state}`;
    assert.ok(reported.has(reachedState), `no event: ${reachedState}`);
    const own = world.inboundEvents.filter(({ messageId }) => messageId === message.id);
    const attempts = await store.attempts.list(message);
    if (message.route !== null) {
      const { bans } = world;
      await checkRoutes(store, message, own, accepted, { bans, uncertain });
      continue;
    }
    if (message.state === 'sent') {
      const parts = new Set(
        own.filter(({ behaviour }) => behaviour.startsWith('sent')).map(({ part }) => part),
      );
      assert.equal(parts.size, message.partsSent, `${message.id} is in the state sent`);
    }
    if (message.reason === 'window_closed' && message.partsSent === 0) {
      assert.equal(accepted.template, 'none', `${message.id} had a template to send`);
    }
    if (accepted.wasResent) continue;
    // Refused credentials, like rate limits, cost no attempt.
    const failures = attempts.filter(
      ({ outcome, detail }) => !['sent', 'limited'].includes(outcome) && detail !== 'credentials',
    );
    assert.equal(message.attempts, failures.length, `${message.id} counts its failures`);
    const limits = attempts.filter(({ outcome }) => outcome === 'limited').length;
    assert.ok(limits <= own.length);
    if (uncertain !== 'hold') continue;
    // With the policy `hold`, a part that may have been sent is sent once.
    const byPart = Map.groupBy(own.filter(mayBeOut), ({ part }) => part);
    for (const [part, times] of byPart)
      assert.equal(times.length, 1, `${message.id} part ${part} was sent twice`);
  }
}

/** Runs random scenarios on a store. */
export function simulate(what: string, open: () => Promise<Store>, runs: number): void {
  describe(`simulated delivery (${what})`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    it(`keeps its guarantees in ${runs} random scenarios`, { timeout: 3_600_000 }, async () => {
      const log = await createLog({ level: 'silent', pretty: false });
      await fc.assert(
        fc.asyncProperty(course, async ({ steps, random, ...options }) => {
          const world = await World.create({ store, log, random: () => random, ...options });
          try {
            for (const [one, wait] of steps) {
              await take(world, one);
              if (wait) await world.quiet();
            }
            const messages = await world.finish();
            await world.settleDown();
            assert.deepEqual(world.faults, []);
            await checkEnd(world, store, messages, options.uncertain);
          } finally {
            await world.end();
          }
        }),
        { numRuns: runs, endOnFailure: false },
      );
    });
  });
}
