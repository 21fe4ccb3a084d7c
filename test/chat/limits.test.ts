import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ChatLimits, MAX_FILE_BYTES } from '../../src/chat/limits.ts';
import { TestClock } from '../support/clock.ts';
import { type ChatService, newKey, openChat } from '../support/service/chat.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const upload = (
  { service, integrationId }: ChatService,
  token: string,
  raw: Buffer,
  { type = 'image/png', name = 'a.png' } = {},
) =>
  service
    .as(undefined)
    .post(`/chat/${integrationId}/files?name=${encodeURIComponent(name)}`, undefined, {
      raw,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
    });

for (const engine of ENGINES) {
  describe(`web chat files (${engine})`, () => {
    it('web chat files reach the application and stay private to their visitor', async () => {
      await using chat = await openChat(engine);
      const [ada, bob] = [await chat.visit(), await chat.visit()];
      const { status, body: file } = await upload(chat, ada.token, PNG, { name: 'ca<t>.png' });
      assert.equal(status, 201);
      assert.deepEqual(
        { ...file, id: '' },
        { id: '', name: 'ca_t_.png', mediaType: 'image/png', size: PNG.length },
      );
      await ada.say('Look', { files: [file.id] });
      const { data } = await chat.event('message.received');
      const [image] = data.object.attachment ?? [];
      assert.deepEqual([image?.['type'], image?.['name']], ['Image', 'ca_t_.png']);
      const proxied = await fetch(String(image?.['url']), {
        headers: { authorization: `Bearer ${chat.app.token}` },
      });
      assert.deepEqual(Buffer.from(await proxied.arrayBuffer()), PNG);
      assert.equal(proxied.headers.get('content-type'), 'image/png');
      assert.match(proxied.headers.get('content-disposition') ?? '', /^attachment/);

      const path = `/chat/${chat.integrationId}/files/${file.id}`;
      const get = (token: string) =>
        fetch(chat.service.url + path, { headers: { authorization: `Bearer ${token}` } });
      const own = await get(ada.token);
      assert.deepEqual(Buffer.from(await own.arrayBuffer()), PNG);
      assert.equal(own.headers.get('content-disposition'), 'attachment');
      assert.equal(own.headers.get('content-security-policy'), "default-src 'none'; sandbox");
      assert.equal((await get(bob.token)).status, 404);
      assert.equal((await get(bob.id)).status, 401);
      const stolen = await bob.say('Mine', { files: [file.id] });
      assert.ok(stolen.is === 'refused' && stolen.seconds === undefined);
    });

    it('web chat files are refused when they are too many, too large, empty or without a token', async () => {
      await using chat = await openChat(
        engine,
        {},
        { environment: { SWITCHBOARD_CHAT_FILES_MB: '1' } },
      );
      const guest = await chat.visit();
      assert.equal((await upload(chat, guest.token, Buffer.alloc(0))).body.code, 'empty_body');
      assert.equal((await upload(chat, 'x', PNG)).body.code, 'visitor_refused');
      const large = await upload(chat, guest.token, Buffer.alloc(MAX_FILE_BYTES + 1));
      assert.equal(large.body.code, 'body_too_large');
      assert.equal((await upload(chat, guest.token, Buffer.alloc(1024 * 1024))).status, 201);
      assert.equal((await upload(chat, guest.token, PNG)).body.code, 'chat_full');
    });
  });
}

/** A chat whose clock stands still, so that the limits allow no more however long a test takes. */
const openStill = () => openChat('sqlite', {}, { clock: new TestClock() });

it('the web chat serves files with safe media types only', async () => {
  await using chat = await openChat('sqlite');
  const guest = await chat.visit();
  for (const [type, kept] of [
    ['text/html; charset=utf-8', 'text/html'],
    ['x-y/z', 'application/octet-stream'],
    ['TEXT/Plain', 'text/plain'],
  ]) {
    const { body } = await upload(chat, guest.token, PNG, { type: type ?? '' });
    assert.equal(body.mediaType, kept);
    const path = `/chat/${chat.integrationId}/files/${body.id}`;
    const { headers } = await chat.service.as(guest.token).get(path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('content-disposition'), 'attachment');
  }
});

