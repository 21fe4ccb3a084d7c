import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { PEOPLE } from '../emulators/meta/whatsapp.ts';
import { eventsOf } from '../support/service/feed.ts';
import { ENGINES } from '../support/store/databases.ts';
import { type World, changes, openWorld, receiveWebhook } from './whatsapp-service.ts';

for (const engine of ENGINES) {
  describe(`a contact with several addresses (${engine})`, () => {
    const open = () => openWorld(engine);
    const messageFrom = (id: string, who: object) =>
      changes({
        messages: [{ id, timestamp: '1749416383', type: 'text', text: { body: id }, ...who }],
      });
    const actors = async (sb: World, count: number) => {
      const events = await eventsOf(sb.app, 'message.received', count);
      return events.map(({ data }) => data.actor);
    };

    it('a contact keeps its id when the number disappears, and can be answered', async () => {
      await using sb = await open();
      await receiveWebhook(
        sb,
        messageFrom('wamid.1', { from: PEOPLE.known, from_user_id: PEOPLE.hidden }),
      );
      await receiveWebhook(sb, messageFrom('wamid.2', { from_user_id: PEOPLE.hidden }));
      assert.deepEqual(await actors(sb, 2), [
        { type: 'Person', id: PEOPLE.known, alsoKnownAs: [PEOPLE.hidden] },
        { type: 'Person', id: PEOPLE.known, alsoKnownAs: [PEOPLE.hidden] },
      ]);
      const sent = await sb.send('Hello', PEOPLE.known);
      assert.equal((await sb.settled(sent)).state, 'sent');
    });

    it('a contact keeps its id when the number appears later', async () => {
      await using sb = await open();
      await receiveWebhook(sb, messageFrom('wamid.1', { from_user_id: PEOPLE.hidden }));
      await receiveWebhook(
        sb,
        messageFrom('wamid.2', { from: PEOPLE.known, from_user_id: PEOPLE.hidden }),
      );
      await receiveWebhook(sb, messageFrom('wamid.3', { from: PEOPLE.known }));
      const ids = (await actors(sb, 3)).map(({ id }) => id);
      assert.deepEqual(ids, [PEOPLE.hidden, PEOPLE.hidden, PEOPLE.hidden]);
      const sent = await sb.send('Hello', PEOPLE.hidden);
      assert.equal((await sb.settled(sent)).state, 'sent');
    });

    it('a contact with several addresses gets a changed address once, whichever notification reports it', async () => {
      await using sb = await open();
      const [number, id] = ['16505559999', 'US.2222222222'];
      await receiveWebhook(
        sb,
        messageFrom('wamid.1', { from: PEOPLE.known, from_user_id: PEOPLE.hidden }),
      );
      const system = {
        type: 'user_changed_number',
        wa_id: number,
        user_id: id,
        previous_user_id: PEOPLE.hidden,
      };
      const systemMessage = {
        from: PEOPLE.known,
        id: 'wamid.2',
        timestamp: '1749416383',
        type: 'system',
      };
      await receiveWebhook(sb, changes({ messages: [{ ...systemMessage, system }] }));
      const update = { wa_id: number, user_id: { previous: PEOPLE.hidden, current: id } };
      await receiveWebhook(sb, changes({ user_id_update: [update] }, 'user_id_update'));
      await receiveWebhook(sb, messageFrom('wamid.3', { from_user_id: id }));
      assert.equal((await actors(sb, 2))[1]?.id, number);
      const events = await eventsOf(sb.app, 'contact.changed');
      assert.equal(events.length, 1);
      assert.partialDeepStrictEqual(events[0]?.data, {
        integration_id: sb.integrationId,
        channel: 'whatsapp',
        previous: { id: PEOPLE.known, alsoKnownAs: [PEOPLE.hidden] },
        current: { id: number, alsoKnownAs: [id] },
        at: '2025-06-08T20:59:43',
      });
    });

    it('a contact that opts out and in emits events', async () => {
      await using sb = await open();
      for (const [i, value] of ['stop', 'resume'].entries()) {
        const preference = {
          wa_id: PEOPLE.known,
          category: 'marketing_messages',
          value,
          timestamp: 1_749_416_383 + i,
        };
        await receiveWebhook(sb, changes({ user_preferences: [preference] }, 'user_preferences'));
      }
      for (const type of ['contact.opted_out', 'contact.opted_in'] as const) {
        const [event] = await eventsOf(sb.app, type);
        assert.partialDeepStrictEqual(event?.data, {
          contact: { type: 'Person', id: PEOPLE.known },
          category: 'marketing_messages',
        });
      }
    });
  });
}
