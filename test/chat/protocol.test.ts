import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ServerFrame } from '../../src/chat/frames.ts';
import { type ChatService, newKey, openChat } from '../support/service/chat.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

for (const engine of ENGINES) {
  describe(`the web chat (${engine})`, () => {
    it('brings a message to the browser: sent, delivered when it is there, read when it was seen', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      const id = await chat.send(guest.id, 'Good morning!');
      const entry = await guest.sees('Good morning!');
      assert.equal(entry.by, 'application');
      const { sent_at, delivered_at: notYet } = await chat.reaches(id, 'sent');
      assert.ok(sent_at !== null && notYet === null);
      guest.do({ do: 'delivered', number: entry.number });
      const { delivered_at, read_at: unread } = await chat.reaches(id, 'delivered');
      assert.ok(delivered_at !== null && delivered_at >= sent_at && unread === null);
      guest.do({ do: 'read', number: entry.number });
      const seen = await chat.reaches(id, 'read');
      assert.deepEqual([seen.sent_at, seen.delivered_at], [sent_at, delivered_at]);
      assert.ok(seen.read_at !== null && seen.read_at >= delivered_at);
      const types = (await chat.events()).map(({ type }) => type);
      assert.deepEqual(types, [
        'member.joined',
        'message.sent',
        'message.delivered',
        'message.read',
      ]);
    });

    it('tells the application what a visitor writes before the page is told that it was sent', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      const told = await guest.say('  Is anybody there?\n');
      assert.equal(told.is, 'said');
      const [event] = await chat.events('message.received');
      assert.equal(event?.data.actor.id, guest.id);
      assert.equal(event.data.object.content, 'Is anybody there?');
      // What the event calls it is what can be answered.
      const inReplyTo = event.data.object.id;
      await chat.send(guest.id, { type: 'Note', content: 'Yes.', inReplyTo });
      const answer = await guest.sees('Yes.');
      assert.equal(answer.reply, 1);
    });

    it('takes what is said twice under one key once, also after a reconnect', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      const key = newKey();
      await guest.say('Hello', { key });
      guest.do({ do: 'say', key, text: 'Hello', files: [] });
      guest.leave();
      const again = await chat.visit({ token: guest.token });
      const told = await again.say('Hello', { key });
      assert.deepEqual(told, { is: 'said', key, number: 1 });
      assert.deepEqual(again.texts, ['Hello']);
      assert.equal((await chat.events('message.received')).length, 1);
    });

    it('goes on where a page was: nothing is lost, nothing comes twice, changes included', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      for (const text of ['one', 'two'])
        await chat.send(guest.id, { id: text, type: 'Note', content: text });
      await guest.sees('two');
      const last = Math.max(...guest.entries.map(({ version }) => version));
      guest.leave();
      await chat.send(guest.id, 'three');
      const object = { type: 'Note', content: 'one and a half', id: 'one' };
      await chat.reaches(await chat.send(guest.id, object, { type: 'Update' }), 'sent');
      const gone = { type: 'Note', id: 'two' };
      await chat.reaches(await chat.send(guest.id, gone, { type: 'Delete' }), 'sent');
      const again = await chat.visit({ token: guest.token }, last);
      const entries = again.told.flatMap((told) => (told.is === 'entry' ? [told.entry] : []));
      assert.deepEqual(
        entries.map(({ number, version }) => [number, version]),
        [
          [3, 3],
          [1, 4],
          [2, 5],
        ],
      );
      assert.deepEqual(again.texts, ['one and a half', '', 'three']);
      assert.equal(entries[1]?.isChanged, true);
      assert.equal(entries[2]?.body, null);
      // One that begins anew is shown how it stands.
      const anew = await chat.visit({ token: guest.token });
      assert.deepEqual(anew.texts, ['one and a half', '', 'three']);
    });

    it('begins with the last fifty, and shows what was before them when asked', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      for (let i = 1; i <= 60; i++) {
        const entry = {
          id: `e${i}`,
          author: 'application',
          body: `{"text":[{"text":"${i}"}]}`,
        } as const;
        await chat.service.store.chats.put(where(chat, guest.id), entry, false, Date.now());
      }
      const again = await chat.visit({ token: guest.token });
      const [history] = again.told;
      assert.ok(history?.is === 'history' && history.isMore);
      assert.deepEqual([again.texts[0], again.texts.at(-1)], ['11', '60']);
      again.do({ do: 'earlier', before: 11 });
      const earlier = await again.waitFor(({ is }) => is === 'earlier');
      assert.ok(earlier.is === 'earlier' && !earlier.isMore);
      assert.equal(again.texts.length, 60);
    });

    it('presses a button: its name is said, and the application is told which it was', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      const attachment = [
        { type: 'Button', name: 'More', url: 'https://example.com/' },
        { type: 'Button', name: 'Yes, please' },
        { type: 'Button', name: 'No', value: 'order-7:no' },
      ];
      await chat.send(guest.id, { type: 'Note', content: 'Tea?', attachment });
      const { number } = await guest.sees('Tea?');
      const refused = press(guest, number, 0);
      assert.equal((await refused).is, 'refused', 'one that leads somewhere says nothing');
      assert.equal((await press(guest, number, 3)).is, 'refused');
      assert.equal((await press(guest, 7, 1)).is, 'refused');
      assert.equal((await press(guest, number, 1)).is, 'said');
      const { data } = await chat.event('message.received');
      assert.equal(data.object.content, 'Yes, please');
      const yes = { type: 'Button', name: 'Yes, please', value: 'Yes, please' };
      assert.deepEqual(data.object.attachment, [yes]);
      assert.equal((await press(guest, number, 2)).is, 'said');
      const no = await chat.event(
        'message.received',
        (event) => event.data.object.content === 'No',
      );
      assert.deepEqual(no.data.object.attachment, [
        { type: 'Button', name: 'No', value: 'order-7:no' },
      ]);
      assert.equal((await guest.sees('Yes, please')).reply, number);
    });

    it('shows that the application is writing, for a while, and not once it has written', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      const path = `/1/integrations/${chat.integrationId}/typing`;
      assert.equal((await chat.app.post(path, { to: { id: guest.id } })).status, 204);
      const told = await guest.waitFor(({ is }) => is === 'typing');
      assert.deepEqual(told, { is: 'typing', seconds: 6 });
      await chat.send(guest.id, 'Here I am');
      await guest.sees('Here I am');
      const later = await chat.visit({ token: guest.token });
      assert.ok(!later.told.some(({ is }) => is === 'typing'));
      assert.equal((await chat.app.post(path, { to: { id: 'nobody' } })).status, 422);
    });

    it('says that it failed when there is no such visitor, and blames nobody else', async () => {
      await using chat = await openChat(engine);
      for (const to of ['guest-AAAAAAAAAAAAAAAAAAAAAA', 'ada']) {
        const id = await chat.send(to, 'Anybody?');
        const { error } = await chat.reaches(id, 'failed');
        assert.equal(error?.code, 'recipient', to);
      }
    });

    it('reports of each message once, and never of what was not sent', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      const first = await chat.send(guest.id, 'one');
      await guest.sees('one');
      guest.do({ do: 'read', number: 1_000_000 });
      await chat.reaches(first, 'read');
      const second = await chat.send(guest.id, 'two');
      await guest.sees('two');
      assert.equal((await chat.reaches(second, 'sent')).state, 'sent');
      guest.do({ do: 'delivered', number: 2 });
      await chat.reaches(second, 'delivered');
      guest.do({ do: 'delivered', number: 1 });
      guest.do({ do: 'read', number: 2 });
      await chat.reaches(second, 'read');
      const reports = await chat.events('message.read');
      assert.equal(reports.length, 2);
    });

    it('clears away what has been kept for long enough, and what belonged to a deleted integration', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      await guest.say('Remember me');
      const { store } = chat.service;
      await store.chatFiles.forget(Date.now() - 60_000, 100);
      assert.equal((await store.chats.after(where(chat, guest.id), 0, 10)).length, 1);
      await store.chatFiles.forget(Date.now() + 1, 100);
      assert.equal((await store.chats.after(where(chat, guest.id), 0, 10)).length, 0);
      assert.equal(await store.chats.status(where(chat, guest.id)), undefined);
      // The browser still has its token, and may go on.
      const again = await chat.visit({ token: guest.token });
      assert.equal(again.id, guest.id);
      await again.say('Here I am again');
      await chat.app.delete(`/1/integrations/${chat.integrationId}`);
      const [purge] = await store.purges.list();
      assert.ok(purge);
      assert.equal(await store.purges.removeChats(purge, 100), 1);
      assert.equal(await store.chats.status(where(chat, guest.id)), undefined);
    });

    it('clears away the conversations of a deleted application', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      await guest.say('Remember me');
      const { store, api } = chat.service;
      await api.delete(`/1/applications/${chat.applicationId}`);
      assert.equal((await chat.begin()).status, 404);
      await until('it is cleared away', async () => {
        const entries = await store.chats.after(where(chat, guest.id), 0, 10);
        const integrationStatus = await store.chats.status(where(chat, guest.id));
        return entries.length === 0 && integrationStatus === undefined;
      });
    });
  });
}

const where = ({ applicationId, integrationId }: ChatService, visitor: string) => ({
  applicationId,
  integrationId,
  visitor,
});

function press(
  guest: Awaited<ReturnType<ChatService['visit']>>,
  entry: number,
  button: number,
): Promise<ServerFrame> {
  const key = newKey();
  guest.do({ do: 'press', key, entry, button });
  return guest.waitFor((told) => 'key' in told && told.key === key);
}
