import assert from 'node:assert/strict';
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import type { HookContext } from '../../../src/channels/inbound.ts';
import { ignored } from '../../../src/channels/inbound.ts';
import { wechat } from '../../../src/channels/wechat/channel.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import { APP, VIDEO_URL, MEDIA, PEOPLE, openWeChat } from '../../emulators/wechat.ts';
import { type HookCase, type WebhookRequest, testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const TOKEN = 'faketoken0123456789';
/** 43 characters: 32 bytes in base64 without the padding. */
const AES = 'fakeKey0123456789abcdefghijklmnopqrstuvwxyz';
const nonce = '1320562132';

const sha1 = (...parts: string[]) =>
  createHash('sha1').update(parts.toSorted().join('')).digest('hex');

/** The query of all requests. */
function addressed(
  made: WebhookRequest,
  { secret = '' }: Credentials,
  now: number,
): WebhookRequest {
  const timestamp = String(Math.floor(now / 1000));
  const query = { ...made.query, signature: sha1(secret, timestamp, nonce), timestamp, nonce };
  return { ...made, query };
}

/** As documented: 16 random characters, the length, the message, the app id, and padding to blocks of 32. */
function encrypt(text: string, app: string, aes: string): string {
  const key = Buffer.from(`${aes}=`, 'base64');
  const message = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  const plain = Buffer.concat([randomBytes(16), length, message, Buffer.from(app)]);
  const end = 32 - (plain.length % 32);
  const cipher = createCipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false);
  const padded = Buffer.concat([plain, Buffer.alloc(end, end)]);
  return Buffer.concat([cipher.update(padded), cipher.final()]).toString('base64');
}

function sealed(made: WebhookRequest, credentials: Credentials, now: number): WebhookRequest {
  const { query, ...rest } = addressed(made, credentials, now);
  if (made.method === 'GET') return { query, ...rest };
  const { secret = '', refresh = '' } = credentials;
  const hidden = encrypt(made.body.toString(), APP.consumer_key, refresh);
  const msg_signature = sha1(secret, query['timestamp'] ?? '', nonce, hidden);
  const body = `<xml>\n<ToUserName><![CDATA[gh_1]]></ToUserName>\n<Encrypt><![CDATA[${hidden}]]></Encrypt></xml>`;
  return {
    ...rest,
    query: { ...query, openid: PEOPLE.known, encrypt_type: 'aes', msg_signature },
    body: Buffer.from(body),
  };
}

const xml = (type: string, more: string) => ({
  headers: { 'content-type': 'text/xml' },
  body: `<xml>
  <ToUserName><![CDATA[gh_1]]></ToUserName>
  <FromUserName><![CDATA[${PEOPLE.known}]]></FromUserName>
  <CreateTime>1738584865</CreateTime>
  <MsgType><![CDATA[${type}]]></MsgType>
  ${more}
</xml>`,
});
const id = '23012345678901234';
const msgId = `<MsgId>${id}</MsgId>`;
const who = { from: { id: PEOPLE.known }, at: 1_738_584_865_000 } as const;
const received = { what: 'message', ...who, key: id, id } as const;
const answer = { text: 'success' };
const event = (name: string, value = '') =>
  xml('event', `<Event><![CDATA[${name}]]></Event><EventKey><![CDATA[${value}]]></EventKey>`);
const key = (name: string, value = '') => `${PEOPLE.known}:1738584865:${name}:${value}`;
const media = (more = '') => `<MediaId><![CDATA[${MEDIA.image}]]></MediaId>${more}${msgId}`;

const CASES: readonly HookCase[] = [
  {
    it: 'answers the handshake with the echo string',
    call: { method: 'GET', query: { echostr: '5838479218127813673' } },
    inboundEvents: [],
    answer: { text: '5838479218127813673' },
  },
  {
    it: 'receives a text',
    call: xml('text', `<Content><![CDATA[早上好 <b>&amp; 👋]]></Content>${msgId}`),
    inboundEvents: [{ ...received, text: '早上好 <b>&amp; 👋' }],
    answer,
  },
  {
    it: 'receives the chosen menu item',
    call: xml('text', `<Content>Yes</Content>${msgId}<bizmsgmenuid>101</bizmsgmenuid>`),
    inboundEvents: [{ ...received, text: 'Yes', button: { name: 'Yes', value: '101' } }],
    answer,
  },
  {
    it: 'receives an image',
    call: xml('image', `<PicUrl><![CDATA[http://mmbiz.qpic.cn/1]]></PicUrl>${media()}`),
    inboundEvents: [{ ...received, media: [{ type: 'Image', reference: MEDIA.image }] }],
    answer,
  },
  {
    it: 'receives a voice message with its transcript if there is one',
    call: xml('voice', media('<Format>amr</Format><Recognition>Hello</Recognition>')),
    inboundEvents: [
      { ...received, media: [{ type: 'Audio', reference: MEDIA.image, caption: 'Hello' }] },
    ],
    answer,
  },
  {
    it: 'receives a video',
    call: xml('shortvideo', media('<ThumbMediaId>x</ThumbMediaId>')),
    inboundEvents: [{ ...received, media: [{ type: 'Video', reference: MEDIA.image }] }],
    answer,
  },
  {
    it: 'receives a place',
    call: xml(
      'location',
      `<Location_X>23.134521</Location_X><Location_Y>113.358803</Location_Y><Scale>20</Scale><Label><![CDATA[Guangzhou]]></Label>${msgId}`,
    ),
    inboundEvents: [
      { ...received, place: { latitude: 23.134521, longitude: 113.358803, name: 'Guangzhou' } },
    ],
    answer,
  },
  {
    it: 'receives a link',
    call: xml(
      'link',
      `<Title>Example</Title><Description>x</Description><Url>https://example.com/?a&amp;b</Url>${msgId}`,
    ),
    inboundEvents: [{ ...received, text: 'Example\nhttps://example.com/?a&b' }],
    answer,
  },
  {
    it: 'receives a menu button press',
    call: event('CLICK', 'today'),
    inboundEvents: [
      {
        what: 'message',
        ...who,
        key: key('CLICK', 'today'),
        opens: { forMs: 60_000 },
        button: { name: 'today', value: 'today' },
      },
    ],
    answer,
  },
  {
    it: 'receives who follows the account',
    call: event('subscribe'),
    inboundEvents: [{ what: 'join', ...who, key: key('subscribe'), opens: { forMs: 60_000 } }],
    answer,
  },
  {
    it: 'receives who unfollows the account',
    call: event('unsubscribe'),
    inboundEvents: [{ what: 'leave', ...who, key: key('unsubscribe') }],
    answer,
  },
  {
    it: 'ignores other events',
    call: event('VIEW', 'https://x'),
    inboundEvents: ignored('event.VIEW', 'no_event'),
    answer,
  },
];

