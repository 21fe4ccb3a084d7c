import assert from 'node:assert/strict';

import { xmpp } from '../../../src/channels/xmpp/channel.ts';
import {
  HEADER,
  type XmppAnswer,
  features,
  mechanisms,
  openXmpp,
  stanzaError,
} from '../../emulators/xmpp.ts';
import { until } from '../../support/until.ts';
import { type Case, type Expected, testChannel } from '../suite.ts';
import { RENDERER_CASES, ROOM, SENT, messagesIn } from './renderers.ts';

/* Server replies and their outcomes; send.slow.test.ts uses a real server. */

type XmppCase = Case<string, XmppAnswer>;
type Refused = Exclude<Expected, { outcome: 'sent' | 'known' }>;

const BOB = 'bob@example.net';
const recipient: Refused = { outcome: 'permanent', blame: 'recipient' };
const content: Refused = { outcome: 'permanent', blame: 'content' };
const wrong: Refused = { outcome: 'permanent', blame: 'credentials' };
const notSent: Refused = { outcome: 'transient', maybeSent: false };
const maybeSent: Refused = { outcome: 'transient', maybeSent: true };

/** In reply to a message, or on joining a room. */
const refuses = (type: string, condition: string, outcome: Refused, text = ''): XmppCase[] => [
  {
    it: `treats ${condition} (${type}) as ${outcome.outcome}`,
    answers: [{ to: 'message', says: stanzaError('message', type, condition, text) }],
    outcome: { ...outcome, code: condition, detail: text === '' ? condition : text },
  },
  ...(outcome === content
    ? []
    : [
        {
          it: `treats ${condition} (${type}) on joining a room as ${outcome.outcome}`,
          message: { recipient: ROOM },
          answers: [{ to: 'presence', says: stanzaError('presence', type, condition, text) }],
          outcome: { ...outcome, code: condition, detail: text === '' ? condition : text },
          also: (seen: readonly string[]) => assert.deepEqual(messagesIn(seen), []),
        },
      ]),
];

const failure = (inner: string) =>
  `<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>${inner}</failure>`;
const streamError = (condition: string, text = '') =>
  `<stream:error><${condition} xmlns='urn:ietf:params:xml:ns:xmpp-streams'>${text}</${condition}></stream:error></stream:stream>`;

