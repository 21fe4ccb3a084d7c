import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Context } from '../../../src/channels/channel.ts';
import { wechat } from '../../../src/channels/wechat/channel.ts';
import { textMember } from '../../../src/lib/json/json-member.ts';
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { APP, PEOPLE, openWeChat, weChatError } from '../../emulators/wechat.ts';
import { WITHOUT_ANSWER, WITHOUT_SENSE, transient } from '../faults.ts';
import { type Case, openContext, outgoing, resultOf, testChannel } from '../suite.ts';
import { assertListed } from '../unsupported.ts';
import { UPLOADS } from './uploads.ts';

type WeChatCase = Case<Request, Reply | Accident>;

const SENT = { outcome: 'sent' } as const;
const TOKEN_ASKED = { method: 'POST', path: '/cgi-bin/stable_token' };
const PATH = '/cgi-bin/message/custom/send?access_token=fake-token-1';
const token = (name: string, expires_in = 7200): Reply => ({
  status: 200,
  body: { access_token: name, expires_in },
});

/** What is written, and what must go over the wire. */
const TEXTS: Readonly<Record<string, readonly [string, string?]>> = {
  'ordinary text': ['Good morning!'],
  emoji: ['👩‍👩‍👧‍👦 🏳️‍🌈 /::)'],
  'Chinese as it is': ['您的订单已发货'],
  'text from right to left': ['שלום עולם مرحبا \u202eabc\u202c'],
  'line breaks, tabs and quotes': ['one\ntwo\r\n\t"three" \\ four'],
  'what is markup elsewhere': ['*a* _b_ <b>c</b> &amp; 1 < 2'],
  'a link as it is': ['<a href="https://example.com">x</A>', '<a href="https://example.com">x</A>'],
  'the longest text': [`${'語'.repeat(682)}xx`],
};

const texts = Object.entries(TEXTS).map(([name, [said, content = said]]): WeChatCase => ({
  it: `sends ${name}`,
  message: { text: said },
  sees: [
    TOKEN_ASKED,
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

/** What happens to every channel, when there is a token already. */
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
      it: 'asks for the stable token, and does not have it replaced',
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
      it: 'sends in two what is longer than the longest text, with one token',
      message: { text: `${'語'.repeat(682)}xxx` },
      sees: [TOKEN_ASKED, { path: PATH }, { path: PATH }],
      outcome: SENT,
    },
    {
      it: 'writes links as links, and everything else as text',
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
      it: 'sends buttons that say something as a menu',
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
      it: 'sends a menu with as much as there may be in it',
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
      it: `writes all buttons below the text: ${why}`,
      message: { text, object: { attachment: [asButton(name)] } },
      sees: [{}, { json: { msgtype: 'text', text: { content: `${text}\n1. ${name}` } } }],
      outcome: SENT,
      also: () => assertListed(wechat, { text, object: { attachment: [asButton(name)] } }, why),
    })),

    {
      it: 'asks for another token when WeChat does not know this one any more',
      answers: [token('fake-token-0')],
      sees: [TOKEN_ASKED, { path: PATH.replace(/1$/, '0') }, TOKEN_ASKED, { path: PATH }],
      outcome: SENT,
    },
    ...[40_001, 40_014, 42_001].map((code): WeChatCase => ({
      it: `asks for another token once, and no more, after error ${code}`,
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
      it: 'blames the credentials when the secret is wrong, and sends nothing',
      credentials: { consumer_secret: 'fake-secret-that-was-reset' },
      sees: [TOKEN_ASKED],
      outcome: { outcome: 'permanent', blame: 'credentials', code: '40125' },
    },
    {
      it: 'blames the credentials when our address is not on the list',
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
      it: `asks nobody with ${JSON.stringify(credentials)}`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),
    ...(['hang', 'reset', 'empty'] as const).map((accident): WeChatCase => ({
      it: `tries again when there is no token, and nothing was sent: ${accident}`,
      answers: [accident],
      patience: 500,
      sees: [TOKEN_ASKED],
      outcome: transient(false, accident === 'empty' ? '200' : undefined),
    })),
    {
      it: 'waits when it has asked for too many tokens',
      answers: [weChatError(45_009, 'reach max api daily quota limit')],
      outcome: { outcome: 'limited', whom: 'integration', code: '45009' },
    },

    ...refusals,
    {
      it: 'blames the recipient when there is no such person',
      message: { recipient: 'oNobody' },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '40003' },
    },
    {
      it: 'blames the recipient when the person last wrote too long ago',
      message: { recipient: PEOPLE.silent },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '45015' },
    },
    ...withToken([
      ...[45_009, 45_011].map((code): WeChatCase => ({
        it: `waits after error ${code}`,
        answers: [weChatError(code, 'too often')],
        outcome: { outcome: 'limited', whom: 'integration', code: String(code) },
      })),
      {
        it: 'waits when the limit is not even in JSON',
        answers: [{ status: 429, body: 'slow down' }],
        outcome: { outcome: 'limited', whom: 'integration', code: '429' },
      },
      {
        it: 'tries again when WeChat is busy',
        answers: [weChatError(-1, 'system error')],
        outcome: transient(true, '-1'),
      },
      ...[500, 502, 504].map((status): WeChatCase => ({
        it: `tries again after ${status}, when it may have been sent`,
        answers: [{ status, body: '<html>' }],
        outcome: transient(true, String(status)),
      })),
      ...[302, 403, 404, 503].map((status): WeChatCase => ({
        it: `tries again after ${status}, when it was surely not sent`,
        answers: [{ status, headers: { location: 'https://example.com/' }, body: 'no' }],
        outcome: transient(false, String(status)),
      })),
      ...WITHOUT_SENSE,
      ...WITHOUT_ANSWER,
    ]),

    {
      it: 'tells whose app it is, and sends nothing',
      calls: 'check',
      sees: [TOKEN_ASKED],
      outcome: { outcome: 'known', as: APP.consumer_key },
    },
    {
      it: "tells that an id is nobody's",
      calls: 'check',
      credentials: { consumer_key: 'wxNobody' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '40013' },
    },
  ],
});

