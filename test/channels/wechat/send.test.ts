import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Context } from '../../../src/channels/channel.ts';
import { wechat } from '../../../src/channels/wechat/channel.ts';
import { textMember } from '../../../src/lib/json/json-member.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { APP, PEOPLE, openWeChat, weChatError } from '../../emulators/wechat.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { type Case, openContext, outgoing, resultOf, testChannel } from '../suite.ts';
import { assertListed } from '../unsupported.ts';
import { UPLOADS } from './uploads.ts';

type WeChatCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent' } as const;
const TOKEN_REQUEST = { method: 'POST', path: '/cgi-bin/stable_token' };
const PATH = '/cgi-bin/message/custom/send?access_token=fake-token-1';
const token = (name: string, expires_in = 7200): Reply => ({
  status: 200,
  body: { access_token: name, expires_in },
});

/** Each text and the request body expected for it. */
const TEXTS: Readonly<Record<string, readonly [string, string?]>> = {
  'ordinary text': ['Good morning!'],
  emoji: ['👩‍👩‍👧‍👦 🏳️‍🌈 /::)'],
  'Chinese as it is': ['您的订单已发货'],
  'right-to-left text': ['שלום עולם مرحبا \u202eabc\u202c'],
  'line breaks, tabs and quotes': ['one\ntwo\r\n\t"three" \\ four'],
  'markup of other products': ['*a* _b_ <b>c</b> &amp; 1 < 2'],
  'a link unchanged': [
    '<a href="https://example.com">x</A>',
    '<a href="https://example.com">x</A>',
  ],
  'the longest text': [`${'語'.repeat(682)}xx`],
};

const texts = Object.entries(TEXTS).map(([name, [text, content = text]]): WeChatCase => ({
  it: `sends ${name}`,
  message: { text: text },
  sees: [
    TOKEN_REQUEST,
    {
      method: 'POST',
      path: PATH,
      json: { touser: PEOPLE.known, msgtype: 'text', text: { content } },
    },
  ],
  outcome: SENT,
}));

const BLAMED = {
  credentials: [40_013, 40_125, 40_164, 48_001, 50_002],
  recipient: [43_004, 43_019, 45_047, 50_005],
  content: [45_002, 47_001, 99_999],
  unsupported: [40_200],
} as const;

const refusals = (['credentials', 'recipient', 'content', 'unsupported'] as const).flatMap(
  (blame) =>
    BLAMED[blame].map((code): WeChatCase => ({
      it: `blames the ${blame} for error ${code}`,
      answers: [token('fake'), weChatError(code, 'this is why')],
      outcome: { outcome: 'permanent', blame, code: String(code), detail: 'this is why' },
    })),
);

/** The faults of every channel, when there is a token already. */
const withToken = (cases: readonly WeChatCase[]) =>
  cases.map((each) =>
    Object.assign({}, each, { answers: [token('fake'), ...(each.answers ?? [])] }),
  );

const asButton = (name: string) => ({ type: 'Button', name });

