import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Inbound } from '../../src/accept/inbound.ts';
import type { InboundEvent } from '../../src/channels/inbound.ts';
import { textMember } from '../../src/lib/json/json-member.ts';
import { systemClock } from '../../src/lib/runtime/clock.ts';
import { createLog } from '../../src/lib/telemetry/log.ts';
import { FILE, FILE_BYTES, TOKEN, openTelegram } from '../emulators/telegram.ts';
import { openDelivery } from '../support/service/delivery.ts';
import { eventsOf, feedOf } from '../support/service/feed.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const SECRET = 'fake-secret_of-a-webhook';
const PUBLIC_URL = 'https://messages.example.com';
const ADA = { id: 123_456_789, is_bot: false, first_name: 'Ada' };

const update = (number: number, more: object = { text: `text ${number}` }) => ({
  update_id: number,
  message: {
    message_id: number,
    date: 1_794_700_800,
    from: ADA,
    chat: { id: ADA.id, type: 'private' },
    ...more,
  },
});

for (const engine of ENGINES) {
  describe(`an integration's webhook (${engine})`, () => {
    const open = (environment: Record<string, string> = {}) =>
      openDelivery(engine, {
        channel: 'telegram',
        open: openTelegram,
        credentials: { token: TOKEN, secret: SECRET },
        environment,
      });
    type World = Awaited<ReturnType<typeof open>>;
    const hookOf = async ({ app, integrationId }: World) =>
      (await app.get(`/1/integrations/${integrationId}/hook`)).body;
    const call = async (sb: World, body: unknown, headers: Record<string, string> = {}) => {
      const url = (await hookOf(sb)).url.replace(PUBLIC_URL, sb.service.url);
      const proof = { 'x-telegram-bot-api-secret-token': SECRET };
      return fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...proof, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    };

    const receiveDirectly = async (
      { service: { store }, applicationId, integrationId: id }: World,
      name: string,
      events: readonly InboundEvent[],
    ) => {
      const inbound = new Inbound({
        store,
        clock: systemClock,
        log: await createLog({ level: 'silent', pretty: false }),
        tracer: undefined,
        observer: { webhookReceived() {} },
        contextFor: () => assert.fail(),
        received() {},
        feedChanged() {},
        reported() {},
        answered() {},
      });
      await inbound.receive({ id, applicationId, name, mode: 'live' }, events);
    };

    it('stores any text from a channel, including characters that a store refuses', async () => {
      await using sb = await open();
      const strange = 'a\0b\uD800';
      await receiveDirectly(sb, 'telegram', [
        { what: 'message', key: strange, from: { id: strange }, text: strange },
        { what: 'join', key: strange, from: { id: strange, otherAddresses: [strange] } },
        {
          what: 'contact',
          key: strange,
          from: { id: strange },
          to: { id: `${strange}2`, otherAddresses: [] },
        },
        {
          what: 'receipt',
          id: strange,
          state: 'failed',
          code: strange,
          detail: strange,
          cost: { category: strange },
        },
        { what: 'receipts', recipient: strange, state: 'read', upTo: 1 },
      ]);
      const [event] = await eventsOf(sb.app, 'message.received');
      assert.equal(event?.data.object.content, 'a\uFFFDb\uFFFD');
    });

    it('stores a message although its JSON contains what the API refuses', async () => {
      await using sb = await open();
      const json = (number: number) => JSON.stringify(update(number));
      const nested = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
      const members = Array.from({ length: 2_000 }, (_, i) => `"k${i}":1`).join(',');
      const longNumbers = `[${Array(6_000).fill('12345678901234567890').join(',')}]`;
      const bodies = [
        json(1).replace('text 1', String.raw`a\u0000b\ud800`),
        json(2).replace('{', '{"__proto__":{"message":null},'),
        json(3).replace('{', `{"x":${nested(40)},`),
        json(4).replace('{', '{"update_id":0,'),
        json(5).replace('{', `{"x":{${members}},`),
        json(6).replace('{', `{"x":${longNumbers},`),
        json(7).replace('{', String.raw`{"k\u0000\udc00":1,`),
      ];
      for (const body of bodies)
        assert.equal((await call(sb, body)).status, 200, body.slice(0, 80));
      const received = await eventsOf(sb.app, 'message.received', bodies.length);
      assert.deepEqual(
        received.map(({ data }) => data.object.content),
        ['a\uFFFDb\uFFFD', 'text 2', 'text 3', 'text 4', 'text 5', 'text 6', 'text 7'],
      );
    });

    it('stores any time from a channel, including those that no clock shows', async () => {
      await using sb = await open();
      const from = { id: '5' };
      const times = [1e300, -1e300, 8.64e15 + 2, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY];
      for (const at of times) {
        await receiveDirectly(sb, 'messenger', [
          { what: 'message', key: `message ${at}`, at, from, text: 'Hello' },
          { what: 'opt-out', key: `opt-out ${at}`, at, from, category: 'all' },
          { what: 'unreadable', key: `unreadable ${at}`, at, reason: 'malformed', sender: '5' },
          { what: 'receipts', recipient: '5', state: 'read', upTo: at },
        ]);
      }
      assert.equal((await eventsOf(sb.app, 'message.received')).length, times.length);
    });

    it('turns a received message into an activity whose actor can be answered', async () => {
      await using sb = await open();
      assert.equal((await call(sb, update(7))).status, 200);
      const [event] = await eventsOf(sb.app, 'message.received');
      assert.ok(event);
      assert.deepEqual(event.data, {
        id: `${sb.service.url}/1/events/1`,
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        published: 1_794_700_800,
        generator: { type: 'Service', id: String(sb.integrationId), name: 'telegram' },
        actor: { type: 'Person', id: '123456789', name: 'Ada' },
        target: { type: 'Application', id: String(sb.integrationId), name: 'telegram' },
        object: { type: 'Note', id: '123456789:7', content: 'text 7' },
      });
      const { '@context': context, generator, actor, object } = event.data;
      const answer = {
        '@context': context,
        type: 'Create',
        generator,
        to: actor,
        object: { type: 'Note', content: 'Hello, Ada', inReplyTo: object.id },
      };
      const { status, body } = await sb.app.post('/1/message', { message: answer });
      assert.equal(status, 202);
      assert.equal((await sb.settled(body.id)).state, 'sent');
      assert.partialDeepStrictEqual(sb.peer.seen.at(-1)?.json, {
        chat_id: '123456789',
        reply_parameters: { message_id: 7 },
      });
    });

    it("an integration's webhook emits one event for a request received twice, in sequence or at once", async () => {
      await using sb = await open();
      await call(sb, update(1));
      await Promise.all(Array.from({ length: 60 }, (_unused, i) => call(sb, update(1 + (i % 20)))));
      const received = await eventsOf(sb.app, 'message.received', 20);
      assert.equal(received.length, 20);
      assert.equal(new Set(received.map(({ data }) => data.object.id)).size, 20);
    });

    it('refuses and counts forged requests and emits nothing', async () => {
      await using sb = await open();
      const forged = await call(sb, update(1), { 'x-telegram-bot-api-secret-token': 'wrong' });
      assert.equal(forged.status, 401);
      const problem = (await forged.json()) as { code: string };
      assert.equal(problem.code, 'hook_refused');
      const { url } = await hookOf(sb);
      for (const other of [
        url.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A')),
        url.replace(/\/[^/]+$/, '/'),
        url.replace(/hooks\/\d+/, 'hooks/999999'),
        url.replace(/hooks\/\d+/, 'hooks/x'),
      ]) {
        const { status } = await fetch(other, { method: 'POST', body: '{}' });
        assert.equal(status, 404, other);
      }
      await sb.change({ secret: null });
      assert.equal(
        (await call(sb, update(1))).status,
        401,
        'without a secret no request is trusted',
      );
      await sb.change({ secret: SECRET });
      assert.equal((await call(sb, 'no json')).status, 400);
      assert.equal((await call(sb, 'x'.repeat(1_100_000))).status, 413);
      await sb.change({ state: 'disable' });
      assert.equal((await call(sb, update(1))).status, 422);
      assert.deepEqual(await feedOf(sb.app), []);
      const metrics = await (await fetch(`${sb.service.url}/metrics`)).text();
      assert.match(metrics, /hook_calls_total\{channel="telegram",outcome="refused"\} 2/);
      assert.ok(!sb.service.logs.join('').includes(SECRET));
    });

    it("an integration's webhook is registered at the vendor on request, and automatically when the URL is known", async () => {
      await using sb = await open();
      const hook = await hookOf(sb);
      assert.match(hook.url, /\/1\/hooks\/\d+\/[\w-]{22}$/);
      assert.deepEqual([hook.registered, (await hookOf(sb)).url], [false, hook.url]);
      const path = `/1/integrations/${sb.integrationId}/register`;
      const refused = await sb.app.post(path);
      assert.equal(refused.body.code, 'registration_failed');
      assert.match(refused.body.detail, /HTTPS/i, "the vendor's own text");

      await using known = await open({ SWITCHBOARD_PUBLIC_URL: PUBLIC_URL });
      await until('the registration', async () => (await hookOf(known)).registered);
      const { url } = await hookOf(known);
      assert.ok(url.startsWith(`${PUBLIC_URL}/1/hooks/`));
      const registrations = () =>
        known.peer.seen.filter((request) => request.path.includes('setWebhook'));
      assert.partialDeepStrictEqual(registrations().at(-1)?.json, { url, secret_token: SECRET });
      const again = await known.app.post(`/1/integrations/${known.integrationId}/register`);
      assert.deepEqual([again.status, again.body.registered], [200, true]);
      assert.equal(registrations().length, 2);
      await known.app.delete(`/1/integrations/${known.integrationId}/disable`);
      const off = await known.app.post(`/1/integrations/${known.integrationId}/register`);
      assert.equal(off.body.code, 'integration_disabled');
    });

    it('generates a missing secret, registers it and verifies requests with it', async () => {
      await using sb = await open({ SWITCHBOARD_PUBLIC_URL: PUBLIC_URL });
      await sb.change({ secret: null });
      await sb.app.post(`/1/integrations/${sb.integrationId}/register`);
      const made = textMember(sb.peer.seen.at(-1)?.json, 'secret_token') ?? '';
      assert.match(made, /^[\w-]{20,}$/);
      assert.equal((await call(sb, update(1))).status, 401);
      const proof = { 'x-telegram-bot-api-secret-token': made };
      assert.equal((await call(sb, update(1), proof)).status, 200);
    });

    it('shows files at our own address and downloads them on request', async () => {
      await using sb = await open();
      const photo = [{ file_id: FILE, file_unique_id: 'AQAD', width: 90, height: 90 }];
      await call(sb, update(1, { photo, caption: 'look "url":"media:0"' }));
      const [event] = await eventsOf(sb.app, 'message.received');
      const media = event?.data.object.attachment?.[0] ?? event?.data.object;
      const address = `${sb.service.url}/1/events/1/media/0?application=${sb.applicationId}`;
      assert.equal(media.url, address);
      assert.ok(!JSON.stringify(event).includes(TOKEN));
      assert.match(JSON.stringify(event?.data.object), /look \\"url\\":\\"media:0\\"/);
      assert.ok(
        !sb.peer.seen.some(({ path }) => path.includes('getFile')),
        'nothing was downloaded yet',
      );
      const get = (path: string, token: string | undefined) =>
        fetch(`${sb.service.url}${path}`, {
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        });
      const found = await get('/1/events/1/media/0', sb.app.token);
      assert.equal(found.status, 200);
      assert.equal(Buffer.from(await found.arrayBuffer()).toString(), FILE_BYTES);
      assert.match(found.headers.get('content-disposition') ?? '', /^attachment/);
      // The file name is sanitized for the header, whatever the vendor or sender calls it.
      for (const mediaType of ['image/png\r\nset-cookie: a=b', 'text/\u{1F642}', 'nonsense', '']) {
        await sb.service.store.engine.db
          .updateTable('events')
          .set({
            media: JSON.stringify([
              { integrationId: sb.integrationId, reference: FILE, mediaType },
            ]),
          })
          .where('applicationId', '=', sb.applicationId)
          .execute();
        const renamed = await get('/1/events/1/media/0', sb.app.token);
        assert.equal(renamed.status, 200, mediaType);
        assert.equal(renamed.headers.get('set-cookie'), null);
      }
      assert.equal((await get('/1/events/1/media/1', sb.app.token)).status, 404);
      assert.equal((await get('/1/events/1/media/0?application=1', sb.app.token)).status, 404);
      assert.equal((await get('/1/events/1/media/0', undefined)).status, 401);
      const { app: other } = await sb.service.application();
      assert.equal((await get('/1/events/1/media/0', other.token)).status, 404);
    });

    it('reports that a channel has no webhook', async () => {
      await using sb = await open();
      const { body } = await sb.app.post('/1/integrations', {
        application_id: sb.applicationId,
        name: 'gotify',
        state: 'enable',
      });
      const path = `/1/integrations/${body.id}`;
      assert.equal((await sb.app.get(`${path}/hook`)).body.url, null);
      assert.equal((await sb.app.post(`${path}/register`)).body.code, 'no_hook');
    });
  });
}
