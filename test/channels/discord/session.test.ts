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

describe('discord, keeping a session', { timeout: 20_000 }, () => {
  it('goes on where it was left, and misses nothing', async () => {
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
      assert.deepEqual(gateway.said, [
        { what: 'identify', intents: ALL },
        { what: 'resume', session: 'fake-session-1', seq: 2 },
      ]);
      second.abort();
      await second.done;
    });
  });

  for (const [why, end] of [
    ['is asked to connect again', (gateway: Gateway) => gateway.tell(7)],
    ['is told that it may resume', (gateway: Gateway) => gateway.tell(9, true)],
    ['is cut off with a reason that passes', (gateway: Gateway) => gateway.drop(4000)],
  ] as const) {
    it(`resumes when it ${why}`, async () => {
      await listening({}, async ({ gateway, listen }) => {
        const first = listen();
        await first.until(() => first.cursor() !== undefined);
        end(gateway);
        assert.equal((await first.done).ended, undefined);
        const second = listen();
        await gateway.received(2);
        assert.partialDeepStrictEqual(gateway.said[1], { what: 'resume' });
        second.abort();
        await second.done;
      });
    });
  }

  for (const [why, end] of [
    ['the session is over', (gateway: Gateway) => gateway.tell(9, false)],
    ['it has timed out', (gateway: Gateway) => gateway.drop(4009)],
  ] as const) {
    it(`begins anew when ${why}`, async () => {
      await listening({}, async ({ gateway, listen }) => {
        const first = listen();
        await first.until(() => first.cursor() !== undefined);
        end(gateway);
        assert.equal((await first.done).ended, undefined);
        assert.equal(first.cursor(), '');
        const second = listen();
        await gateway.received(2);
        assert.deepEqual(gateway.said[1], { what: 'identify', intents: ALL });
        second.abort();
        await second.done;
      });
    });
  }

  it('hears what comes faster than it is stored, in order', async () => {
    await listening({}, async ({ gateway, listen }) => {
      const session = listen();
      await session.until(() => session.cursor() !== undefined);
      const ids = Array.from({ length: 500 }, (_, i) => String(i + 1));
      // Together more than is read at once.
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

  it('ends when something cannot be stored, and hears it again', async () => {
    await listening({}, async ({ gateway, listen }) => {
      const first = listen({ token: TOKEN }, () => {
        throw new Error('the disk is full');
      });
      await assert.rejects(first.done, /the disk is full/);
      assert.equal(first.cursor(), undefined);
      const second = listen();
      await second.until(() => second.cursor() !== undefined);
      assert.equal(gateway.said.length, 2);
      second.abort();
      await second.done;
    });
  });

  it('begins anew when the session that it left is not known any more', async () => {
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

  it('says that it is there, with what it heard last, as often as it is asked to', async () => {
    await listening({ interval: 20 }, async ({ gateway, listen }) => {
      const session = listen();
      const beats = () => gateway.said.filter((one) => one.what === 'heartbeat' && one.seq === 1);
      while (beats().length < 2) await gateway.received(gateway.said.length + 1);
      session.abort();
      await session.done;
    });
  });

  it('answers at once when it is asked whether it is there', async () => {
    await listening({}, async ({ gateway, listen }) => {
      const session = listen();
      await session.until(() => session.cursor() !== undefined);
      gateway.tell(1);
      await gateway.received(2);
      assert.deepEqual(gateway.said[1], { what: 'heartbeat', seq: 1 });
      session.abort();
      await session.done;
    });
  });

  it('gives up a connection that does not answer any more', async () => {
    await listening({ interval: 20, isSilent: true }, async ({ gateway, listen }) => {
      const session = listen();
      assert.equal((await session.done).ended, undefined);
      assert.equal(gateway.said.filter(({ what }) => what === 'heartbeat').length, 1);
    });
  });
});

describe('discord, not let in', { timeout: 20_000 }, () => {
  it('does without what messages say where it may not be told', async () => {
    await listening({ intents: 512 + 4096 }, async ({ gateway, listen }) => {
      const session = listen();
      await session.until(() => session.cursor() !== undefined);
      assert.deepEqual(gateway.said, [
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
      'it may be told nothing at all',
      { intents: 0 },
      { token: TOKEN },
      { outcome: 'permanent', blame: 'credentials', code: '4014' },
    ],
    [
      'it has begun too many sessions',
      { remaining: 0 },
      { token: TOKEN },
      { outcome: 'limited', whom: 'integration', seconds: 14_400 },
    ],
    [
      'the gateway has no address',
      { elsewhere: 'https://example.com' },
      { token: TOKEN },
      { outcome: 'permanent', blame: 'credentials', detail: 'Discord' },
    ],
  ] as const) {
    it(`says so when ${why}`, async () => {
      await listening(settings, async ({ listen }) => {
        const { ended } = await listen(credentials).done;
        assert.ok(ended);
        assertOutcome(ended, outcome);
      });
    });
  }
});