testChannel(wechat, {
  open: openWeChat,
  credentials: {
    ...APP,
    secret: 'canary-of-the-hook',
    refresh: 'canary-of-the-key',
    username: 'gh_1',
  },
  recipient: PEOPLE.known,
  cases: [
    ...texts,
    {
      it: 'requests the stable token without replacing it',
      sees: [
        {
          headers: { 'content-type': 'application/json' },
          text: JSON.stringify({
            grant_type: 'client_credential',
            appid: APP.consumer_key,
            secret: APP.consumer_secret,
          }),
        },
        { headers: { 'content-type': 'application/json' } },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a text over the limit as two messages with one token',
      message: { text: `${'語'.repeat(682)}xxx` },
      sees: [TOKEN_REQUEST, { path: PATH }, { path: PATH }],
      outcome: SENT,
    },
    {
      it: 'sends links as links and everything else as text',
      message: {
        text: '**bold** [here](https://example.com/?a=%22b) \\<a> https://example.org/',
        object: { mediaType: 'text/markdown' },
      },
      outcome: SENT,
      also([, seen]) {
        assert.equal(
          textMember(seen?.json, 'text', 'content'),
          'bold <a href="https://example.com/?a=%22b">here</a> <a> https://example.org/',
        );
      },
    },
    ...UPLOADS,
    {
      it: 'sends value buttons as a menu',
      message: {
        text: 'Well?',
        object: {
          attachment: [
            asButton('Yes'),
            { ...asButton('No'), value: 'order-7' },
            { ...asButton('Why'), value: 'a&b' },
          ],
        },
      },
      sees: [
        {},
        {
          json: {
            touser: PEOPLE.known,
            msgtype: 'msgmenu',
            msgmenu: {
              head_content: 'Well?',
              list: [
                { id: '.1', content: 'Yes' },
                { id: 'order-7', content: 'No' },
                { id: '~YSZi', content: 'Why' },
              ],
              tail_content: '',
            },
          },
        },
      ],
      outcome: SENT,
    },

    {
      it: 'sends a menu of the maximum size',
      message: {
        text: `${'語'.repeat(341)}x`,
        object: { attachment: Array.from({ length: 10 }, () => asButton('語'.repeat(42))) },
      },
      sees: [{}, { json: { msgtype: 'msgmenu' } }],
      outcome: SENT,
    },
    ...(
      [
        ['at most 1024 bytes above', '語'.repeat(342), 'Yes'],
        ['at most 128 bytes on', 'Well?', '語'.repeat(43)],
      ] as const
    ).map(([why, text, name]): WeChatCase => ({
      it: `lists all buttons in the text: ${why}`,
      message: { text, object: { attachment: [asButton(name)] } },
      sees: [{}, { json: { msgtype: 'text', text: { content: `${text}\n1. ${name}` } } }],
      outcome: SENT,
      also: () => assertListed(wechat, { text, object: { attachment: [asButton(name)] } }, why),
    })),

    {
      it: 'requests a new token when WeChat rejects the current one',
      answers: [token('fake-token-0')],
      sees: [TOKEN_REQUEST, { path: PATH.replace(/1$/, '0') }, TOKEN_REQUEST, { path: PATH }],
      outcome: SENT,
    },
    ...[40_001, 40_014, 42_001].map((code): WeChatCase => ({
      it: `requests a new token only once after error ${code}`,
      answers: [
        token('fake'),
        weChatError(code, 'no'),
        token('fake'),
        weChatError(code, 'invalid credential'),
      ],
      sees: [{}, {}, {}, {}],
      outcome: { outcome: 'permanent', blame: 'credentials', code: String(code) },
    })),
    {
      it: 'blames the credentials when the secret is wrong and sends nothing',
      credentials: { consumer_secret: 'fake-secret-that-was-reset' },
      sees: [TOKEN_REQUEST],
      outcome: { outcome: 'permanent', blame: 'credentials', code: '40125' },
    },
    {
      it: 'blames the credentials when our IP address is not on the allowlist',
      answers: [weChatError(40_164, 'invalid ip 192.0.2.1, not in whitelist')],
      outcome: {
        outcome: 'permanent',
        blame: 'credentials',
        code: '40164',
        detail: 'not in whitelist',
      },
    },
    ...(
      [
        { consumer_key: '' },
        { consumer_key: 'wx 1' },
        { consumer_secret: undefined },
        { consumer_secret: 'fäke' },
      ] as const
    ).map((credentials): WeChatCase => ({
      it: `sends no request with the invalid credentials ${JSON.stringify(credentials)}`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),
    ...(['hang', 'reset', 'empty'] as const).map((connectionFault): WeChatCase => ({
      it: `retries when the token request fails and nothing was sent: ${connectionFault}`,
      answers: [connectionFault],
      timeoutMs: 500,
      sees: [TOKEN_REQUEST],
      outcome: transient(false, connectionFault === 'empty' ? '200' : undefined),
    })),
    {
      it: 'rate limited: waits after too many token requests',
      answers: [weChatError(45_009, 'reach max api daily quota limit')],
      outcome: { outcome: 'limited', scope: 'integration', code: '45009' },
    },

    ...refusals,
    {
      it: 'blames an unknown recipient',
      message: { recipient: 'oNobody' },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '40003' },
    },
    {
      it: 'blames the recipient outside the messaging window',
      message: { recipient: PEOPLE.silent },
      outcome: { outcome: 'permanent', blame: 'window_closed', code: '45015' },
    },
    ...withToken([
      ...[45_009, 45_011].map((code): WeChatCase => ({
        it: `rate limited: waits after error ${code}`,
        answers: [weChatError(code, 'too often')],
        outcome: { outcome: 'limited', scope: 'integration', code: String(code) },
      })),
      {
        it: 'rate limited: waits when the response is not JSON',
        answers: [{ status: 429, body: 'slow down' }],
        outcome: { outcome: 'limited', scope: 'integration', code: '429' },
      },
      {
        it: 'retries when WeChat is busy',
        answers: [weChatError(-1, 'system error')],
        outcome: transient(true, '-1'),
      },
      ...[500, 502, 504].map((status): WeChatCase => ({
        it: `retries after ${status}: the message may have been sent`,
        answers: [{ status, body: '<html>' }],
        outcome: transient(true, String(status)),
      })),
      ...[302, 403, 404, 503].map((status): WeChatCase => ({
        it: `retries after ${status}: the message was not sent`,
        answers: [{ status, headers: { location: 'https://example.com/' }, body: 'no' }],
        outcome: transient(false, String(status)),
      })),
      ...WITHOUT_ID,
      ...WITHOUT_ANSWER,
    ]),

    {
      it: 'check: names the app and sends nothing',
      calls: 'check',
      sees: [TOKEN_REQUEST],
      outcome: { outcome: 'known', as: APP.consumer_key },
    },
    {
      it: 'check: rejects an unknown app id',
      calls: 'check',
      credentials: { consumer_key: 'wxNobody' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '40013' },
    },
  ],
});

describe("wechat's access token", () => {
  it("wechat's access token is requested once for all concurrent messages and again when it was replaced", async () => {
    await using peer = Object.assign(await openWeChat(), {
      [Symbol.asyncDispose]: async () => peer.close(),
    });
    await using context = openContext({ credentials: APP, url: peer.url });
    const send = async () =>
      resultOf(wechat, 'send', outgoing({ recipient: PEOPLE.known }), undefined, context);
    const tokenRequests = () => peer.seen.filter(({ path }) => path === TOKEN_REQUEST.path).length;
    const all = await Promise.all([send(), send(), send()]);
    assert.deepEqual(all, [SENT, SENT, SENT]);
    assert.equal(tokenRequests(), 1);
    await context.fetch(`${peer.url}/replace`);
    assert.deepEqual(await send(), SENT);
    assert.deepEqual(await send(), SENT);
    assert.equal(tokenRequests(), 2);
  });

  for (const name of ['fake-token', 'fake+token/=']) {
    it(`wechat's access token is never recorded while the sent request is: ${name}`, async () => {
      await using peer = Object.assign(await openWeChat(), {
        [Symbol.asyncDispose]: async () => peer.close(),
      });
      for (const answer of [token(name), weChatError(40_003, `invalid openid (${name})`)]) {
        peer.next(answer);
      }
      await using context = openContext({ credentials: APP, url: peer.url });
      // As attempts are recorded: without private fields and concealed values.
      const record: string[] = [];
      const fetch: Context['fetch'] = async (url, request) => {
        const answer = await context.fetch(url, request);
        if (!request?.isPrivate) {
          const text = [url.slice(peer.url.length), request?.body, answer.text].join('\n');
          record.push(context.concealed.reduce((rest, each) => rest.replaceAll(each, '***'), text));
        }
        return answer;
      };
      const message = outgoing({ recipient: PEOPLE.known });
      await resultOf(wechat, 'send', message, undefined, { ...context, fetch });
      assert.deepEqual(record.join('\n').split('\n'), [
        '/cgi-bin/message/custom/send?access_token=***',
        JSON.stringify({
          touser: PEOPLE.known,
          msgtype: 'text',
          text: { content: 'Good morning!' },
        }),
        JSON.stringify(weChatError(40_003, 'invalid openid (***)').body),
      ]);
    });
  }
});

describe('wechat recipients', () => {
  it('wechat recipients must be an openid', () => {
    assert.equal(wechat.recipient.validate(PEOPLE.known), undefined);
    for (const id of ['', 'a b', '微信', 'a@b.example', 'a'.repeat(129)]) {
      assert.equal(typeof wechat.recipient.validate(id), 'string', id);
    }
  });
});
