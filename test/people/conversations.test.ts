import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
  type SandboxService,
  type SandboxTest,
  openSandboxes,
} from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const AS = 'https://www.w3.org/ns/activitystreams';

interface Entry {
  id: string;
  direction: 'in' | 'out';
  message?: { state: string; message: { object: { content: string } } };
  event?: { data: { object: { content: string } } };
}

const textOf = ({ message, event }: Entry) =>
  (message?.message ?? event?.data)?.object.content ?? '';

for (const engine of ENGINES) {
  describe(`conversations (${engine})`, () => {
    let sandboxes: SandboxService;
    before(async () => {
      sandboxes = await openSandboxes(engine);
    });
    after(() => sandboxes[Symbol.asyncDispose]());

    /** The person writes, and the application has the message. */
    const write = async (sandbox: SandboxTest, text: string, from?: string) => {
      await sandbox.act('reply', { text, ...(from && { from }) });
      const { data } = await sandbox.event(
        text,
        ({ type, data: received }) =>
          type === 'message.received' && JSON.stringify(received).includes(text),
      );
      return (data as { actor: { id: string } }).actor.id;
    };
    const send = async (sandbox: SandboxTest, text: string, to: string) => {
      const id = await sandbox.send({ type: 'Note', content: text }, to);
      await sandbox.message(id, ({ state }) => state !== 'queued' && state !== 'sending');
      return id;
    };
    const list = async ({ app }: SandboxTest, query = '') =>
      (await app.get(`/1/conversations${query}`)).body.data;

    it('both directions are one timeline, newest first, with their states', async () => {
      const sandbox = await sandboxes.open('telegram');
      const ada = await write(sandbox, 'the first question');
      await send(sandbox, 'the first answer', ada);
      await write(sandbox, 'the second question');
      const [conversation, ...others] = await list(sandbox);
      assert.deepEqual(others, []);
      const { to, unread, last, integration_id, channel } = conversation;
      assert.deepEqual(
        [to, unread, integration_id, channel],
        [ada, 2, sandbox.integrationId, 'telegram'],
      );
      assert.deepEqual([last.direction, last.text], ['in', 'the second question']);
      const path = `/1/conversations/${conversation.id}`;
      const { body } = await sandbox.app.get(`${path}/messages`);
      const entries = body.data as Entry[];
      assert.deepEqual(
        entries.map((entry) => [entry.direction, textOf(entry)]),
        [
          ['in', 'the second question'],
          ['out', 'the first answer'],
          ['in', 'the first question'],
        ],
      );
      assert.ok(entries[1]?.message?.state);
      assert.equal((await sandbox.app.post(`${path}/read`)).status, 204);
      assert.equal((await sandbox.app.get(path)).body.unread, 0);
      await write(sandbox, 'the third question');
      assert.equal((await sandbox.app.get(path)).body.unread, 1);
    });

    it('pages of a timeline hold each entry once', async () => {
      const sandbox = await sandboxes.open('telegram');
      const ada = await write(sandbox, 'one');
      const expected = ['one'];
      for (const text of ['two', 'three', 'four', 'five']) {
        if (text.length % 2 === 0) await write(sandbox, text);
        else await send(sandbox, text, ada);
        expected.push(text);
      }
      const [{ id }] = await list(sandbox);
      const seen: string[] = [];
      for (let path = `/1/conversations/${id}/messages?limit=2`; path !== '';) {
        const { body, headers } = await sandbox.app.get(path);
        seen.push(...body.data.map(textOf));
        const [, next = ''] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
        path = next === '' ? '' : next.slice(new URL(next).origin.length);
      }
      assert.deepEqual(seen, expected.toReversed());
    });

    it('the conversation with the newest message comes first, on every page once', async () => {
      const sandbox = await sandboxes.open('telegram');
      const people = ['101', '102', '103'];
      for (const person of people) await send(sandbox, `to ${person}`, person);
      const all = await list(sandbox);
      assert.deepEqual(
        all.map(({ to }: { to: string }) => to),
        people.toReversed(),
      );
      const [first] = await list(sandbox, '?limit=1');
      const rest = await list(sandbox, `?starting_after=${first.id}`);
      assert.deepEqual([first, ...rest], all);
      await send(sandbox, 'again', '101');
      const [newest] = await list(sandbox);
      assert.deepEqual([newest.to, newest.last.text, newest.unread], ['101', 'again', 0]);
    });

    it('the text of the last message has no markup', async () => {
      const sandbox = await sandboxes.open('telegram');
      const content = 'Your **order** is [here](https://example.com/7) & `A-17`';
      const id = await sandbox.send({ type: 'Note', mediaType: 'text/markdown', content }, '101');
      await sandbox.message(id, ({ state }) => state === 'sent');
      await send(sandbox, 'as **written**', '102');
      const texts = (await list(sandbox)).map(({ last }: { last: { text: string } }) => last.text);
      assert.deepEqual(texts, ['as **written**', 'Your order is here & A-17']);
    });

    it('a conversation shows its contact, and is found by it', async () => {
      const sandbox = await sandboxes.open('whatsapp');
      const ada = await write(sandbox, 'hello there');
      const address = { channel: 'sandbox.whatsapp', address: ada };
      const given = { name: 'Ada', external_id: 'a', addresses: [address] };
      const { body: contact } = await sandbox.app.post('/1/contacts', given);
      const [conversation] = await list(sandbox);
      assert.deepEqual(conversation.contact, { id: contact.id, name: 'Ada', external_id: 'a' });
      assert.equal(conversation.window.state, 'open');
      assert.deepEqual(await list(sandbox, `?contact_id=${contact.id}`), [conversation]);
      assert.deepEqual(await list(sandbox, '?contact_id=9999999'), []);
    });

    it('a search finds addresses, reported names and contacts, newest first', async () => {
      const sandbox = await sandboxes.open('whatsapp');
      const ada = await write(sandbox, 'hello from Ada');
      await send(sandbox, 'hello', '15550001234');
      const address = { channel: 'sandbox.whatsapp', address: '15550001234' };
      const given = { name: 'Grace Hopper', external_id: 'Customer-7', addresses: [address] };
      await sandbox.app.post('/1/contacts', given);
      const [grace, first] = await list(sandbox);
      assert.deepEqual([grace.to, grace.name, first.to], ['15550001234', null, ada]);
      const found = async (text: string) => {
        const items = await list(sandbox, `?search=${encodeURIComponent(text)}`);
        return items.map(({ to }: { to: string }) => to);
      };
      assert.deepEqual(await found('+1 555 000-12'), [grace.to], 'an address');
      assert.deepEqual(await found('hopp'), [grace.to], 'a later word of the name of a contact');
      assert.deepEqual(await found('customer-7'), [grace.to], 'an external id');
      assert.deepEqual(await found(first.name.slice(0, 3).toUpperCase()), [ada], 'a reported name');
      assert.deepEqual(await found('nobody has this name'), []);
      assert.deepEqual(await found(' '), [grace.to, ada], 'blank text finds all');
      await send(sandbox, 'again', ada);
      await sandbox.app.post('/1/contacts', {
        name: first.name,
        addresses: [{ channel: 'sandbox.whatsapp', address: ada }],
      });
      assert.deepEqual(await found(first.name), [ada], 'found by two ways, listed once');
      const both = (await found('1555')).toSorted();
      assert.deepEqual(both, [ada, grace.to].filter((to) => to.startsWith('1555')).toSorted());
    });

    it('an uploaded file is sent on any channel, and erased with the person', async () => {
      const sandbox = await sandboxes.open('mattermost');
      const { app } = sandbox;
      const ada = await write(sandbox, 'a picture, please');
      const [{ id: conversation }] = await list(sandbox);
      const path = `/1/conversations/${conversation}/files`;
      const bytes = Buffer.from('a picture of an old engine');
      const file = { raw: bytes, headers: { 'content-type': 'image/png' } };
      const { status, body } = await app.post(`${path}?name=engine.png`, undefined, file);
      assert.equal(status, 201);
      assert.deepEqual(
        [body.name, body.mediaType, body.size],
        ['engine.png', 'image/png', bytes.length],
      );
      const read = (url: string) => app.get(url.slice(app.url.length));
      assert.equal((await read(body.url)).text, bytes.toString());

      const message = await sandbox.send({ type: 'Image', url: body.url, content: 'Look' }, ada);
      await sandbox.message(message, ({ state }) => state === 'sent');
      const { media } = await sandbox.shown('the picture', ({ text }) => text === 'Look');
      const shown = await app.get(`/1/sandbox/${sandbox.integrationId}/files/${media[0].file}`);
      assert.equal(shown.text, bytes.toString(), 'the vendor has the bytes');

      const empty = await app.post(path, undefined, { ...file, raw: '' });
      assert.equal(empty.body.code, 'empty_body');
      const large = await app.post(path, undefined, { ...file, raw: Buffer.alloc(10_485_761) });
      assert.equal(large.body.code, 'body_too_large');
      const stranger = await sandboxes.open('telegram');
      const object = { type: 'Image', url: body.url };
      const to = { type: 'Person', id: stranger.recipient };
      const stolen = await stranger.app.post('/1/message', {
        message: { '@context': AS, type: 'Create', generator: { type: 'Service' }, to, object },
      });
      assert.equal(stolen.body.code, 'unknown_media');

      const address = { channel: 'sandbox.mattermost', address: ada };
      const { body: contact } = await app.post('/1/contacts', { addresses: [address] });
      const exported = await app.request('GET', `/1/contacts/${contact.id}/export`);
      assert.ok(exported.text.includes(bytes.toString('base64')));
      await app.post(`/1/contacts/${contact.id}/erase`);
      await until('the file is erased', async () => (await read(body.url)).status === 404);
    });

    it('applications that never ask for conversations have no rows', async () => {
      const sandbox = await sandboxes.open('telegram');
      await send(sandbox, 'nobody looks', '101');
      const { conversations } = sandboxes.service.store;
      const { items } = await conversations.list(sandbox.applicationId, { limit: 10 });
      assert.deepEqual(items, []);
    });

    it('conversations follow the feed without being asked', async () => {
      const sandbox = await sandboxes.open('telegram');
      assert.deepEqual(await list(sandbox), []);
      await write(sandbox, 'ping');
      const { conversations } = sandboxes.service.store;
      await until('the conversation', async () => {
        const { items } = await conversations.list(sandbox.applicationId, { limit: 10 });
        return items.length === 1;
      });
    });

    it('an older message that is sent later is not the last one', async () => {
      const sandbox = await sandboxes.open('telegram');
      const sendAt = new Date(Date.now() + 1_500).toISOString();
      const note = (content: string) => ({
        '@context': AS,
        type: 'Create',
        generator: { type: 'Service' },
        to: { type: 'Person', id: '101' },
        object: { type: 'Note', content },
      });
      const { body: older } = await sandbox.app.post('/1/message', {
        message: note('older'),
        send_at: sendAt,
      });
      await send(sandbox, 'newer', '101');
      assert.equal((await list(sandbox))[0].last.text, 'newer');
      await sandbox.message(older.id, ({ state }) => state === 'sent');
      const [{ id, last }] = await list(sandbox);
      const { body } = await sandbox.app.get(`/1/conversations/${id}/messages`);
      assert.deepEqual((body.data as Entry[]).map(textOf), ['newer', 'older']);
      assert.equal(last.text, 'newer', 'as in the timeline');
    });
  });
}
