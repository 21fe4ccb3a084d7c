import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { messagebird } from '../../../src/channels/messagebird/channel.ts';
import { CHANNEL, WORKSPACE, openBird } from '../../emulators/sms/bird.ts';
import { find } from '../hook-setup.ts';
import { HOOK_URL, type WebhookRequest, testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const SECRET = 'fake-signing-key-of-an-account';
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const hash = (of: string | Buffer) => createHash('sha256').update(of).digest('hex');

/** MessageBird signs with a token valid for a minute, with hashes of the URL and the body. */
function sign(
  made: WebhookRequest,
  secret: string,
  now: number,
  more: object = {},
  alg = 'HS256',
): WebhookRequest {
  const query = new URLSearchParams(made.query).toString();
  const nbf = Math.floor(now / 1000);
  const claims = {
    iss: 'MessageBird',
    nbf,
    exp: nbf + 60,
    jti: '93e55006-a0e8-4526-a190-fa5ff00ea116',
    url_hash: hash(`${HOOK_URL}${made.path}${query === '' ? '' : `?${query}`}`),
    ...(made.body.length > 0 && { payload_hash: hash(made.body) }),
    ...more,
  };
  const input = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`;
  const signature = createHmac('sha256', secret).update(input).digest('base64url');
  const token = `${input}.${signature}`;
  return { ...made, headers: { ...made.headers, 'MessageBird-Signature-JWT': token } };
}

const id = 'e8077d803532c0b5937c639b60216938';
const SMS = {
  id,
  recipient: '31970000000',
  originator: '31612345678',
  body: 'Good morning! 👋',
  createdDatetime: '2025-02-03T12:14:25+00:00',
};
const REPORT = {
  id,
  reference: '',
  recipient: '31612345678',
  statusDatetime: '2025-02-03T12:14:25+00:00',
  mccmnc: '20408',
};
const received = {
  what: 'message',
  key: id,
  id,
  from: { id: '31612345678' },
  text: 'Good morning! 👋',
  at: Date.UTC(2025, 1, 3, 12, 14, 25),
} as const;

testHook(messagebird, {
  credentials: { token: 'fake-access-key', secret: SECRET },
  prove: (made, { secret = '' }, now) => sign(made, secret, now),
  coversBody: true,
  window: 120,
  cases: [
    { it: 'receives a text message as JSON', call: { body: SMS }, inboundEvents: [received] },
    {
      it: 'receives a text message as a form',
      call: {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(SMS).toString(),
      },
      inboundEvents: [received],
    },
    {
      it: 'receives a text message in the query',
      call: { method: 'GET', query: SMS },
      inboundEvents: [received],
    },
    {
      it: 'receives a message forwarded by a flow, which has no id',
      call: {
        body: {
          originator: '31612345678',
          payload: 'STOP',
          receivedSMSDateTime: '2025-02-03T12:14:25.000Z',
        },
      },
      inboundEvents: [
        {
          what: 'message',
          key: hash('["31612345678","2025-02-03T12:14:25.000Z","STOP"]'),
          from: { id: '31612345678' },
          text: 'STOP',
          at: received.at,
        },
      ],
    },
    {
      it: 'receives a delivery receipt',
      call: { method: 'GET', query: { ...REPORT, status: 'delivered', statusErrorCode: '0' } },
      inboundEvents: [{ what: 'receipt', id, state: 'delivered' }],
    },
    {
      it: 'receives a failure report with its reason',
      call: {
        method: 'GET',
        query: {
          ...REPORT,
          status: 'delivery_failed',
          statusReason: 'unknown subscriber',
          statusErrorCode: '1',
        },
      },
      inboundEvents: [
        { what: 'receipt', id, state: 'failed', detail: 'unknown subscriber', code: '1' },
      ],
    },
    {
      it: 'receives a failure report for an expired message',
      call: { method: 'GET', query: { ...REPORT, status: 'expired' } },
      inboundEvents: [{ what: 'receipt', id, state: 'failed', detail: 'expired' }],
    },
    {
      it: 'ignores intermediate states',
      call: { method: 'GET', query: { ...REPORT, status: 'buffered' } },
      inboundEvents: [],
    },
  ],
});

describe('messagebird webhook tokens', () => {
  const { hook } = messagebird;
  assert.ok(hook);
  const verdict = async (more: object, alg = 'HS256', url = HOOK_URL, body = 'x') => {
    await using context = openContext({ credentials: { secret: SECRET }, url: 'https://none' });
    const made = { method: 'POST', path: '', query: {}, headers: {}, body: Buffer.from('x') };
    const { headers } = sign(made, SECRET, context.clock.now(), more, alg);
    const header = () => headers['MessageBird-Signature-JWT'];
    const call = { ...made, url, query: new URLSearchParams(), header, body: Buffer.from(body) };
    return await hook.verify(call, context);
  };

  it('messagebird webhook tokens must be issued by MessageBird for this URL and body, with a known algorithm', async () => {
    assert.equal(await verdict({}), undefined);
    assert.ok(await verdict({ iss: 'Other' }));
    assert.match((await verdict({}, 'HS256', `${HOOK_URL}?status=read`)) ?? '', /another URL/);
    assert.match((await verdict({ payload_hash: undefined })) ?? '', /another body/);
    assert.match(
      (await verdict({ payload_hash: undefined }, 'HS256', HOOK_URL, '')) ?? 'none',
      /none/,
    );
    for (const claim of ['exp', 'nbf', 'jti', 'url_hash']) {
      assert.ok(await verdict({ [claim]: undefined }), claim);
    }
    for (const alg of ['none', 'HS512']) assert.ok(await verdict({}, alg), alg);
  });
});

/** Bird signs the time, the URL and the hash of the body, in base64. */
function signAsBird(made: WebhookRequest, secret: string, now: number): WebhookRequest {
  const timestamp = String(Math.floor(now / 1000));
  const query = new URLSearchParams(made.query).toString();
  const url = `${HOOK_URL}${made.path}${query === '' ? '' : `?${query}`}`;
  const signature = createHmac('sha256', secret)
    .update(
      Buffer.concat([
        Buffer.from(`${timestamp}\n${url}\n`),
        createHash('sha256').update(made.body).digest(),
      ]),
    )
    .digest('base64');
  const headers = {
    ...made.headers,
    'messagebird-signature': signature,
    'messagebird-request-timestamp': timestamp,
  };
  return { ...made, headers };
}

const birdId = '96a0b5fa-a986-453d-be5c-3117f989f025';
const birdEvent = (event: string, more: object, channelId = CHANNEL) => ({
  body: {
    service: 'channels',
    event,
    payload: {
      id: birdId,
      channelId,
      lastStatusAt: '2025-02-03T12:14:25.000Z',
      createdAt: '2025-02-03T12:14:25.000Z',
      ...more,
    },
  },
});
const contact = (identifierValue: string) => ({
  contact: {
    id: '32cf5eee-f940-422c-ab8c-5f753aad5efd',
    identifierKey: 'phonenumber',
    identifierValue,
  },
});
const inbound = (body: object, from = '+31612345678', channelId = CHANNEL) =>
  birdEvent(
    'sms.inbound',
    { sender: contact(from), body, status: 'delivered', direction: 'incoming' },
    channelId,
  );
const outbound = (status: string, more: object = {}) =>
  birdEvent('sms.outbound', { status, direction: 'outgoing', ...more });
const text = { type: 'text', text: { text: 'Good morning! 👋' } };
const birdReceived = { ...received, key: birdId, id: birdId } as const;

describe('messagebird with the Bird API', () => {
  testHook(messagebird, {
    credentials: {
      token: 'fake-access-key',
      consumer_key: WORKSPACE,
      address: CHANNEL,
      secret: SECRET,
    },
    prove: (made, { secret = '' }, now) => signAsBird(made, secret, now),
    coversBody: true,
    window: 9 * 3600,
    cases: [
      { it: 'receives a text message', call: inbound(text), inboundEvents: [birdReceived] },
      {
        it: 'receives a failure report about a person who stopped messages',
        call: outbound('delivery_failed', {
          reason: 'opted out',
          failure: { code: 15001, source: { name: 'sms-messagebird', code: '103' } },
        }),
        inboundEvents: [
          {
            what: 'receipt',
            id: birdId,
            state: 'failed',
            detail: 'opted out',
            code: '15001',
            blocked: 'vendor',
          },
        ],
      },
      {
        it: 'receives an image with its caption',
        call: inbound({
          type: 'image',
          image: {
            text: 'Look',
            images: [{ mediaUrl: 'https://media.api.bird.com/a.jpg', contentType: 'image/jpeg' }],
          },
        }),
        inboundEvents: [
          {
            ...birdReceived,
            text: 'Look',
            media: [
              {
                type: 'Image',
                reference: 'https://media.api.bird.com/a.jpg',
                mediaType: 'image/jpeg',
              },
            ],
          },
        ],
      },
      {
        it: "ignores messages of the workspace's other channels",
        call: inbound(text, undefined, '00000000-b153-4d5d-9989-2fddfc0ce4c3'),
        inboundEvents: ignored('sms.inbound', 'elsewhere'),
      },
      {
        it: 'ignores messages from alphanumeric senders, which cannot be answered',
        call: inbound(text, 'ACME'),
        inboundEvents: ignored('sms.inbound', 'unanswerable'),
      },
      {
        it: 'receives a delivery receipt',
        call: outbound('delivered'),
        inboundEvents: [{ what: 'receipt', id: birdId, state: 'delivered' }],
      },
      {
        it: 'receives a failure report with its reason',
        call: outbound('delivery_failed', {
          reason: 'details: unknown subscriber; reason: unknown_subscriber; code: 1',
          details: 'unknown_subscriber',
          failure: { code: 15_005, source: { name: 'sms-messagebird', code: '1' } },
        }),
        inboundEvents: [
          {
            what: 'receipt',
            id: birdId,
            state: 'failed',
            detail: 'details: unknown subscriber; reason: unknown_subscriber; code: 1',
            code: '15005',
          },
        ],
      },
      {
        it: 'receives a failure report for an unsent message',
        call: outbound('sending_failed'),
        inboundEvents: [{ what: 'receipt', id: birdId, state: 'failed', detail: 'sending_failed' }],
      },
      { it: 'ignores intermediate states', call: outbound('sent'), inboundEvents: [] },
    ],
  });
});

describe('messagebird media', () => {
  const findFile = async (reference: string) =>
    find(messagebird, reference, { open: openBird, credentials: { token: 'fake-key' } });

  it('messagebird media are downloaded with the key from Bird and without it from other hosts', async () => {
    const { found: own } = await findFile('https://media.api.bird.com/a.jpg');
    assert.deepEqual(own, {
      url: 'https://media.api.bird.com/a.jpg',
      headers: { authorization: 'AccessKey fake-key' },
    });
    for (const other of ['https://example.com/a.jpg', 'https://bird.com.example/a.jpg']) {
      assert.deepEqual((await findFile(other)).found, { url: other });
    }
    const { found: wrong } = await findFile('http://media.api.bird.com/a.jpg');
    assert.partialDeepStrictEqual(wrong, { outcome: 'permanent', blame: 'content' });
  });
});
