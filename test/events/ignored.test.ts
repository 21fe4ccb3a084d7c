import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { PEOPLE } from '../emulators/meta/whatsapp.ts';
import { TestClock } from '../support/clock.ts';
import { eventsOf } from '../support/service/feed.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';
import { type World, changes, openWorld, receiveWebhook } from './whatsapp-service.ts';

interface Shown {
  id: number;
  type: string;
  reason: string;
  count: number;
}

const reaction = (number: number) =>
  changes({
    messages: [
      {
        from: PEOPLE.known,
        id: `wamid.${number}`,
        timestamp: '1749416383',
        type: 'reaction',
        reaction: { message_id: 'wamid.sent', emoji: '👍' },
      },
    ],
  });

for (const engine of ENGINES) {
  describe(`ignored inbound events (${engine})`, () => {
    const open = (clock?: TestClock) => openWorld(engine, clock && { clock });
    const listed = async (sb: World, query = ''): Promise<Shown[]> =>
      (await sb.app.get(`/1/integrations/${sb.integrationId}/ignored${query}`)).body.data;

    it('ignored inbound events are listed with type, reason and count but without content once the vendor is answered', async () => {
      await using sb = await open();
      assert.deepEqual(await listed(sb), []);
      await receiveWebhook(sb, reaction(1));
      const [one, ...others] = await listed(sb);
      assert.deepEqual(others, []);
      assert.partialDeepStrictEqual(one, {
        type: 'messages.reaction',
        reason: 'no_event',
        count: 1,
      });
      assert.doesNotMatch(JSON.stringify(one), /👍|wamid|16505551234/);
      const { body } = await sb.app.get('/1/events?after=0');
      assert.deepEqual(body.data, []);
    });

    it('ignored inbound events are one row however many arrive, written every five seconds', async () => {
      const clock = new TestClock();
      await using sb = await open(clock);
      for (let i = 0; i < 5; i++) await receiveWebhook(sb, reaction(i));
      assert.partialDeepStrictEqual(await listed(sb), [{ count: 1 }]);
      clock.advance(5_000);
      const rows = await until('all are counted', async () => {
        const found = await listed(sb);
        return found[0]?.count === 5 && found;
      });
      assert.equal(rows.length, 1);
    });

    it('ignored inbound events keep the latest 100 kinds, page by page', async () => {
      await using sb = await open();
      for (let i = 0; i < 105; i++) await receiveWebhook(sb, changes({}, `field_${i}`));
      const all = await listed(sb, '?limit=1000');
      assert.equal(all.length, 100);
      assert.equal(all[0]?.type, 'field_104');
      assert.equal(all.at(-1)?.type, 'field_5');
      const second = await listed(sb, `?limit=2&starting_after=${all[1]?.id}`);
      assert.deepEqual(second, all.slice(2, 4));
    });

    it('ignored inbound events are hidden from other applications and deleted with the integration', async () => {
      await using sb = await open();
      await receiveWebhook(sb, reaction(1));
      const path = `/1/integrations/${sb.integrationId}/ignored`;
      const { app } = await sb.service.application();
      assert.deepEqual((await app.get(path)).body, { data: [] });
      assert.equal((await sb.app.delete(`/1/integrations/${sb.integrationId}`)).status, 204);
      assert.deepEqual((await sb.app.get(path)).body, { data: [] });
    });

    it('ignored inbound events never repeat a type name that could contain content', async () => {
      await using sb = await open();
      await receiveWebhook(sb, changes({}, 'Ada writes: “hello” <ada@example.com>'));
      assert.partialDeepStrictEqual(await listed(sb), [{ type: 'unknown', reason: 'no_event' }]);
    });

    it('ignored inbound events include requests without events', async () => {
      await using sb = await open();
      await receiveWebhook(sb, { object: 'whatsapp_business_account', entry: [] });
      assert.partialDeepStrictEqual(await listed(sb), [{ type: 'request', reason: 'incomplete' }]);
    });

    it('ignored inbound events of an unreadable message are emitted as an event', async () => {
      await using sb = await open();
      const message = { from: PEOPLE.known, id: 'wamid.1', type: 'unsupported' };
      await receiveWebhook(sb, changes({ messages: [message] }));
      const [event] = await eventsOf(sb.app, 'message.unreadable');
      assert.partialDeepStrictEqual(event?.data, {
        reason: 'unsupported',
        sender: PEOPLE.known,
        message_id: 'wamid.1',
      });
      assert.deepEqual(await listed(sb), []);
    });
  });
}
