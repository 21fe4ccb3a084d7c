import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Blame } from '../../../src/channels/channel.ts';
import { groupme } from '../../../src/channels/groupme/channel.ts';
import { BOT, EARLIER, GROUPS, TOKEN, groupMeError, openGroupMe } from '../../emulators/groupme.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { type Case, openContext, outgoing, resultOf, testChannel } from '../suite.ts';
import { UPLOADS } from './uploads.ts';

type GroupMeCase = Case<Request, Reply | ConnectionFault>;

const TEXTS = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'right-to-left text': 'שלום עולם مرحبا \u202eabc\u202c',
  'markup of other products': '*bold* _italic_ <b>&amp;</b> @everyone',
  'line breaks, tabs and quotes': 'one\ntwo\r\n\t"three" \\ four\u2028five',
  'the longest text': 'x'.repeat(1000),
};

/** Credentials of a user, who sends in place of the bot. */
const PERSON = { token: undefined, secret: TOKEN };
const BY_PERSON = { outcome: 'sent' as const, id: '174769395496127001' };
const PLACE = { type: 'location', name: 'Here', lat: '1.5', lng: '-2' };

const bot = (json: object) => [{ method: 'POST', path: '/bots/post', json }];
const person = (message: object) => [
  {
    method: 'POST',
    path: `/groups/${GROUPS.ours}/messages`,
    headers: { 'x-access-token': TOKEN },
    json: { message },
  },
];

/** Attachments are the same for a bot and for a user. */
function attached(what: string, object: object, message: object): GroupMeCase[] {
  return [
    {
      it: `sends ${what} as a bot`,
      message: { object },
      sees: bot(message),
      outcome: { outcome: 'sent' },
    },
    {
      it: `sends ${what} as a user`,
      credentials: PERSON,
      message: { object },
      sees: person(message),
      outcome: BY_PERSON,
    },
  ];
}

const refusal = (blame: Blame, reply: Reply, who: 'bot' | 'person'): GroupMeCase => ({
  it: `blames the ${blame} for ${reply.status} to a ${who}`,
  ...(who === 'person' && { credentials: PERSON }),
  answers: [reply],
  outcome: { outcome: 'permanent', blame, code: String(reply.status), detail: 'because' },
});