const plain = { ...APP, secret: TOKEN };

describe('wechat in plain mode', () => {
  testHook(wechat, {
    credentials: plain,
    prove: addressed,
    coversBody: false,
    window: 300,
    cases: CASES,
  });
});

describe('wechat in safe mode', () => {
  testHook(wechat, {
    credentials: { ...plain, refresh: AES },
    prove: sealed,
    // Fields outside the encrypted text are not signed and not read.
    coversBody: false,
    window: 300,
    cases: CASES,
  });

  const { hook } = wechat;
  assert.ok(hook);
  const verdict = async (
    change: (made: WebhookRequest, context: HookContext) => WebhookRequest,
    more: object = {},
  ) => {
    const credentials = { ...plain, refresh: AES, ...more };
    await using context = openContext({ credentials, url: 'https://wechat.example' });
    const { body: text } = xml('text', `<Content>Hello</Content>${msgId}`);
    const made = { method: 'POST', path: '', query: {}, headers: {}, body: Buffer.from(text) };
    const { query, ...rest } = change(made, context);
    const search = new URLSearchParams(query);
    const call = { ...rest, url: 'https://none', query: search, header: () => undefined };
    return await hook.verify(call, context);
  };
  const seal = (made: WebhookRequest, { clock }: HookContext) =>
    sealed(made, { ...plain, refresh: AES }, clock.now());

  it('refuses an unencrypted request though it is signed', async () => {
    assert.equal(await verdict(seal), undefined);
    const reason = await verdict((made, { clock }) => addressed(made, plain, clock.now()));
    assert.match(reason ?? '', /not encrypted/);
  });

  it('refuses a modified request', async () => {
    for (const at of [0.3, 0.5, 0.7]) {
      const reason = await verdict((made, context) => {
        const given = seal(made, context);
        const place = Math.floor(given.body.length * at);
        return { ...given, body: Buffer.from(given.body.map((b, i) => (i === place ? b ^ 1 : b))) };
      });
      assert.match(reason ?? '', /signature/);
    }
  });

  it('refuses a message for another app and one encrypted with another key', async () => {
    assert.match((await verdict(seal, { consumer_key: 'wx-other' })) ?? '', /another app/);
    const other = Array.from(AES).toReversed().join('');
    assert.match((await verdict(seal, { refresh: other })) ?? '', /another key|another app/);
    assert.match((await verdict(seal, { refresh: 'fake-too-short' })) ?? '', /another key/);
  });
});

describe('wechat media', () => {
  const run = async (reference: string, prepare?: (url: string) => Promise<unknown>) => {
    const peer = await openWeChat();
    await using context = openContext({ credentials: APP, url: peer.url });
    if (prepare) {
      await wechat.media?.(reference, context);
      await prepare(peer.url);
    }
    const found = await wechat.media?.(reference, context);
    await peer.close();
    return { found, url: peer.url, concealed: context.concealed };
  };
  const at = (url: string, token: string) =>
    `${url}/cgi-bin/media/get?access_token=${token}&media_id=${MEDIA.image}`;

  it('wechat media are downloaded with a token that is concealed', async () => {
    const { found, url, concealed } = await run(MEDIA.image);
    assert.deepEqual(found, { url: at(url, 'fake-token-1') });
    assert.deepEqual(concealed, ['fake-token-1']);
  });

  it('wechat media are downloaded with a new token when the old one is rejected', async () => {
    const { found, url } = await run(MEDIA.image, async (base) => fetch(`${base}/replace`));
    assert.deepEqual(found, { url: at(url, 'fake-token-2') });
  });

  it('wechat media have another address for videos and are missing after three days', async () => {
    assert.deepEqual((await run(MEDIA.video)).found, { url: VIDEO_URL });
    const { found } = await run('unknown');
    assert.partialDeepStrictEqual(found, { outcome: 'permanent', code: '40007' });
  });
});
