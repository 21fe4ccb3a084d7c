import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { vonage } from '../../../src/channels/vonage/channel.ts';
import { API_KEY, APPLICATION, NUMBERS, PRIVATE_KEY, SENDERS } from '../../emulators/sms/vonage.ts';
import { type HookCase, type WebhookRequest, testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const SECRET = 'fake-signature-secret-of-32-characters';
const [SENDER] = SENDERS;
const id = 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab';
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The Messages API signs a token with the hash of the body. */
function jwt(
  made: WebhookRequest,
  secret: string,
  now: number,
  more: object = {},
  alg = 'HS256',
): WebhookRequest {
  const claims = {
    iat: Math.floor(now / 1000),
    jti: 'c5ba8f24-1a14-4c10-bfdf-3fbe8ce511b5',
    iss: 'Vonage',
    payload_hash: createHash('sha256').update(made.body).digest('hex'),
    api_key: API_KEY,
    application_id: APPLICATION,
    ...more,
  };
  const input = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`;
  const signature = createHmac('sha256', secret).update(input).digest('base64url');
  const headers = { ...made.headers, Authorization: `Bearer ${input}.${signature}` };
  return { ...made, headers };
}

const inbound = (more: object) => ({
  body: {
    channel: 'sms',
    message_uuid: id,
    to: SENDER,
    from: NUMBERS.person,
    timestamp: '2025-02-03T12:14:25Z',
    ...more,
  },
});
const status = (state: string, more: object = {}) => ({
  body: {
    message_uuid: id,
    to: NUMBERS.person,
    from: SENDER,
    timestamp: '2025-02-03T12:14:25Z',
    status: state,
    channel: 'sms',
    ...more,
  },
});
const received = {
  what: 'message',
  key: id,
  id,
  from: { id: NUMBERS.person },
  at: Date.UTC(2025, 1, 3, 12, 14, 25),
} as const;
const url = 'https://api-us.nexmo.com/v3/media/1b456509-974c-458b-aafa-45fc48a4d976';

const NEWER: readonly HookCase[] = [
  {
    it: 'receives a text message',
    call: inbound({
      message_type: 'text',
      text: 'Good morning! 👋',
      sms: { num_messages: '1', keyword: 'GOOD' },
      usage: { currency: 'EUR', price: '0.0333' },
    }),
    inboundEvents: [{ ...received, text: 'Good morning! 👋' }],
  },
  {
    it: 'receives an image',
    call: inbound({
      channel: 'mms',
      message_type: 'image',
      image: { url, name: 'image.jpg', caption: 'Look' },
    }),
    inboundEvents: [
      {
        ...received,
        media: [{ type: 'Image', reference: url, name: 'image.jpg', caption: 'Look' }],
      },
    ],
  },
  ...(
    [
      ['whatsapp', 'whatsapp'],
      ['viber_service', 'viber'],
      ['rcs', 'rcs'],
    ] as const
  ).map(([channel, prefix]): HookCase => ({
    it: `receives a message by ${prefix} that is answered there`,
    call: inbound({ channel, message_type: 'text', text: 'Hello' }),
    inboundEvents: [{ ...received, from: { id: `${prefix}:${NUMBERS.person}` }, text: 'Hello' }],
  })),
  {
    it: "receives a WhatsApp place with the sender's name",
    call: inbound({
      channel: 'whatsapp',
      profile: { name: 'Ada' },
      message_type: 'location',
      location: { lat: 40.5, long: -74.5, name: 'Vonage' },
    }),
    inboundEvents: [
      {
        ...received,
        from: { id: `whatsapp:${NUMBERS.person}`, name: 'Ada' },
        place: { latitude: 40.5, longitude: -74.5, name: 'Vonage' },
      },
    ],
  },
  {
    it: 'receives a chosen option and a button press',
    call: inbound({
      channel: 'whatsapp',
      message_type: 'reply',
      reply: { id: 'row-1', title: '9am' },
    }),
    inboundEvents: [
      {
        ...received,
        from: { id: `whatsapp:${NUMBERS.person}` },
        button: { name: '9am', value: 'row-1' },
      },
    ],
  },
  {
    it: 'ignores messages of networks that cannot be answered',
    call: inbound({ channel: 'messenger', message_type: 'text', text: 'Hello' }),
    inboundEvents: ignored('messenger.text', 'unanswerable'),
  },
  {
    it: 'receives a delivery receipt',
    call: status('delivered', { usage: { currency: 'EUR', price: '0.0333' } }),
    inboundEvents: [
      { what: 'receipt', id, state: 'delivered', cost: { amount: '0.0333', currency: 'EUR' } },
    ],
  },
  {
    it: 'receives a read receipt',
    call: status('read'),
    inboundEvents: [{ what: 'receipt', id, state: 'read' }],
  },
  {
    it: 'receives a failure report for a rejected message with its reason',
    call: status('rejected', {
      error: {
        type: 'https://developer.vonage.com/api-errors/messages#1000',
        title: 1000,
        detail: 'Throttled - You have exceeded the submission capacity',
        instance: 'bf0ca0bf927b3b52e3cb03217e1a1ddf',
      },
    }),
    inboundEvents: [
      {
        what: 'receipt',
        id,
        state: 'failed',
        code: '1000',
        detail: 'Throttled - You have exceeded the submission capacity',
      },
    ],
  },
  { it: 'ignores intermediate states', call: status('submitted'), inboundEvents: [] },
];

testHook(vonage, {
  credentials: { token: API_KEY, refresh: SECRET },
  prove: (made, { refresh = '' }, now) => jwt(made, refresh, now),
  coversBody: true,
  window: 360,
  cases: NEWER,
});

describe('vonage webhook tokens', () => {
  const { hook } = vonage;
  assert.ok(hook);
  const body = Buffer.from('{}');
  const verdict = async (more: object, alg = 'HS256', key = API_KEY) => {
    const credentials = { token: key, refresh: SECRET };
    await using context = openContext({ credentials, url: 'https://vonage.example' });
    const made = { method: 'POST', path: '', query: {}, headers: {}, body };
    const { headers } = jwt(made, SECRET, context.clock.now(), more, alg);
    const header = (name: string) =>
      name === 'authorization' ? headers['Authorization'] : undefined;
    const call = { ...made, url: 'https://none.example', query: new URLSearchParams(), header };
    return await hook.verify(call, context);
  };

  it("vonage webhook tokens must be issued by Vonage for this account, with a known algorithm and the body's hash", async () => {
    assert.equal(await verdict({}), undefined);
    assert.match((await verdict({ iss: 'Other' })) ?? '', /CLAIM/);
    assert.ok(await verdict({ payload_hash: undefined }));
    assert.ok(await verdict({ iat: undefined }));
    assert.match((await verdict({}, 'HS256', 'other123')) ?? '', /another account/);
    for (const alg of ['none', 'HS512', 'RS256']) assert.ok(await verdict({}, alg), alg);
  });
});

/** The SMS API signs the sorted parameters with the hash chosen for the account. */
const older =
  (hash: string) =>
  (made: WebhookRequest, { refresh = '' }: { refresh?: string }, now: number): WebhookRequest => {
    const isJson = made.headers['content-type'] === 'application/json';
    const given: Record<string, string> =
      made.method === 'GET'
        ? made.query
        : isJson
          ? (JSON.parse(made.body.toString()) as Record<string, string>)
          : Object.fromEntries(new URLSearchParams(made.body.toString()));
    const all: Record<string, string> = {
      ...given,
      timestamp: String(Math.floor(now / 1000)),
      nonce: 'aaaaaaaa-bbbb',
    };
    const text = Object.keys(all)
      .toSorted()
      .map((name) => `&${name}=${(all[name] ?? '').replaceAll('&', '_').replaceAll('=', '_')}`)
      .join('');
    const sig =
      hash === 'md5hash'
        ? createHash('md5').update(`${text}${refresh}`).digest('hex')
        : createHmac(hash, refresh).update(text).digest('hex').toUpperCase();
    const signed = { ...all, sig };
    if (made.method === 'GET') return { ...made, query: signed };
    const body = isJson ? JSON.stringify(signed) : new URLSearchParams(signed).toString();
    return { ...made, body: Buffer.from(body) };
  };

const SMS = {
  msisdn: NUMBERS.person,
  to: SENDER,
  messageId: '0A0000000123ABCD1',
  text: 'Hello & good=morning 👋',
  type: 'unicode',
  keyword: 'HELLO',
  'api-key': API_KEY,
  'message-timestamp': '2020-01-01 12:00:00',
};
const DLR = {
  msisdn: NUMBERS.person,
  to: 'AcmeInc',
  'network-code': '12345',
  messageId: '0A0000000123ABCD1',
  price: '0.03330000',
  scts: '2001011400',
  'api-key': API_KEY,
  'message-timestamp': '2020-01-01 12:00:00',
};
const smsReceived = {
  what: 'message',
  key: SMS.messageId,
  id: SMS.messageId,
  from: { id: NUMBERS.person },
  text: SMS.text,
  at: Date.UTC(2020, 0, 1, 12),
} as const;
const receipt = { what: 'receipt', id: SMS.messageId } as const;
const form = (fields: Record<string, string>) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

const OLDER: readonly HookCase[] = [
  { it: 'receives a text message as JSON', call: { body: SMS }, inboundEvents: [smsReceived] },
  { it: 'receives a text message as a form', call: form(SMS), inboundEvents: [smsReceived] },
  {
    it: 'receives a text message in the query',
    call: { method: 'GET', query: SMS },
    inboundEvents: [smsReceived],
  },
  {
    it: 'receives a delivery receipt',
    call: { body: { ...DLR, status: 'delivered', 'err-code': '0' } },
    inboundEvents: [
      { ...receipt, state: 'delivered', cost: { amount: '0.03330000', currency: 'EUR' } },
    ],
  },
  {
    it: 'receives a failure report with its code',
    call: { body: { ...DLR, status: 'rejected', 'err-code': '6' } },
    inboundEvents: [{ ...receipt, state: 'failed', detail: 'rejected', code: '6' }],
  },
  {
    it: 'ignores intermediate states',
    call: { body: { ...DLR, status: 'buffered', 'err-code': '0' } },
    inboundEvents: [],
  },
];

for (const hash of ['md5hash', 'md5', 'sha1', 'sha256', 'sha512']) {
  describe(`vonage with the SMS API, signing with ${hash}`, () => {
    testHook(
      { ...vonage, receipts: ['delivered', 'failed'] },
      {
        credentials: { token: API_KEY, refresh: SECRET },
        prove: older(hash),
        coversBody: true,
        window: 300,
        cases: OLDER,
      },
    );
  });
}

describe('vonage media', () => {
  const found = async (reference: string) => {
    const credentials = { consumer_key: APPLICATION, consumer_secret: PRIVATE_KEY };
    await using context = openContext({ credentials, url: 'https://api.nexmo.com' });
    return await vonage.media?.(reference, context);
  };

  it('vonage media are downloaded with a token from Vonage and without it from other hosts', async () => {
    const own = await found(url);
    assert.ok(own && 'url' in own && own.url === url);
    assert.match(own.headers?.['authorization'] ?? '', /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/);
    for (const other of ['https://example.com/a.jpg', 'https://nexmo.com.example/a.jpg']) {
      assert.deepEqual(await found(other), { url: other });
    }
    const [wrong] = await Promise.all(['http://api.nexmo.com/v3/media/1'].map(found));
    assert.partialDeepStrictEqual(wrong, { outcome: 'permanent', blame: 'content' });
  });
});