testChannel(groupme, {
  open: openGroupMe,
  credentials: { token: BOT, username: 'Bot' },
  recipient: GROUPS.ours,
  cases: [
    ...Object.entries(TEXTS).flatMap(([name, text]): GroupMeCase[] => [
      {
        it: `sends ${name} as a bot`,
        message: { text },
        sees: bot({ bot_id: BOT, text }),
        outcome: { outcome: 'sent' },
      },
      {
        it: `sends ${name} as a user`,
        credentials: PERSON,
        message: { text },
        sees: person({ source_guid: 'message-1-part-1', text }),
        outcome: BY_PERSON,
      },
    ]),
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: 'x'.repeat(1001) },
      sees: [...bot({ text: 'x'.repeat(1000) }), ...bot({ text: 'x' })],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'sends as the bot when both credentials exist',
      credentials: { secret: TOKEN },
      sees: bot({ bot_id: BOT }),
      outcome: { outcome: 'sent' },
    },
    {
      it: 'treats 201 as a success',
      answers: [{ status: 201 }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'treats a duplicate as sent',
      credentials: PERSON,
      answers: [groupMeError(409)],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'sends formatted text as plain text',
      message: { text: '**Hi** _you_ 2\\*3', object: { mediaType: 'text/markdown' } },
      sees: bot({ text: 'Hi you 2*3' }),
      outcome: { outcome: 'sent' },
    },

    ...attached(
      'a GroupMe image',
      { type: 'Image', url: 'https://i.groupme.com/1', content: 'Look' },
      { text: 'Look', attachments: [{ type: 'image', url: 'https://i.groupme.com/1' }] },
    ),
    ...UPLOADS,
    ...attached(
      'a GroupMe video',
      { type: 'Video', url: 'https://v.groupme.com/1', preview: 'https://v.groupme.com/2' },
      {
        attachments: [
          { type: 'video', url: 'https://v.groupme.com/1', preview_url: 'https://v.groupme.com/2' },
        ],
      },
    ),
    ...attached(
      'a link to a video without a preview',
      { type: 'Video', url: 'https://v.groupme.com/1' },
      { text: 'https://v.groupme.com/1' },
    ),
    ...attached(
      'a place',
      { type: 'Place', latitude: 1.5, longitude: -2, name: 'Here' },
      { text: 'Here', attachments: [PLACE] },
    ),
    ...attached(
      'a place without a name',
      { type: 'Place', latitude: 1.5, longitude: -2 },
      { text: '1.5, -2', attachments: [{ ...PLACE, name: '1.5, -2' }] },
    ),
    ...attached(
      'a reply',
      { inReplyTo: EARLIER },
      {
        text: 'Good morning!',
        attachments: [{ type: 'reply', reply_id: EARLIER, base_reply_id: EARLIER }],
      },
    ),
    ...attached(
      'a reply that is a place',
      { type: 'Place', latitude: 1.5, longitude: -2, name: 'Here', inReplyTo: EARLIER },
      {
        text: 'Here',
        attachments: [PLACE, { type: 'reply', reply_id: EARLIER, base_reply_id: EARLIER }],
      },
    ),

    {
      it: 'blames the credentials when the bot does not exist',
      credentials: { token: 'fake-bot-that-is-gone' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '404', detail: 'bot_id' },
    },
    {
      it: 'blames the credentials when the token is wrong',
      credentials: { ...PERSON, secret: 'fake-token-that-was-revoked' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
    {
      it: 'blames the recipient when the group does not exist',
      credentials: PERSON,
      message: { recipient: GROUPS.foreign },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '404' },
    },
    {
      it: 'blames the content when the text is empty',
      message: { text: ' ' },
      outcome: { outcome: 'permanent', blame: 'content', code: '400', detail: 'blank' },
    },
    refusal('recipient', groupMeError(403, 'because'), 'person'),
    refusal('credentials', groupMeError(403, 'because'), 'bot'),
    refusal('content', groupMeError(422, 'because'), 'bot'),
    ...(
      [
        { token: '' },
        { token: 'fake\r\n' },
        { ...PERSON, secret: '' },
        { ...PERSON, secret: 'fäke' },
      ] as const
    ).map((credentials): GroupMeCase => ({
      it: `sends no request with the invalid credentials ${JSON.stringify(credentials)}`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),

    {
      it: 'rate limited: waits as long as the response says',
      answers: [{ status: 429, headers: { 'retry-after': '4' }, body: 'slow down' }],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 4, code: '429' },
    },
    {
      it: 'rate limited: waits when it is blocked for sending too much',
      credentials: PERSON,
      answers: [{ status: 403, body: 'User has been auto-banned for sending too many messages.' }],
      outcome: { outcome: 'limited', scope: 'integration', code: '403' },
    },
    ...([500, 502] as const).map((status): GroupMeCase => ({
      it: `retries after ${status}: the message may have been sent`,
      answers: [groupMeError(status)],
      outcome: transient(true, String(status)),
    })),
    ...([302, 404, 503] as const).map((status): GroupMeCase => ({
      it: `retries after ${status}: the message was not sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    ...[EARLIER, '1'].map((id): GroupMeCase => ({
      it: id === '1' ? 'treats removing a missing message as done' : 'removes a message',
      calls: 'remove',
      credentials: PERSON,
      earlier: { id, recipient: GROUPS.ours },
      sees: [{ method: 'DELETE', path: `/conversations/${GROUPS.ours}/messages/${id}` }],
      outcome: { outcome: 'sent' },
    })),
    {
      it: 'cannot remove a message without permission',
      calls: 'remove',
      credentials: PERSON,
      earlier: { id: EARLIER, recipient: GROUPS.ours },
      answers: [groupMeError(403, 'because')],
      outcome: { outcome: 'permanent', blame: 'recipient', code: '403' },
    },
    {
      it: 'check: names the token’s owner and sends nothing',
      calls: 'check',
      credentials: PERSON,
      sees: [{ method: 'GET', path: '/users/me' }],
      outcome: { outcome: 'known', as: 'Ada' },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { secret: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
    {
      it: 'check: cannot verify a bot without posting',
      calls: 'check',
      sees: [],
      outcome: { outcome: 'permanent', blame: 'unsupported', detail: 'access token' },
    },
  ],
});

describe('groupme duplicates', () => {
  it('a message sent twice is accepted once', async () => {
    const peer = await openGroupMe();
    await using context = openContext({ credentials: { secret: TOKEN }, url: peer.url });
    const message = outgoing({ recipient: GROUPS.ours });
    const results = [];
    for (let i = 0; i < 2; i++) {
      results.push(await resultOf(groupme, 'send', message, undefined, context));
    }
    assert.deepEqual(results, [BY_PERSON, { outcome: 'sent' }]);
    await peer.close();
  });
});
