import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { TOKEN } from '../../emulators/discord/api.ts';
import { assertOutcome } from '../suite.ts';
import { type Gateway, listening } from './listening.ts';

/* https://docs.discord.com/developers/events/gateway#connections */

const ALL = 512 + 4096 + 32_768;

const message = (id: string) => ({
  id,
  channel_id: '175928847299117063',
  type: 0,
  author: { id: '53908232506183680', username: 'ada' },
  content: 'Good morning!',
});

describe('discord gateway session', () => {
  it('resumes from the cursor and misses no message', async () => {
    await listening({}, async ({ gateway, listen }) => {
      const first = listen();
      await first.until(() => first.cursor() !== undefined);
      gateway.dispatch('MESSAGE_CREATE', message('1'));
      await first.until(() => first.inboundEvents.length === 1);
      gateway.drop();
      assert.deepEqual((await first.done).ended, undefined);
      gateway.dispatch('MESSAGE_CREATE', message('2'));
      const second = listen();
      await second.until(() => second.inboundEvents.length === 1);
      assert.partialDeepStrictEqual(second.inboundEvents, [{ key: 'message:2' }]);
      assert.deepEqual(gateway.receivedItems, [
        { what: 'identify', intents: ALL },
        { what: 'resume', session: 'fake-session-1', seq: 2 },
      ]);
      second.abort();
      await second.done;
    });
  });

  for (const [why, end] of [
    ['is asked to reconnect', (gateway: Gateway) => gateway.sendOp(7)],
    ['gets an invalid session that may resume', (gateway: Gateway) => gateway.sendOp(9, true)],
    ['is disconnected for a temporary reason', (gateway: Gateway) => gateway.drop(4000)],
  ] as const) {
    it(`resumes after it ${why}`, async () => {
      await listening({}, async ({ gateway, listen }) => {
        const first = listen();
        await first.until(() => first.cursor() !== undefined);
        end(gateway);
        assert.equal((await first.done).ended, undefined);
        const second = listen();
        await gateway.received(2);
        assert.partialDeepStrictEqual(gateway.receivedItems[1], { what: 'resume' });
        second.abort();
        await second.done;
      });
    });
  }

  for (const [why, end] of [
    ['the session is invalid', (gateway: Gateway) => gateway.sendOp(9, false)],
    ['it has timed out', (gateway: Gateway) => gateway.drop(4009)],
  ] as const) {
    it(`starts a new session when ${why}`, async () => {
      await listening({}, async ({ gateway, listen }) => {
        const first = listen();
        await first.until(() => first.cursor() !== undefined);
        end(gateway);
        assert.equal((await first.done).ended, undefined);
        assert.equal(first.cursor(), '');
        const second = listen();
        await gateway.received(2);
        assert.deepEqual(gateway.receivedItems[1], { what: 'identify', intents: ALL });
        second.abort();
        await second.done;
      });
    });
  }

  it('stores events in order when they arrive faster than they are stored', async () => {
    await listening({}, async ({ gateway, listen }) => {
      const session = listen();
      await session.until(() => session.cursor() !== undefined);
      const ids = Array.from({ length: 500 }, (_, i) => String(i + 1));
      // Together larger than one read.
      const content = 'x'.repeat(2000);
      for (const id of ids) gateway.dispatch('MESSAGE_CREATE', { ...message(id), content });
      await session.until(() => session.inboundEvents.length === ids.length);
      const keys = session.inboundEvents.map((one) => ('key' in one ? one.key : ''));
      assert.deepEqual(
        keys,
        ids.map((id) => `message:${id}`),
      );
      session.abort();
      await session.done;
    });
  });

  it('ends when an event cannot be stored and receives it again', async () => {
    await listening({}, async ({ gateway, listen }) => {
      const first = listen({ token: TOKEN }, () => {
        throw new Error('the disk is full');
      });
      await assert.rejects(first.done, /the disk is full/);
      assert.equal(first.cursor(), undefined);
      const second = listen();
      await second.until(() => second.cursor() !== undefined);
      assert.equal(gateway.receivedItems.length, 2);
      second.abort();
      await second.done;
    });
  });

  it('starts a new session when the old one is unknown', async () => {
    await listening({}, async ({ gateway, listen }) => {
      const first = listen();
      await first.until(() => first.cursor() !== undefined);
      gateway.forget();
      gateway.drop();
      await first.done;
      const second = listen();
      assert.equal((await second.done).ended, undefined);
      assert.equal(second.cursor(), '');
    });
  });

  it('sends heartbeats with the last sequence number at the requested interval', async () => {
    await listening({ interval: 20 }, async ({ gateway, listen }) => {
      const session = listen();
      const heartbeats = () =>
        gateway.receivedItems.filter((one) => one.what === 'heartbeat' && one.seq === 1);
      while (heartbeats().length < 2) await gateway.received(gateway.receivedItems.length + 1);
      session.abort();
      await session.done;
    });
  });

  it('answers a heartbeat request at once', async () => {
    await listening({}, async ({ gateway, listen }) => {
      const session = listen();
      await session.until(() => session.cursor() !== undefined);
      gateway.sendOp(1);
      await gateway.received(2);
      assert.deepEqual(gateway.receivedItems[1], { what: 'heartbeat', seq: 1 });
      session.abort();
      await session.done;
    });
  });

  it('closes a connection that misses a heartbeat', async () => {
    await listening({ interval: 20, ignoresHeartbeats: true }, async ({ gateway, listen }) => {
      const session = listen();
      assert.equal((await session.done).ended, undefined);
      assert.equal(gateway.receivedItems.filter(({ what }) => what === 'heartbeat').length, 1);
    });
  });
});

describe('discord gateway refusals', () => {
  it('receives messages without content when the intent is not allowed', async () => {
    await listening({ intents: 512 + 4096 }, async ({ gateway, listen }) => {
      const session = listen();
      await session.until(() => session.cursor() !== undefined);
      assert.deepEqual(gateway.receivedItems, [
        { what: 'identify', intents: ALL },
        { what: 'identify', intents: 512 + 4096 },
      ]);
      session.abort();
      await session.done;
    });
  });

  for (const [why, settings, credentials, outcome] of [
    [
      'the token is unknown',
      {},
      { token: 'fake-other' },
      { outcome: 'permanent', blame: 'credentials', code: '401' },
    ],
    [
      'all intents are refused',
      { intents: 0 },
      { token: TOKEN },
      { outcome: 'permanent', blame: 'credentials', code: '4014' },
    ],
    [
      'it has started too many sessions',
      { remaining: 0 },
      { token: TOKEN },
      { outcome: 'limited', scope: 'integration', seconds: 14_400 },
    ],
    [
      'the gateway has no address',
      { gatewayUrl: 'https://example.com' },
      { token: TOKEN },
      { outcome: 'permanent', blame: 'credentials', detail: 'Discord' },
    ],
  ] as const) {
    it(`reports it when ${why}`, async () => {
      await listening(settings, async ({ listen }) => {
        const { ended } = await listen(credentials).done;
        assert.ok(ended);
        assertOutcome(ended, outcome);
      });
    });
  }
});
