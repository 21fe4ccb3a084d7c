import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { TestClock } from '../support/clock.ts';
import { type SandboxTest, openSandboxes } from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

/* The time after a person's message in which the vendor accepts free text. */

const HOUR_MS = 3_600_000;
const NOTE = { type: 'Note', content: 'Your order is on its way.' };

for (const engine of ENGINES) {
  describe(`message windows (${engine})`, () => {
    const check = (
      what: string,
      channel: string,
      test: (sandbox: SandboxTest, clock: TestClock) => Promise<void>,
    ): void =>
      void it(what, async () => {
        const clock = new TestClock();
        await using sandboxes = await openSandboxes(engine, { clock });
        await test(await sandboxes.open(channel), clock);
      });

    const activity = ({ integrationId, simulator }: SandboxTest, to?: string) => ({
      '@context': 'https://www.w3.org/ns/activitystreams',
      type: 'Create',
      generator: { type: 'Service', id: integrationId },
      to: { type: 'Person', id: to ?? simulator.people[0].address },
      object: NOTE,
    });
    const post = (sandbox: SandboxTest, to?: string) =>
      sandbox.app.post('/1/message', { message: activity(sandbox, to) });
    const windowOf = async (sandbox: SandboxTest, to?: string) => {
      const message = activity(sandbox, to);
      const { body } = await sandbox.app.post('/1/message?dry_run=true', { message });
      return { ...body.window, code: body.error?.code };
    };
    /** Advances the clock until the message has failed. */
    const failed = (sandbox: SandboxTest, clock: TestClock, id: number) =>
      until(`message ${id} to fail`, async () => {
        const { body } = await sandbox.app.get(`/1/messages/${id}`);
        if (body.state === 'failed') return body;
        await clock.advanceGently(1_000);
        return undefined;
      });
    const received = (sandbox: SandboxTest) =>
      sandbox.event('the message', ({ type }) => type === 'message.received');

    check(
      'free text is refused once the integration would know of an open window',
      'whatsapp',
      async (sandbox, clock) => {
        assert.deepEqual((await windowOf(sandbox)).state, 'unknown');
        assert.equal((await post(sandbox)).status, 202);
        clock.advance(25 * HOUR_MS);
        assert.partialDeepStrictEqual(await windowOf(sandbox), {
          state: 'closed',
          until: null,
          code: 'window_closed',
        });
        const { status, body } = await post(sandbox);
        assert.deepEqual([status, body.code], [422, 'window_closed']);
        assert.equal(body.errors[0].pointer, '/message/to/id');
        const { body: list } = await sandbox.app.get('/1/messages');
        assert.equal(list.data.length, 1, 'a refused message is not stored');
      },
    );

    check('a stop is reported before a closed window', 'whatsapp', async (sandbox, clock) => {
      clock.advance(25 * HOUR_MS);
      const { address } = sandbox.simulator.people[0];
      const stop = { family: 'sandbox.whatsapp', address, state: 'revoked', evidence: 'asked' };
      assert.equal((await sandbox.app.post('/1/consents', stop)).status, 201);
      const { status, body } = await post(sandbox);
      assert.deepEqual([status, body.code], [422, 'recipient_suppressed']);
      assert.equal((await windowOf(sandbox)).code, 'recipient_suppressed');
    });

    check(
      'a message of the person opens the window for 24 hours, however the number is written',
      'whatsapp',
      async (sandbox, clock) => {
        clock.advance(25 * HOUR_MS);
        const [{ address }, { address: other } = { address: '' }] = sandbox.simulator.people;
        const wroteAt = clock.now();
        await sandbox.act('reply', { from: address, text: 'Hello' });
        await received(sandbox);
        const closes = new Date(Math.floor(wroteAt / 1000) * 1000 + 24 * HOUR_MS);
        assert.partialDeepStrictEqual(await windowOf(sandbox, `+${address}`), {
          state: 'open',
          until: closes.toISOString().slice(0, 19),
        });
        assert.equal((await post(sandbox, `+${address}`)).status, 202);
        assert.equal((await post(sandbox, other)).body.code, 'window_closed');
        clock.advance(24 * HOUR_MS);
        assert.equal((await post(sandbox)).body.code, 'window_closed');
      },
    );

    check(
      'a batch records a message outside the window as failed, without an attempt',
      'whatsapp',
      async (sandbox, clock) => {
        clock.advance(25 * HOUR_MS);
        const { status, body } = await sandbox.app.post('/1/messages', {
          messages: [activity(sandbox)],
        });
        assert.equal(status, 202);
        const [{ id }] = body.data;
        const { state, error } = await failed(sandbox, clock, id);
        assert.deepEqual([state, error.code], ['failed', 'window_closed']);
        assert.deepEqual(await sandbox.phone(), [], 'the vendor was called');
      },
    );

    check(
      'a message that waits past the end of the window fails instead of being sent',
      'whatsapp',
      async (sandbox, clock) => {
        const address = sandbox.simulator.magicAddress('006');
        await sandbox.act('reply', { from: address, text: 'Hello' });
        await received(sandbox);
        const id = await sandbox.send(NOTE, address);
        await sandbox.message(id, ({ failed_attempts }) => failed_attempts > 0);
        clock.advance(25 * HOUR_MS);
        const { error } = await failed(sandbox, clock, id);
        assert.equal(error.code, 'window_closed');
      },
    );

    for (const [channel, hours] of [
      ['whatsapp', 24],
      ['messenger', 24],
      ['instagram', 24],
      ['wechat', 48],
    ] as const) {
      check(`${channel} accepts free text for ${hours} hours`, channel, async (sandbox, clock) => {
        clock.advance((hours + 1) * HOUR_MS);
        assert.equal((await post(sandbox)).body.code, 'window_closed');
        const { address: from } = sandbox.simulator.people[0];
        await sandbox.act('reply', { from, text: 'Hello' });
        await received(sandbox);
        clock.advance((hours - 0.1) * HOUR_MS);
        assert.equal((await windowOf(sandbox)).state, 'open');
        assert.equal((await post(sandbox)).status, 202);
        clock.advance(0.2 * HOUR_MS);
        assert.equal((await windowOf(sandbox)).state, 'closed');
        assert.equal((await post(sandbox)).body.code, 'window_closed');
      });
    }

    for (const channel of ['messenger', 'instagram'] as const) {
      check(`on ${channel}, a human agent has seven days`, channel, async (sandbox, clock) => {
        clock.advance(8 * 24 * HOUR_MS);
        const { address: from } = sandbox.simulator.people[0];
        await sandbox.act('reply', { from, text: 'Hello' });
        await received(sandbox);
        const send = (options: Record<string, unknown>) =>
          sandbox.app.post('/1/message', { message: activity(sandbox), options });
        clock.advance(6 * 24 * HOUR_MS);
        assert.equal((await send({})).body.code, 'window_closed');
        assert.equal((await send({ human_agent: true })).status, 202);
        clock.advance(2 * 24 * HOUR_MS);
        assert.equal((await send({ human_agent: true })).body.code, 'window_closed');
      });
    }

    check('recipients without a window are never refused', 'twilio', async (sandbox, clock) => {
      clock.advance(25 * HOUR_MS);
      assert.equal((await windowOf(sandbox)).state, undefined);
      assert.equal((await post(sandbox)).status, 202);
      assert.equal((await post(sandbox, 'whatsapp:+15558675310')).body.code, 'window_closed');
    });
  });
}
