import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Channel } from '../../src/channels/channel.ts';
import { CHANNELS, findChannel } from '../../src/channels/index.ts';
import { Budget } from '../../src/deliver/attempt/budget.ts';
import { RecipientPace } from '../../src/deliver/attempt/recipient-pace.ts';
import { ByteSemaphore } from '../../src/lib/runtime/byte-semaphore.ts';
import { SANDBOX_URL } from '../../src/model/sandbox/sandbox-url.ts';
import { SIMULATED_CHANNELS, isSimulated, loadSimulator } from '../../src/sandbox/index.ts';
import { sandboxNetwork } from '../../src/sandbox/network.ts';
import { type RateLimit, RateLimits, limitsOf } from '../../src/sandbox/rate-limits.ts';
import { type Simulator, firstRecipient } from '../../src/sandbox/simulator.ts';
import { openContext, outgoing, resultOf } from '../channels/suite.ts';
import { MemoryPhone } from '../emulators/server/memory-phone.ts';
import { TestClock } from '../support/clock.ts';
import { fc } from '../support/fast-check.ts';
import { type SandboxService, openSandboxes } from '../support/service/sandbox.ts';
import { until } from '../support/until.ts';

/* The simulated vendors enforce their documented rate limits, and Switchboard never sends faster than they allow. */

interface Limited {
  channel: Channel;
  simulator: Simulator;
  limits: readonly RateLimit[];
}

const LIMITED: Limited[] = [];
for (const name of SIMULATED_CHANNELS) {
  const [channel, simulator] = [findChannel(name), await loadSimulator(name)];
  const limits = simulator ? limitsOf(simulator) : [];
  if (channel && simulator && limits.length > 0) LIMITED.push({ channel, simulator, limits });
}

/** Somebody who has this limit. */
function addressFor(simulator: Simulator, { appliesTo = () => true }: RateLimit): string {
  const addresses = [firstRecipient(simulator), ...simulator.people.map(({ address }) => address)];
  const found = addresses.find((address) => appliesTo(address));
  assert.ok(found, 'nobody has this limit');
  return found;
}

/** The channel itself sends a message to its simulator, without pacing. */
async function send(
  { channel, simulator }: Limited,
  limits: RateLimits,
  to: string,
  clock: TestClock,
) {
  const path = URL.parse(channel.url ?? '')?.pathname.replace(/\/$/, '') ?? '';
  const phone = new MemoryPhone(0, () => clock.now());
  const network = sandboxNetwork({
    basePath: path,
    hosts: async () => simulator.hosts ?? [],
    fileMemory: new ByteSemaphore(1),
    async answer(request) {
      const recipient = simulator.recipientOf(request);
      const refusal =
        recipient === undefined ? undefined : limits.take(1, simulator, recipient, clock.now());
      return refusal ?? simulator.respond(request, phone);
    },
    connect: () => Promise.reject(new Error('no session')),
  });
  const { credentials } = simulator;
  await using context = openContext({ credentials, url: `${SANDBOX_URL}${path}`, clock });
  const { signal } = context;
  return await resultOf(channel, 'send', outgoing({ recipient: to }), undefined, {
    ...context,
    fetch: (url, request) => network.fetch(url, request, { signal }),
  });
}