it('the web chat limits the messages of a visitor and says how long to wait', async () => {
  await using chat = await openStill();
  const guest = await chat.visit();
  const keys = Array.from({ length: 30 }, () => newKey());
  for (const key of keys) guest.do({ do: 'say', key, text: 'spam', files: [] });
  await until(
    'all messages are answered',
    () => guest.frames.filter((frame) => 'key' in frame).length === 30,
  );
  const refused = guest.frames.filter((frame) => frame.is === 'refused');
  assert.equal(refused.length, 10);
  assert.ok(refused.every(({ seconds }) => seconds !== undefined && seconds <= 2));
  const received = await chat.events('message.received');
  assert.equal(received.length, 30 - refused.length);
  // Another visitor is not limited.
  assert.equal((await (await chat.visit()).say('Hello')).is, 'said');
});

it('the web chat disconnects a client that floods it', async () => {
  await using chat = await openStill();
  const guest = await chat.visit();
  for (let i = 0; i < 300; i++) guest.do({ do: 'read', number: 1 });
  assert.equal((await guest.isClosed())[0], 1008);
});

it('the web chat stores a text with characters that a store refuses', async () => {
  for (const engine of ENGINES) {
    await using chat = await openChat(engine);
    const guest = await chat.visit();
    guest.raw(`{"do":"say","key":"${newKey()}","text":"a\\u0000b\\ud800"}`);
    const { data } = await chat.event('message.received');
    assert.equal(data.object.content, 'a\uFFFDb\uFFFD');
  }
});

it('the web chat disconnects a client that sends invalid messages', async () => {
  await using chat = await openChat('sqlite');
  const key = newKey();
  for (const frame of [
    'nonsense',
    '{}',
    '[]',
    'null',
    '{"do":"nothing"}',
    '{"do":"hello"}',
    '{"do":"say","text":"no key"}',
    '{"do":"say","key":"short","text":"x"}',
    JSON.stringify({ do: 'say', key, text: '   ' }),
    JSON.stringify({ do: 'say', key, text: 'x'.repeat(4001) }),
    JSON.stringify({ do: 'say', key, text: 'x', files: ['../../etc/passwd'] }),
    JSON.stringify({ do: 'say', key, text: 'x', files: Array(11).fill('A'.repeat(22)) }),
    '{"do":"read","number":-1}',
    '{"do":"read","number":1.5}',
    '{"do":"read","number":1e300}',
    '{"do":"press","key":"x","entry":1,"button":0}',
    '{"__proto__":{"do":"hello"}}',
    Buffer.from('{"do":"read","number":1}'),
  ]) {
    const guest = await chat.visit();
    guest.raw(frame);
    const [code] = await guest.isClosed();
    assert.equal(code, 1008, String(frame));
  }
  const guest = await chat.visit();
  guest.raw('x'.repeat(70_000));
  assert.equal((await guest.isClosed())[0], 1009);
  assert.deepEqual(await chat.events('message.received'), []);
});

it('the web chat keeps ten pages per visitor open and closes the oldest for another', async () => {
  await using chat = await openChat('sqlite');
  const first = await chat.visit();
  for (let i = 0; i < 9; i++) await chat.visit({ token: first.token });
  assert.equal(first.closed, undefined);
  const last = await chat.visit({ token: first.token });
  assert.equal((await first.isClosed())[0], 1008);
  assert.equal((await last.say('Hello')).is, 'said');
});

it('the web chat limits new sessions per IP address and says how long to wait', async () => {
  await using chat = await openStill();
  const replies = await Promise.all(Array.from({ length: 40 }, () => chat.begin()));
  const refused = replies.filter(({ status }) => status !== 200);
  assert.equal(refused.length, 10);
  for (const { body, headers } of refused) {
    assert.equal(body.code, 'rate_limited');
    assert.equal(headers.get('retry-after'), '1');
  }
});

it('the web chat counts by visitor and by IP address and charges neither when the other is exhausted', () => {
  const limits = new ChatLimits(new TestClock());
  const take = (visitor: string, address: string) => limits.take('say', { visitor, address });
  for (let i = 0; i < 20; i++) assert.equal(take('a', '1'), 0);
  assert.ok(take('a', '1') > 0);
  assert.equal(take('b', '1'), 0);
  for (let i = 0; i < 79; i++) assert.equal(take(`c${i}`, '1'), 0);
  assert.ok(take('d', '1') > 0);
  for (let i = 0; i < 20; i++) assert.equal(take('d', '2'), 0, 'nothing was charged');
});