testChannel(xmpp, {
  open: openXmpp,
  credentials: ({ url }) => ({
    address: url,
    username: 'bot@example.org',
    token: 'not-a-secret-of-bot',
  }),
  recipient: BOB,
  cases: [
    ...RENDERER_CASES,
    ...refuses('cancel', 'service-unavailable', recipient),
    ...refuses('cancel', 'item-not-found', recipient, 'Nobody of that name'),
    ...refuses('cancel', 'remote-server-not-found', recipient),
    ...refuses('auth', 'forbidden', recipient),
    ...refuses('auth', 'registration-required', recipient),
    ...refuses('modify', 'jid-malformed', recipient),
    ...refuses('modify', 'policy-violation', content),
    ...refuses('modify', 'bad-request', content),
    ...refuses('wait', 'remote-server-timeout', notSent),
    ...refuses('wait', 'resource-constraint', notSent, 'Too fast'),
    {
      it: 'blames the recipient for an error without a condition',
      answers: [{ to: 'message', says: "<message type='error' id='$id' from='$to'/>" }],
      outcome: { ...recipient, code: 'undefined-condition' },
    },
    {
      it: 'retries when it is removed from a room while sending',
      message: { recipient: ROOM },
      answers: [{ to: 'message', says: stanzaError('message', 'modify', 'not-acceptable') }],
      outcome: { ...notSent, code: 'not-acceptable' },
    },
    {
      it: 'tries a limited number of other nicks in a room',
      message: { recipient: ROOM },
      answers: Array.from({ length: 6 }, () => ({
        to: 'presence',
        says: stanzaError('presence', 'cancel', 'conflict'),
      })),
      outcome: { ...recipient, code: 'conflict' },
      also: (seen) => {
        const nicks = seen.flatMap(
          (each) => /^<presence to="[^"/]*\/([^"]*)"/.exec(each)?.[1] ?? [],
        );
        assert.deepEqual(nicks, ['bot', 'bot_', 'bot__', 'bot___', 'bot____']);
      },
    },
    {
      it: 'treats a message as sent when the room does not echo its id',
      message: { recipient: ROOM },
      answers: [{ to: 'message', says: '' }],
      outcome: SENT,
    },
    {
      it: 'ignores errors from other senders and about other messages',
      answers: [
        {
          to: 'message',
          says: [
            stanzaError('message', 'cancel', 'gone').replace(
              "from='$to'",
              "from='eve@example.com'",
            ),
            stanzaError('message', 'cancel', 'gone').replace("id='$id'", "id='another'"),
            "<message type='chat' id='$id' from='$to'><body>Hi</body></message>",
          ].join(''),
        },
      ],
      outcome: SENT,
    },
    {
      it: 'ignores replies sent in place of the server',
      answers: [
        { to: 'message', says: "<iq type='result' id='1' from='eve@example.com'/>" },
        { to: 'ping', says: '' },
      ],
      timeoutMs: 2000,
      outcome: { ...maybeSent, detail: 'in time' },
    },
    {
      it: 'treats a message as sent when its own server took it though the remote server does not answer',
      answers: [
        { to: 'ping', says: "<iq type='result' id='$id'/>" },
        { to: 'ping', says: '' },
      ],
      timeoutMs: 2000,
      outcome: SENT,
    },
    {
      it: 'treats a recipient without service discovery as a user',
      answers: [{ to: 'query', says: stanzaError('iq', 'cancel', 'item-not-found') }],
      outcome: SENT,
    },
    {
      it: 'answers pings and refuses other requests',
      answers: [
        {
          to: 'message',
          says: "<iq type='get' id='a' from='example.org'><ping xmlns='urn:xmpp:ping'/></iq><iq type='get' id='b' from='eve@example.com'><query xmlns='jabber:iq:version'/></iq>",
        },
      ],
      outcome: SENT,
      also: async (seen) => {
        const replies = () => seen.filter((each) => /^<iq id="[ab]"/.test(each));
        await until('both answers', () => replies().length === 2);
        const [first = '', second = ''] = replies();
        assert.equal(first, '<iq id="a" to="example.org" type="result"/>');
        assert.match(
          second,
          /^<iq id="b" to="eve@example.com" type="error">.*<service-unavailable/,
        );
      },
    },

    {
      it: 'blames the credentials when the password is wrong',
      answers: [{ to: 'auth', says: failure('<not-authorized/><text>Wrong</text>') }],
      outcome: { ...wrong, code: 'not-authorized', detail: 'Wrong' },
    },
    {
      it: 'retries when the login fails temporarily',
      answers: [{ to: 'auth', says: failure('<temporary-auth-failure/>') }],
      outcome: { ...notSent, code: 'temporary-auth-failure' },
    },
    {
      it: 'does not log in without a supported mechanism',
      answers: [{ to: 'stream', says: HEADER + features(mechanisms('EXTERNAL', 'X-OAUTH2')) }],
      outcome: { ...wrong, detail: 'login mechanism' },
    },
    {
      it: 'fails when the server skips its SCRAM proof',
      answers: [
        { to: 'stream', says: HEADER + features(mechanisms('PLAIN', 'SCRAM-SHA-1')) },
        { to: 'auth', says: "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>" },
      ],
      outcome: { ...notSent, detail: 'no login result' },
    },
    {
      it: "disconnects when the server's SCRAM proof is wrong",
      answers: [
        { to: 'stream', says: HEADER + features(mechanisms('SCRAM-SHA-1')) },
        {
          to: 'auth',
          says: (first) => {
            const [, nonce] = /r=(.*)$/.exec(atob(first)) ?? [];
            return `<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>${btoa(`r=${nonce}x,s=QQ==,i=4096`)}</challenge>`;
          },
        },
        {
          to: 'response',
          says: `<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>${btoa('v=AAAA')}</success>`,
        },
      ],
      outcome: { ...wrong, detail: 'password' },
    },
    {
      it: 'refuses an excessive SCRAM iteration count',
      answers: [
        { to: 'stream', says: HEADER + features(mechanisms('SCRAM-SHA-256')) },
        {
          to: 'auth',
          says: `<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>${btoa('r=x,s=QQ==,i=4294967295')}</challenge>`,
        },
      ],
      outcome: { ...wrong, detail: 'SCRAM' },
    },
    {
      it: 'retries when resource binding fails',
      answers: [{ to: 'bind', says: stanzaError('iq', 'wait', 'resource-constraint') }],
      outcome: { ...notSent, detail: 'no address' },
    },
    {
      it: 'blames the credentials when the server does not host the domain',
      answers: [{ to: 'stream', says: HEADER + streamError('host-unknown') }],
      outcome: { ...wrong, code: 'host-unknown' },
    },
    {
      it: 'does not follow see-other-host',
      answers: [{ to: 'stream', says: HEADER + streamError('see-other-host', '10.0.0.1') }],
      outcome: { ...wrong, code: 'see-other-host' },
    },
    {
      it: 'retries when the server shuts down before the message',
      answers: [{ to: 'auth', endsWith: streamError('system-shutdown') }],
      outcome: { ...notSent, code: 'system-shutdown' },
    },
    {
      it: 'the message may have been sent when the server shuts down after it',
      answers: [{ to: 'message', endsWith: streamError('system-shutdown') }],
      outcome: { ...maybeSent, code: 'system-shutdown' },
    },
    {
      it: 'the message may have been sent when the connection ends after it',
      answers: [{ to: 'message', does: 'reset' }],
      outcome: maybeSent,
    },
    {
      it: 'disconnects on malformed XML',
      answers: [{ to: 'message', says: '<a b></a>' }],
      outcome: { ...maybeSent, detail: 'XML' },
    },
    {
      it: 'the message was not sent when the connection ends before it',
      message: { recipient: ROOM },
      answers: [{ to: 'presence', does: 'reset' }],
      outcome: notSent,
    },
    ...['stream', 'auth', 'bind', 'query'].map((to): XmppCase => ({
      it: `times out when the server does not answer ${to}`,
      answers: [{ to, does: 'hang' }],
      timeoutMs: 100,
      outcome: { ...notSent, detail: 'in time' },
    })),
    {
      it: 'times out when the server stops answering after the message',
      answers: [{ to: 'message', does: 'hang' }],
      timeoutMs: 2000,
      outcome: { ...maybeSent, detail: 'in time' },
    },
    ...[
      'HTTP/1.1 400 Bad Request\r\n\r\n<html></html>',
      '</stream:stream>',
      `${HEADER}</stream:stream>`,
      `${HEADER}<a></b>`,
      `${HEADER}<message/>`,
      '<a/>'.repeat(100),
      `${HEADER}${features('')}`,
    ].map((text): XmppCase => ({
      it: `sends nothing to a server that greets with ${JSON.stringify(text.slice(-40))}`,
      answers: [{ to: 'stream', says: text }],
      timeoutMs: 2000,
      outcome: text.includes('features') ? { ...wrong, detail: 'login mechanism' } : notSent,
      also: (seen) => assert.deepEqual(messagesIn(seen), []),
    })),
    ...(
      [
        ['address', 'xmpp.example.org:99999'],
        ['address', 'https://xmpp.example.org'],
        ['address', 'a b:5222'],
        ['username', ''],
        ['username', 'bot'],
        ['username', '@example.org'],
        ['username', 'a b@example.org'],
        ['username', "bot@example.org'/>"],
        ['token', ''],
        ['token', 'not-a-secret\nof two lines'],
      ] as const
    ).map(([name, value]): XmppCase => ({
      it: `refuses ${JSON.stringify(value)} as ${name}`,
      credentials: { [name]: value },
      sees: [],
      outcome: { ...wrong, detail: `${name} must` },
    })),
    {
      it: 'sends nothing for an empty message',
      message: { text: '\u0000 \n' },
      sees: [],
      outcome: content,
    },
  ],
});
