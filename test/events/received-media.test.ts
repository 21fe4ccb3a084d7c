import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { CHANNELS, TOKEN as DISCORD, openDiscord } from '../emulators/discord/api.ts';
import { CHATS, FILE, FILE_BYTES, TOKEN, openTelegram } from '../emulators/telegram.ts';
import { integrate, message } from '../support/service/activity.ts';
import { openDelivery } from '../support/service/delivery.ts';
import { eventsOf } from '../support/service/feed.ts';
import { ENGINES } from '../support/store/databases.ts';

const SECRET = 'fake-secret_of-a-webhook';
const PUBLIC_URL = 'https://messages.example.com';
const photo = [{ file_id: FILE, file_unique_id: 'AQAD', width: 90, height: 90 }];

for (const engine of ENGINES) {
  describe(`sending on a received file (${engine})`, () => {
    const open = async (environment: Record<string, string> = {}) => {
      const discord = await openDiscord();
      const sb = await openDelivery(engine, {
        channel: 'telegram',
        open: openTelegram,
        credentials: { token: TOKEN, secret: SECRET },
        environment: { SWITCHBOARD_DISCORD_URL: discord.url, ...environment },
      });
      const other = await integrate(sb.app, sb.applicationId, {
        name: 'discord',
        token: DISCORD,
      });
      const generators = {
        telegram: { type: 'Service', id: String(sb.integrationId) },
        discord: { type: 'Service', id: String(other.id) },
      };
      return {
        ...sb,
        discord,
        /** Receives an image; returns its event. */
        async receive() {
          const { body } = await sb.app.get(`/1/integrations/${sb.integrationId}/hook`);
          await fetch(body.url.replace(PUBLIC_URL, sb.service.url), {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              'x-telegram-bot-api-secret-token': SECRET,
            },
            body: JSON.stringify({
              update_id: 1,
              message: {
                message_id: 1,
                date: 1_794_700_800,
                from: { id: 123_456_789, is_bot: false, first_name: 'Ada' },
                chat: { id: 123_456_789, type: 'private' },
                photo,
              },
            }),
          });
          const [event] = await eventsOf(sb.app, 'message.received');
          return event?.data.object as { type: string; url: string };
        },
        to(channel: keyof typeof generators, object: object) {
          const id = channel === 'telegram' ? CHATS.person : CHANNELS.text;
          const generator = generators[channel];
          return message({ generator, to: { type: 'Person', id }, object });
        },
        async [Symbol.asyncDispose]() {
          await sb[Symbol.asyncDispose]();
          await discord.close();
        },
      };
    };
    type World = Awaited<ReturnType<typeof open>>;

    const signedIn = (text: string) =>
      /https:\/\/messages\.example\.com\/1\/media\/[^"]+/.exec(text)?.[0] ?? '';
    const fetchFrom = (sb: World, address: string, init?: RequestInit) =>
      fetch(address.replace(PUBLIC_URL, sb.service.url), init);
    const sentPhoto = async (sb: World) => {
      const object = await sb.receive();
      const { body } = await sb.app.post('/1/message', sb.to('telegram', object));
      assert.equal((await sb.settled(body.id)).state, 'sent');
      const request = sb.peer.seen.find(({ path }) => path.includes('sendPhoto'));
      return { id: body.id as number, address: signedIn(request?.text ?? '') };
    };

    it('uploads it to channels with uploads', async () => {
      await using sb = await open();
      const object = await sb.receive();
      const { body } = await sb.app.post('/1/message', sb.to('discord', object));
      assert.equal((await sb.settled(body.id)).state, 'sent');
      const request = sb.discord.seen.find(({ method }) => method === 'POST');
      assert.equal(request?.parts?.[1]?.bytes.toString(), FILE_BYTES);
    });

    it('lets the vendor fetch it from a signed address without a token', async () => {
      await using sb = await open({ SWITCHBOARD_PUBLIC_URL: PUBLIC_URL });
      const { id, address } = await sentPhoto(sb);
      const found = await fetchFrom(sb, address);
      assert.deepEqual([found.status, await found.text()], [200, FILE_BYTES]);
      assert.equal(found.headers.get('content-type'), 'image/jpeg');
      assert.equal(found.headers.get('x-content-type-options'), 'nosniff');
      assert.match(found.headers.get('content-disposition') ?? '', /^attachment/);
      assert.match(new URL(address).pathname, /\.jpg$/, 'some vendors require the file extension');
      const [attempt] = await sb.attempts(id);
      const signature = new URL(address).searchParams.get('signature') ?? '';
      assert.ok(!JSON.stringify(attempt).includes(signature), 'the signature is on record');
      assert.ok(
        !sb.service.logs.some((line) => line.includes(signature)),
        'the signature is logged',
      );
      assert.ok(!address.includes(sb.app.token ?? ''));
    });

    it('serves ranges and HEAD', async () => {
      await using sb = await open({ SWITCHBOARD_PUBLIC_URL: PUBLIC_URL });
      const { address } = await sentPhoto(sb);
      const part = await fetchFrom(sb, address, { headers: { range: 'bytes=2-4' } });
      assert.deepEqual([part.status, await part.text()], [206, FILE_BYTES.slice(2, 5)]);
      assert.equal(part.headers.get('content-range'), `bytes 2-4/${FILE_BYTES.length}`);
      const beyond = await fetchFrom(sb, address, { headers: { range: 'bytes=900-' } });
      assert.equal(beyond.status, 416);
      const head = await fetchFrom(sb, address, { method: 'HEAD' });
      assert.deepEqual([head.status, await head.text()], [200, '']);
      assert.equal(head.headers.get('content-length'), String(FILE_BYTES.length));
    });

    it('refuses changed and expired addresses', async () => {
      await using sb = await open({ SWITCHBOARD_PUBLIC_URL: PUBLIC_URL });
      const { address } = await sentPhoto(sb);
      const url = new URL(address);
      const expires = Number(url.searchParams.get('expires'));
      assert.ok(expires * 1000 >= Date.now() + 7 * 24 * 60 * 60 * 1000);
      const past = String(Math.floor(Date.now() / 1000) - 1);
      for (const forged of [
        address.replace('/file.jpg', '/file.png'),
        address.replace(/\/0\/file/, '/1/file'),
        address.replace(`expires=${expires}`, `expires=${expires + 1}`),
        address.replace(`expires=${expires}`, `expires=${past}`),
        address.replace(/.{3}$/, 'AAA'),
        address.replace(/signature=.*$/, ''),
        address.replace(/signature=[^.]+/, 'signature=other'),
      ]) {
        assert.equal((await fetchFrom(sb, forged)).status, 404, forged);
      }
    });

    it('refuses a file that the application has not received', async () => {
      await using sb = await open();
      const { url } = await sb.receive();
      const other = await sb.service.application();
      await integrate(other.app, other.application.id);
      const post = (app: typeof sb.app, object: object) =>
        app.post('/1/message', message({ object }));
      for (const [app, address] of [
        [sb.app, url.replace('/media/0', '/media/1')],
        [sb.app, url.replace(/\/events\/\d+\//, '/events/999/')],
        [other.app, url],
        [sb.app, url.replace(/application=\d+/, `application=${other.application.id}`)],
      ] as const) {
        const generator = { type: 'Service', name: 'telegram' };
        const body = message({ generator, object: { type: 'Image', url: address } });
        const refused = await app.post('/1/message', body);
        assert.deepEqual([refused.status, refused.body.code], [422, 'unknown_media'], address);
        const dry = await app.post('/1/message?dry_run=true', body);
        assert.equal(dry.body.code, 'unknown_media');
      }
      const elsewhere = { type: 'Image', url: 'https://other.example/1/events/1/media/0' };
      assert.equal((await post(other.app, elsewhere)).status, 202, 'not an address of ours');
    });

    it('refuses it without a public URL when the vendor must fetch it', async () => {
      await using sb = await open();
      const object = await sb.receive();
      const refused = await sb.app.post('/1/message', sb.to('telegram', object));
      assert.deepEqual([refused.status, refused.body.code], [422, 'public_url_missing']);
      const { body } = await sb.app.post('/1/message?dry_run=true', sb.to('telegram', object));
      assert.deepEqual([body.ready, body.error.code], [false, 'public_url_missing']);
      assert.deepEqual(
        body.missing.map(({ what }: { what: string }) => what),
        ['public_url'],
      );
      assert.equal((await sb.app.post('/1/message', sb.to('discord', object))).status, 202);
    });

    it('shows its transport in a dry run without the signature', async () => {
      await using sb = await open({ SWITCHBOARD_PUBLIC_URL: PUBLIC_URL });
      const object = await sb.receive();
      const show = async (channel: 'telegram' | 'discord') =>
        (await sb.app.post('/1/message?dry_run=true', sb.to(channel, object))).body.parts[0];
      const uploaded = await show('discord');
      assert.deepEqual(uploaded.received, [{ url: object.url, by: 'upload', expires_at: null }]);
      assert.equal(uploaded.file.url, object.url);
      const served = await show('telegram');
      assert.partialDeepStrictEqual(served.received, [{ url: object.url, by: 'address' }]);
      assert.match(served.received[0].expires_at, /^\d{4}-/);
      assert.equal((await fetchFrom(sb, signedIn(JSON.stringify(served)))).status, 404);
    });
  });
}
