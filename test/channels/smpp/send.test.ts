import assert from 'node:assert/strict';
import { test } from 'node:test';

import { smpp } from '../../../src/channels/smpp/channel.ts';
import {
  PASSWORD,
  SYSTEM_ID,
  type SmppAnswer,
  type Submitted,
  openSmpp,
} from '../../emulators/sms/smpp.ts';
import { transient } from '../faults.ts';
import {
  type Case,
  type Expected,
  assertOutcome,
  openContext,
  outgoing,
  resultOf,
  testChannel,
} from '../suite.ts';

type SmppCase = Case<Submitted, SmppAnswer>;

const SENT = { outcome: 'sent', id: 'a1' } as const;
const NOW = '2026-11-17T12:00:00.000Z';
const hex = (text: string) => Buffer.from(text, 'latin1').toString('hex');
const ucs2 = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');

const option = (it: string, options: object, submitted: object): SmppCase => ({
  it,
  message: { options: { ...options } },
  sees: [submitted],
  outcome: SENT,
});

const refused = (to: SmppAnswer['to'], status: number, outcome: Expected): SmppCase => ({
  it: `classifies status ${status} of a ${to} as ${outcome.outcome}`,
  answers: [{ to, status }],
  outcome: { ...outcome, code: `0x${status.toString(16).padStart(8, '0')}` } as Expected,
});

const permanent = (blame: 'credentials' | 'recipient' | 'content') =>
  ({ outcome: 'permanent', blame }) as const;
const LIMITED = { outcome: 'limited', scope: 'integration' } as const;

