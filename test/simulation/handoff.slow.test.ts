import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { createLog } from '../../src/lib/telemetry/log.ts';
import type { Store } from '../../src/store/store.ts';
import { fc } from '../support/fast-check.ts';
import { openInlineStore } from '../support/store/inline-store.ts';
import { World } from './world.ts';

/* Nodes join and leave gracefully, without any effect at the channel. */
const RUNS = Number(process.env['RUNS'] ?? 100);
const MAX_NODES = 5;

type Step =
  | { do: 'accept'; integration: number; recipient: string }
  | { do: 'advance'; seconds: number }
  | { do: 'start' }
  | { do: 'leave'; index: number };

const recipient = fc.constantFrom('ada', 'bea');
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('accept'), integration: fc.nat(11), recipient }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('advance'), seconds: fc.constantFrom(0, 1, 2, 3, 7) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('start') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave'), index: fc.nat(5) }) },
) as fc.Arbitrary<Step>;

const course = fc.record({
  behaviours: fc.array(fc.constantFrom('sent', 'sent slowly'), { minLength: 1, maxLength: 5 }),
  maxConcurrentRounds: fc.constantFrom(1, 2),
  integrations: fc.integer({ min: 1, max: 12 }),
  steps: fc.array(fc.tuple(step, fc.boolean()), { minLength: 5, maxLength: 40 }),
});

async function take(world: World, one: Step): Promise<void> {
  switch (one.do) {
    case 'accept':
      return world.accept({ ...one, text: 'a text of some parts' });
    case 'advance':
      // In steps short enough to renew leases; none expires here.
      for (let second = 0; second < one.seconds; second++) {
        world.clock.advance(1_000);
        await world.quiet();
      }
      return undefined;
    case 'start':
      if (world.nodes.length < MAX_NODES) void world.startNode();
      return undefined;
    case 'leave':
      return world.leave(one.index);
  }
}

describe('simulated handoff of integrations', () => {
  let store: Store;
  before(async () => {
    store = await openInlineStore();
  });
  after(() => store.close());

  it(`simulated handoff of integrations is even and causes no extra attempts in ${RUNS} random scenarios`, async () => {
    const log = await createLog({ level: 'silent', pretty: false });
    await fc.assert(
      fc.asyncProperty(course, async ({ steps, ...options }) => {
        const world = await World.create({
          store,
          log,
          uncertain: 'resend',
          spacing: 0,
          storeFaults: ['none'],
          random: () => 0.5,
          ...options,
        });
        try {
          for (const [one, wait] of steps) {
            await take(world, one);
            if (wait) await world.quiet();
          }
          const messages = await world.finish();
          await world.settleDown();
          assert.deepEqual(world.faults, []);
          const counts = messages.map(({ partsSent, attempts }) => [partsSent, attempts]);
          assert.ok(counts.every(([, failed]) => failed === 0));
          const parts = counts.reduce((sum, [sent = 0]) => sum + sent, 0);
          assert.equal(world.inboundEvents.length, parts, 'a part was sent twice');
        } finally {
          await world.end();
        }
      }),
      { numRuns: RUNS, endOnFailure: false },
    );
  });
});
