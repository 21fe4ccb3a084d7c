import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ServerFrame } from '../../src/chat/frames.ts';
import { Retention } from '../../src/store/upkeep/retention.ts';
import { TestClock } from '../support/clock.ts';
import { type ChatService, newKey, openChat } from '../support/service/chat.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

for (const engine of ENGINES) {
  describe(`the web chat protocol (${engine})`, () => {
    it('delivers a message to the browser: sent, delivered on arrival, read when seen', async () => {
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

    it("stores a visitor's message for the application before it confirms it to the page", async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      const frame = await guest.say('  Is anybody there?\n');
      assert.equal(frame.is, 'said');
      const [event] = await chat.events('message.received');
      assert.equal(event?.data.actor.id, guest.id);
      assert.equal(event.data.object.content, 'Is anybody there?');
      // The event's id can be replied to.
      const inReplyTo = event.data.object.id;
      await chat.send(guest.id, { type: 'Note', content: 'Yes.', inReplyTo });
      const answer = await guest.sees('Yes.');
      assert.equal(answer.reply, 1);
    });

    it('stores a message repeated under one key once, also after a reconnect', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      const key = newKey();
      await guest.say('Hello', { key });
      guest.do({ do: 'say', key, text: 'Hello', files: [] });
      guest.leave();
      const again = await chat.visit({ token: guest.token });
      const frame = await again.say('Hello', { key });
      assert.deepEqual(frame, { is: 'said', key, number: 1 });
      assert.deepEqual(again.texts, ['Hello']);
      assert.equal((await chat.events('message.received')).length, 1);
    });

    it('the web chat protocol resumes from a cursor without loss or repetition, including edits', async () => {
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
      const entries = again.frames.flatMap((frame) => (frame.is === 'entry' ? [frame.entry] : []));
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
      // A new page gets the current state.
      const anew = await chat.visit({ token: guest.token });
      assert.deepEqual(anew.texts, ['one and a half', '', 'three']);
    });

    it('starts with the last fifty entries and loads earlier ones on request', async () => {
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
      const [history] = again.frames;
      assert.ok(history?.is === 'history' && history.hasMore);
      assert.deepEqual([again.texts[0], again.texts.at(-1)], ['11', '60']);
      again.do({ do: 'earlier', before: 11 });
      const earlier = await again.waitFor(({ is }) => is === 'earlier');
      assert.ok(earlier.is === 'earlier' && !earlier.hasMore);
      assert.equal(again.texts.length, 60);
    });

    it('a button press sends its name as a message and its value to the application', async () => {
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
      assert.equal((await refused).is, 'refused', 'a link button sends nothing');
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

    it("shows the application's typing indicator until it expires or a message arrives", async () => {
      // The clock stands still, so the indicator does not expire meanwhile.
      await using chat = await openChat(engine, {}, { clock: new TestClock() });
      const guest = await chat.visit();
      const path = `/1/integrations/${chat.integrationId}/typing`;
      assert.equal((await chat.app.post(path, { to: { id: guest.id } })).status, 204);
      const frame = await guest.waitFor(({ is }) => is === 'typing');
      assert.deepEqual(frame, { is: 'typing', seconds: 6 });
      await chat.send(guest.id, 'Here I am');
      await guest.sees('Here I am');
      const later = await chat.visit({ token: guest.token });
      assert.ok(!later.frames.some(({ is }) => is === 'typing'));
      assert.equal((await chat.app.post(path, { to: { id: 'nobody' } })).status, 422);
    });

    it('fails a message to an unknown visitor and blames the recipient', async () => {
      await using chat = await openChat(engine);
      for (const to of ['guest-AAAAAAAAAAAAAAAAAAAAAA', 'ada']) {
        const id = await chat.send(to, 'Anybody?');
        const { error } = await chat.reaches(id, 'failed');
        assert.equal(error?.code, 'recipient', to);
      }
    });

    it('reports each state of a message once, and never for unsent ones', async () => {
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

    it('purges expired conversations and those of a deleted integration', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      await guest.say('Remember me');
      const { store } = chat.service;
      const retention = new Retention(store.engine, store.events);
      while (await retention.removeOld(Date.now(), 60_000, 100));
      assert.equal((await store.chats.after(where(chat, guest.id), 0, 10)).length, 1);
      while (await retention.removeOld(Date.now() + 1, 0, 100));
      assert.equal((await store.chats.after(where(chat, guest.id), 0, 10)).length, 0);
      assert.equal(await store.chats.status(where(chat, guest.id)), undefined);
      // The browser still has its token and may continue.
      const again = await chat.visit({ token: guest.token });
      assert.equal(again.id, guest.id);
      await again.say('Here I am again');
      await chat.app.delete(`/1/integrations/${chat.integrationId}`);
      const [purge] = await store.purges.list();
      assert.ok(purge);
      assert.equal(await store.purges.removeChats(purge, 100), 1);
      assert.equal(await store.chats.status(where(chat, guest.id)), undefined);
    });

    it('purges the conversations of a deleted application', async () => {
      await using chat = await openChat(engine);
      const guest = await chat.visit();
      await guest.say('Remember me');
      const { store, api } = chat.service;
      await api.delete(`/1/applications/${chat.applicationId}`);
      assert.equal((await chat.begin()).status, 404);
      await until('the conversations are purged', async () => {
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
  return guest.waitFor((frame) => 'key' in frame && frame.key === key);
}