testChannel(smpp, {
  open: openSmpp,
  credentials: ({ url }) => ({ address: url, username: SYSTEM_ID, secret: PASSWORD }),
  recipient: '+491512345678',
  cases: [
    {
      it: 'sends a text in the GSM alphabet',
      message: { text: 'Good morning @ {10 €}' },
      sees: [
        {
          source: '0 0 ',
          destination: '1 1 491512345678',
          esmClass: 0,
          priority: 0,
          validity: '',
          registered: 1,
          coding: 0,
          bytes: `${hex('Good morning ')}00${hex(' ')}1b28${hex('10 ')}1b651b29`,
        },
      ],
      outcome: SENT,
    },
    ...['👩‍👩‍👧 👋🏽', 'שלום עולם مرحبا', 'ë'].map((text): SmppCase => ({
      it: `sends ${text} in UCS-2`,
      message: { text },
      sees: [{ coding: 8, esmClass: 0, bytes: ucs2(text) }],
      outcome: SENT,
    })),
    {
      it: 'sends 160 characters as one segment',
      message: { text: 'x'.repeat(160) },
      sees: [{ esmClass: 0, bytes: hex('x'.repeat(160)) }],
      outcome: SENT,
    },
    {
      it: 'sends 161 characters as two segments, and asks for the receipt of the last',
      message: { text: 'x'.repeat(161) },
      sees: [
        { esmClass: 0x40, registered: 0 },
        { esmClass: 0x40, registered: 1 },
      ],
      outcome: { outcome: 'sent', id: 'a2' },
      also(seen) {
        const headers = seen.map(({ bytes }) => bytes.slice(0, 12));
        assert.deepEqual(
          headers.map((header) => header.slice(8)),
          ['0201', '0202'],
        );
        assert.equal(headers[0]?.slice(0, 8), headers[1]?.slice(0, 8));
        assert.deepEqual(
          seen.map(({ bytes }) => bytes.slice(12)),
          [hex('x'.repeat(153)), hex('x'.repeat(8))],
        );
      },
    },
    {
      it: 'splits no character of two places between segments',
      message: { text: `${'x'.repeat(152)}€${'x'.repeat(20)}` },
      sees: [{}, {}],
      outcome: { outcome: 'sent', id: 'a2' },
      also: (seen) => assert.equal(seen[1]?.bytes.slice(12, 16), '1b65'),
    },
    {
      it: 'sends to a short code',
      message: { recipient: '70707' },
      sees: [{ destination: '3 0 70707' }],
      outcome: SENT,
    },
    {
      it: 'sends an image as a link',
      message: { object: { type: 'Image', url: 'https://example.com/a.png', content: 'Look' } },
      sees: [{ bytes: hex('Look\nhttps://example.com/a.png') }],
      outcome: SENT,
    },
    option('sends from a number', { source_address: '+491700' }, { source: '1 1 491700' }),
    option('sends from a short code', { source_address: '70707' }, { source: '0 1 70707' }),
    option('sends from a name', { source_address: 'ACME Ltd' }, { source: '5 0 ACME Ltd' }),
    option('sets the validity', { ttl: 93_784 }, { validity: '000001020304000R' }),
    option('sets the priority', { priority: 3 }, { priority: 3 }),
    option('sends a flash message', { flash: true }, { coding: 0xf0 }),
    {
      it: 'sends a flash message in UCS-2',
      message: { text: 'ë', options: { flash: true } },
      sees: [{ coding: 0x18 }],
      outcome: SENT,
    },
    {
      it: 'limits the validity to the expiry',
      at: NOW,
      message: { endTime: '2026-11-17T12:00:30.500Z', options: { ttl: 60 } },
      sees: [{ validity: '000000000030000R' }],
      outcome: SENT,
    },

    refused('submit', 0x58, LIMITED),
    refused('submit', 0x14, LIMITED),
    refused('submit', 0x0b, permanent('recipient')),
    refused('submit', 0x0a, permanent('content')),
    refused('submit', 0x400, permanent('content')),
    refused('submit', 0x08, transient(false)),
    refused('bind', 0x0d, permanent('credentials')),
    refused('bind', 0x0e, permanent('credentials')),
    refused('bind', 0x0f, permanent('credentials')),
    refused('bind', 0x05, transient(false)),
    refused('bind', 0x400, transient(false)),
    {
      it: 'blames the credentials for a wrong password',
      credentials: { secret: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '0x0000000e' },
    },
    ...[
      { address: 'a b' },
      { address: 'a:99999' },
      { username: 'x'.repeat(16) },
      { secret: '' },
    ].map((credentials): SmppCase => ({
      it: `does not connect with ${JSON.stringify(credentials)}`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),
    ...(['close', 'garbage'] as const).map((does): SmppCase => ({
      it: `may have sent the message when the server fails to answer: ${does}`,
      answers: [{ to: 'submit', does }],
      outcome: transient(true),
    })),
    ...(['close', 'garbage'] as const).map((does): SmppCase => ({
      it: `has not sent the message when the bind fails: ${does}`,
      answers: [{ to: 'bind', does }],
      outcome: transient(false),
    })),
    {
      it: 'may have sent the message when the server does not answer in time',
      answers: [{ to: 'submit', does: 'hang' }],
      timeoutMs: 500,
      outcome: transient(true),
    },
    {
      it: 'counts a response without an id as sent',
      answers: [{ to: 'submit', id: '' }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'checks the account and sends nothing',
      calls: 'check',
      sees: [],
      outcome: { outcome: 'known', as: SYSTEM_ID },
    },
  ],
});

test('smpp binds once for several messages, and again after the connection was lost', async () => {
  await using server = await openSmpp();
  const credentials = { address: server.url, username: SYSTEM_ID, secret: PASSWORD };
  await using context = openContext({ credentials, url: '' });
  const send = async () =>
    resultOf(smpp, 'send', outgoing({ recipient: '+491512345678' }), undefined, context);
  const results = await Promise.all(Array.from({ length: 10 }, send));
  assert.equal(new Set(results.map((result) => 'id' in result && result.id)).size, 10);
  assert.equal(server.binds, 1);
  server.next({ to: 'submit', does: 'close' });
  assertOutcome(await send(), transient(true));
  assertOutcome(await send(), { outcome: 'sent', id: 'a11' });
  assert.equal(server.binds, 2);
});