describe('the token of wechat', () => {
  it('is asked for once for all who send at the same time, and again when it was replaced', async () => {
    await using peer = Object.assign(await openWeChat(), {
      [Symbol.asyncDispose]: async () => peer.close(),
    });
    await using context = openContext({ credentials: APP, url: peer.url });
    const send = async () =>
      resultOf(wechat, 'send', outgoing({ recipient: PEOPLE.known }), undefined, context);
    const asked = () => peer.seen.filter(({ path }) => path === TOKEN_ASKED.path).length;
    const all = await Promise.all([send(), send(), send()]);
    assert.deepEqual(all, [SENT, SENT, SENT]);
    assert.equal(asked(), 1);
    await context.fetch(`${peer.url}/replace`);
    assert.deepEqual(await send(), SENT);
    assert.deepEqual(await send(), SENT);
    assert.equal(asked(), 2);
  });

  for (const name of ['fake-token', 'fake+token/=']) {
    it(`is never on record, while what is sent with it is: ${name}`, async () => {
      await using peer = Object.assign(await openWeChat(), {
        [Symbol.asyncDispose]: async () => peer.close(),
      });
      for (const answer of [token(name), weChatError(40_003, `invalid openid (${name})`)]) {
        peer.next(answer);
      }
      await using context = openContext({ credentials: APP, url: peer.url });
      // As attempts are recorded: all that is not private, without what is concealed.
      const record: string[] = [];
      const fetch: Context['fetch'] = async (url, request) => {
        const answer = await context.fetch(url, request);
        if (!request?.isPrivate) {
          const said = [url.slice(peer.url.length), request?.body, answer.text].join('\n');
          record.push(context.concealed.reduce((rest, each) => rest.replaceAll(each, '***'), said));
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

describe('a recipient of wechat', () => {
  it('is an openid', () => {
    assert.equal(wechat.recipient.validate(PEOPLE.known), undefined);
    for (const id of ['', 'a b', '微信', 'a@b.example', 'a'.repeat(129)]) {
      assert.equal(typeof wechat.recipient.validate(id), 'string', id);
    }
  });
});