describe('rate limits of simulated vendors', () => {
  it('every channel has rate limits, or a reason why the sandbox enforces none', async () => {
    // It has no vendor.
    const without = CHANNELS.filter(({ name }) => !isSimulated(name)).map(({ name }) => name);
    assert.deepEqual(without, ['webmessenger']);
    for (const name of SIMULATED_CHANNELS) {
      const { limits } = (await loadSimulator(name)) ?? assert.fail(name);
      if ('none' in limits) assert.ok(limits.none.length > 10, `${name} has no reason`);
      else assert.ok(limits.length > 0, `${name} has neither limits nor a reason`);
    }
  });

  it('an answer of the person starts the limit of Viber again', () => {
    const limits = new RateLimits();
    const vendor = {
      limits: [{ count: 2, seconds: 3_600, per: 'recipient', untilReply: true }],
      refusals: { limited: () => ({ status: 429 }) },
    } as const;
    const take = (now: number, lastAction?: number) =>
      limits.take(1, vendor, 'ada', now, lastAction);
    assert.deepEqual([take(10), take(11)], [undefined, undefined]);
    assert.equal(take(12)?.status, 429);
    assert.equal(take(13, 9)?.status, 429);
    assert.equal(take(14, 12), undefined);
  });

  for (const each of LIMITED) {
    for (const limit of each.limits) {
      const { count, seconds, per, burst } = limit;
      const name = `${burst === undefined ? '' : `${burst} at once, then `}${count} per ${seconds} s`;
      it(`${each.channel.name} refuses more than ${name} per ${per}`, async () => {
        const clock = new TestClock();
        const limits = new RateLimits();
        const simulator = { ...each.simulator, limits: [limit] };
        const recipient = addressFor(simulator, limit);
        for (let i = 0; i < (burst ?? count); i++) {
          const to = per === 'recipient' ? recipient : String(1_000_000 + i);
          assert.equal(limits.take(1, simulator, to, clock.now()), undefined, `message ${i + 1}`);
        }
        const other = per === 'recipient' ? String(1_000_000) : recipient;
        const isOwn = limit.appliesTo?.(other) ?? true;
        const refused = await send({ ...each, simulator }, limits, recipient, clock);
        assert.equal(refused.outcome, 'limited');
        // The vendor says how long to wait, or nothing.
        const { seconds: wait = seconds } = refused.outcome === 'limited' ? refused : {};
        assert.ok(wait >= 1 && wait <= seconds, `wait ${wait} s`);
        if (per === 'recipient' && isOwn) {
          assert.equal(limits.take(1, simulator, other, clock.now()), undefined, 'another person');
        }
        assert.equal(
          limits.take(2, simulator, recipient, clock.now()),
          undefined,
          'another account',
        );
        let last = await send({ ...each, simulator }, limits, recipient, clock);
        // A vendor that does not say how long may be asked several times.
        for (let waited = 0; last.outcome === 'limited' && waited < seconds; waited += wait) {
          clock.advance(wait * 1000);
          last = await send({ ...each, simulator }, limits, recipient, clock);
        }
        assert.equal(last.outcome, 'sent');
      });
    }
  }

  it('forgets the limits that were used longest ago', () => {
    const limits = new RateLimits();
    const simulator = {
      limits: [{ count: 1, seconds: 3_600, per: 'recipient' }],
      refusals: { limited: () => ({ status: 429 }) },
    } as const;
    for (let i = 0; i <= 100_000; i++) limits.take(1, simulator, `person-${i}`, 0);
    assert.equal(limits.take(1, simulator, 'person-100000', 0)?.status, 429);
    assert.equal(limits.take(1, simulator, 'person-0', 0), undefined);
  });
});

/** Sends messages as delivery does, with requests that take a while. Returns how many the vendor refused. */
function refusals(
  { channel: { name, pace = {}, concurrency = 8 }, simulator }: Limited,
  recipients: readonly string[],
  messages: number,
  latencies: readonly number[],
): number {
  const clock = new TestClock();
  const budget = pace.integration && new Budget(pace.integration, clock);
  const recipientPace = new RecipientPace(clock);
  const limits = new RateLimits();
  const lanes = recipients.map((to) => ({ to, left: messages, dueAt: clock.now(), isBusy: false }));
  let [inFlight, refused, started] = [0, 0, 0];
  const latency = () => latencies[started++ % latencies.length] ?? 0;
  const isDue = ({ left, dueAt, isBusy }: (typeof lanes)[number]) =>
    !isBusy && left > 0 && dueAt <= clock.now();
  const isOpen = () => inFlight < concurrency && (budget?.available ?? 1) >= 1;
  while (lanes.some(({ left, isBusy }) => left > 0 || isBusy)) {
    for (const lane of lanes) {
      if (!isDue(lane) || !isOpen()) continue;
      lane.isBusy = true;
      lane.left--;
      inFlight++;
      budget?.spend();
      const arrives = latency();
      clock.after(arrives, () => {
        if (limits.take(1, simulator, lane.to, clock.now())) refused++;
      });
      clock.after(arrives + latency(), () => {
        lane.isBusy = false;
        inFlight--;
        budget?.answered();
        lane.dueAt = clock.now() + recipientPace.count(pace, lane.to);
      });
    }
    const canStart = lanes.some((lane) => isDue(lane) && isOpen());
    const due = lanes.filter(({ left, isBusy }) => left > 0 && !isBusy).map(({ dueAt }) => dueAt);
    const later = [budget?.nextAt ?? 0, ...due].filter((at) => at > clock.now());
    const next = canStart
      ? clock.now()
      : Math.min(clock.next ?? Number.POSITIVE_INFINITY, ...later);
    assert.ok(Number.isFinite(next), `${name}: nothing is due`);
    clock.advance(next - clock.now());
  }
  return refused;
}

