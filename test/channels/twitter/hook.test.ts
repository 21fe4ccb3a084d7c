import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { twitter } from '../../../src/channels/twitter/channel.ts';
import { CLIENT, KEYS, PEOPLE, REFRESH, openTwitter } from '../../emulators/twitter/api.ts';
import { HOOK_URL, testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const self = '4337869213';
const hmac = (text: string | Buffer, secret: string) =>
  `sha256=${createHmac('sha256', secret).update(text).digest('base64')}`;

const id = '1794700800000000001';
const at = 1_738_584_865_123;
const users = {
  [self]: { id: self, name: 'Example', screen_name: 'example' },
  [PEOPLE.friend]: { id: PEOPLE.friend, name: 'Ada', screen_name: 'ada' },
};
const message = (data: object, sender: string = PEOPLE.friend) => ({
  body: {
    for_user_id: self,
    direct_message_events: [
      {
        type: 'message_create',
        id,
        created_timestamp: String(at),
        message_create: {
          target: { recipient_id: sender === self ? PEOPLE.friend : self },
          sender_id: sender,
          message_data: { entities: { hashtags: [], urls: [] }, ...data },
        },
      },
    ],
    apps: {},
    users,
  },
});
const received = {
  what: 'message',
  key: id,
  id,
  from: { id: PEOPLE.friend, name: 'Ada' },
  at,
} as const;
const photo = 'https://ton.twitter.com/1.1/ton/data/dm/1794700800000000001/1/picture.jpg';
const videoUrl = 'https://video.twimg.com/dm_video/1/vid/640x360/film.mp4';
const attachment = (media: object) => ({
  type: 'media',
  media: { id: 1, url: 'https://t.co/abc', media_url_https: photo, ...media },
});

testHook(twitter, {
  credentials: KEYS,
  prove: (made, { consumer_secret = '' }) => {
    const headers = { 'x-twitter-webhooks-signature': hmac(made.body, consumer_secret) };
    return { ...made, headers: { ...made.headers, ...headers } };
  },
  coversBody: true,
  cases: [
    {
      it: 'answers the challenge',
      call: { method: 'GET', query: { crc_token: 'NWI3OTk0-ExA_m+ple/==', nonce: 'NTc4' } },
      inboundEvents: [],
      answer: {
        text: JSON.stringify({
          response_token: hmac('NWI3OTk0-ExA_m+ple/==', KEYS.consumer_secret),
        }),
        type: 'application/json',
      },
      isOpen: true,
    },
    {
      it: 'receives a text',
      call: message({ text: 'Good morning! 👋' }),
      inboundEvents: [{ ...received, text: 'Good morning! 👋' }],
    },
    {
      it: 'receives an image, and its text without the link',
      call: message({ text: 'Look https://t.co/abc', attachment: attachment({ type: 'photo' }) }),
      inboundEvents: [{ ...received, text: 'Look', media: [{ type: 'Image', reference: photo }] }],
    },
    {
      it: 'receives a video in its best variant',
      call: message({
        text: ' https://t.co/abc',
        attachment: attachment({
          type: 'video',
          video_info: {
            variants: [
              { content_type: 'application/x-mpegURL', url: 'https://video.twimg.com/a.m3u8' },
              { content_type: 'video/mp4', bitrate: 320_000, url: 'https://video.twimg.com/b' },
              { content_type: 'video/mp4', bitrate: 832_000, url: videoUrl },
            ],
          },
        }),
      }),
      inboundEvents: [{ ...received, media: [{ type: 'Video', reference: videoUrl }] }],
    },
    {
      it: 'receives a button press',
      call: message({
        text: 'Red',
        quick_reply_response: { type: 'options', metadata: 'external_id_1' },
      }),
      inboundEvents: [
        { ...received, text: 'Red', button: { name: 'Red', value: 'external_id_1' } },
      ],
    },
    {
      it: 'receives a read receipt',
      call: {
        body: {
          for_user_id: self,
          direct_message_mark_read_events: [
            {
              created_timestamp: String(at),
              sender_id: PEOPLE.friend,
              target: { recipient_id: self },
              last_read_event_id: id,
            },
          ],
          users,
        },
      },
      inboundEvents: [
        { what: 'receipt', id, state: 'read' },
        // 2024-05-26T12:00 UTC and a little, derived from the id.
        {
          what: 'receipts',
          recipient: PEOPLE.friend,
          upTo: Number((BigInt(id) >> 22n) + 1_288_834_974_657n),
          state: 'read',
        },
      ],
    },
    {
      it: 'ignores its own messages',
      call: message({ text: 'Hi' }, self),
      inboundEvents: ignored('direct_message_events', 'own'),
    },
    {
      it: 'ignores other activity',
      call: { body: { for_user_id: self, tweet_create_events: [{ id_str: '1' }] } },
      inboundEvents: ignored('tweet_create_events', 'no_event'),
    },
  ],
});

describe("twitter's challenge responses", () => {
  const { hook } = twitter;
  assert.ok(hook);
  const requestChallenge = async (token: string | undefined, credentials: object = KEYS) => {
    await using context = openContext({ credentials, url: 'https://x.example' });
    const query = new URLSearchParams(token === undefined ? {} : { crc_token: token });
    const url = 'https://none.example';
    const body = Buffer.alloc(0);
    const call = { method: 'GET', url, path: '', query, header: () => undefined, body };
    return { verdict: await hook.verify(call, context), answer: hook.answer?.(call, context) };
  };

  it("twitter's challenge responses can never be a signature of an event", async () => {
    const forged = JSON.stringify(message({ text: 'Forged' }).body);
    for (const token of [forged, '{}', '', ' ', 'x'.repeat(201), undefined]) {
      const { verdict, answer } = await requestChallenge(token);
      assert.ok(verdict, token);
      assert.deepEqual(answer, {});
    }
    assert.ok((await requestChallenge('abc', {})).verdict);
  });
});

describe('twitter webhook registration', () => {
  const run = async (url: string, credentials: object, times = 1) => {
    const peer = await openTwitter();
    await using context = openContext({ credentials, url: peer.url });
    let result;
    for (let i = 0; i < times; i++) result = await twitter.hook?.register?.(url, context);
    await peer.close();
    return result;
  };

  it('creates and subscribes a webhook only once', async () => {
    const known = { outcome: 'known', as: 'webhook 1146654567674912769' };
    assert.deepEqual(await run(HOOK_URL, KEYS), known);
    assert.deepEqual(await run(HOOK_URL, KEYS, 2), known);
  });

  it("reports X's error", async () => {
    const refused = await run('https://example.com:8443/hook', KEYS);
    assert.partialDeepStrictEqual(refused, { outcome: 'permanent' });
    const other = await run(HOOK_URL, { ...KEYS, consumer_secret: 'fake-other' });
    assert.partialDeepStrictEqual(other, { outcome: 'permanent', blame: 'credentials' });
    const oauth2 = await run(HOOK_URL, { ...CLIENT, token: 'fake', refresh: REFRESH });
    assert.partialDeepStrictEqual(oauth2, { outcome: 'permanent', blame: 'unsupported' });
  });
});

describe('twitter media', () => {
  const found = async (reference: string, credentials: object = KEYS) => {
    await using context = openContext({ credentials, url: 'https://api.x.com' });
    return await twitter.media?.(reference, context);
  };

  it('twitter media are downloaded with a signature where they are private', async () => {
    const own = await found(photo);
    assert.ok(own && 'url' in own && own.url === photo);
    assert.match(own.headers?.['authorization'] ?? '', /^OAuth .*oauth_signature="/);
    assert.deepEqual(await found(videoUrl), { url: videoUrl });
    const { secret: _, ...oauth2 } = KEYS;
    assert.partialDeepStrictEqual(await found(photo, oauth2), { blame: 'unsupported' });
  });

  it('twitter media are not downloaded from other hosts', async () => {
    const elsewhere = ['https://ton.twitter.com.example/', 'http://ton.twitter.com/', 'x', ''];
    for (const other of elsewhere) {
      assert.partialDeepStrictEqual(await found(other), { outcome: 'permanent', blame: 'content' });
    }
  });
});
