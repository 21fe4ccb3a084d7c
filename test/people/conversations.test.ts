import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
  type SandboxService,
  type SandboxTest,
  openSandboxes,
} from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

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
  });
}