describe('pacing', () => {
  for (const each of LIMITED) {
    const { channel } = each;
    // Delivery does not pace by what operators change.
    const limits = each.limits.filter(({ isAdjustable }) => !isAdjustable);
    const simulator = { ...each.simulator, limits };
    it(`${channel.name} never sends faster than its vendor allows, for any request duration`, () => {
      const latencies = fc.array(fc.integer({ min: 0, max: 1_500 }), {
        minLength: 1,
        maxLength: 20,
      });
      const people = simulator.people.map(({ address }) => address);
      fc.assert(
        fc.property(latencies, fc.boolean(), (taken, isToMany) => {
          const many = Array.from({ length: 70 }, (_, i) => String(1_000_000 + i));
          const count = isToMany
            ? refusals({ ...each, simulator }, many, 2, taken)
            : refusals({ ...each, simulator }, people, 60, taken);
          assert.equal(count, 0);
        }),
        { numRuns: 10 },
      );
    });
  }

  describe('in a service', () => {
    const clock = new TestClock();
    let sandboxes: SandboxService;
    before(async () => {
      sandboxes = await openSandboxes('sqlite', { clock });
    });
    after(() => sandboxes[Symbol.asyncDispose]());

    const LOADS = [
      { name: 'telegram', people: 70, messages: 1, stepMs: 200 },
      { name: 'whatsapp', people: 1, messages: 50, stepMs: 1_000 },
    ];
    for (const { name, people, messages, stepMs } of LOADS) {
      it(`${name} sends many messages without a refusal of its simulator`, async () => {
        const sandbox = await sandboxes.open(name);
        const count = people * messages;
        for (let i = 0; i < count; i++) {
          const to = people === 1 ? sandbox.recipient : String(1_000_000 + i);
          await sandbox.send({ type: 'Note', content: `Number ${i}` }, to);
        }
        const attempts = `switchboard_sandbox_attempts_total{channel="${name}",outcome=`;
        const metrics = await until('all are sent', async () => {
          await clock.advanceGently(stepMs);
          const text = await (await fetch(`${sandboxes.service.url}/metrics`)).text();
          return text.includes(`${attempts}"sent"} ${count}\n`) && text;
        });
        assert.ok(!metrics.includes(`${attempts}"limited"}`));
      });
    }

    it('viber makes the 101st message of an hour wait until the person answers', async () => {
      const sandbox = await sandboxes.open('viber');
      const ids: number[] = [];
      for (let i = 0; i <= 100; i++)
        ids.push(await sandbox.send({ type: 'Note', content: `${i}` }));
      const [last = 0, ...others] = ids.toReversed();
      for (const id of others) await sandbox.message(id, ({ sent_at: sentAt }) => sentAt);
      await sandbox.message(last, ({ waiting }) => waiting?.reason === 'rate_limit');
      await sandbox.act('reply', { text: 'Go on' });
      await until('it is sent', async () => {
        await clock.advanceGently(5_000);
        const { body } = await sandbox.app.get(`/1/messages/${last}`);
        return body.sent_at;
      });
      const { body } = await sandbox.app.get(`/1/messages/${last}/attempts`);
      assert.equal(body.data.at(0).outcome, 'limited');
    });
  });
});
