import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { email } from '../../../src/channels/email/channel.ts';
import {
  PASSWORD,
  type SmtpAnswer,
  type SmtpEmail,
  USER,
  openSmtp,
} from '../../emulators/mail/smtp.ts';
import {
  type Case,
  type Expected,
  type Suite,
  assertOutcome,
  openContext,
  outgoing,
  resultOf,
  testChannel,
} from '../suite.ts';
import { FILES } from './files.ts';
import { OPTION_CASES } from './options.ts';

const ID = '<message-1-part-1@example.org>';
const SENT: Expected = { outcome: 'sent', id: ID, detail: 'queued' };

/** Properties of the object besides its content. */
const about = (text: string, object: Record<string, unknown>) => ({
  text,
  object: { content: text, ...object },
});

const emailWith = (
  at: SmtpAnswer['at'],
  reply: string,
  outcome: Expected,
): Case<SmtpEmail, SmtpAnswer> => ({
  it: `treats "${reply}" as ${outcome.outcome}`,
  answers: [{ at, reply }],
  outcome,
  sees: [],
});

const transient = (code: string): Expected => ({
  outcome: 'transient',
  maybeSent: false,
  code,
  detail: code,
});

const permanent = (blame: 'credentials' | 'recipient' | 'content', code: string): Expected => ({
  outcome: 'permanent',
  blame,
  code,
  detail: code,
});

const credentials: Suite<SmtpEmail, SmtpAnswer>['credentials'] = ({ url }) => ({
  address: url,
  username: USER,
  token: PASSWORD,
});

const formatted = (
  what: string,
  mediaType: string,
  text: string,
  mail: { body: string; html?: string },
): Case<SmtpEmail, SmtpAnswer> => ({
  it: what,
  message: about(text, { mediaType, name: 'Subject' }),
  outcome: SENT,
  also: ([seen]) => {
    assert.equal(seen?.body.trimEnd(), mail.body.replaceAll('\n', '\r\n'));
    assert.equal(seen.html?.trimEnd(), mail.html?.replaceAll('\n', '\r\n'));
  },
});

const FORMS: Case<SmtpEmail, SmtpAnswer>[] = [
  formatted(
    'sends Markdown as text and as HTML',
    'text/markdown',
    '**Bold** *it* ~~s~~ `c<d>` [link](https://a.example/?x=1&y=2)\n\n- one & <i>two\n\n```\n1 < 2\n```\nשלום 👋',
    {
      body: 'Bold it s c<d> link (https://a.example/?x=1&y=2)\n\n• one & two\n\n1 < 2\n\nשלום 👋',
      html: '<b>Bold</b> <i>it</i> <s>s</s> <code>c&lt;d&gt;</code> <a href="https://a.example/?x=1&amp;y=2">link</a><ul><li>one &amp; <i>two</i></li></ul><pre><code>1 &lt; 2</code></pre>שלום 👋',
    },
  ),
  formatted(
    'sends sanitized HTML',
    'text/html',
    '<p onclick="x()">a <b>b</b> &amp; &lt;c&gt;</p><script>alert(1)</script><a href="javascript:x()">d</a>',
    {
      body: 'a b & <c>\n\nd',
      html: 'a <b>b</b> &amp; &lt;c&gt;<br>\n<br>\nd',
    },
  ),
  formatted('sends no HTML part without visible content', 'text/markdown', 'a < b', {
    body: 'a < b',
  }),
];

testChannel(email, {
  open: () => openSmtp(),
  credentials,
  recipient: 'bob@example.net',
  cases: [
    ...OPTION_CASES,
    {
      it: 'sends an email',
      message: { text: 'Good morning!\nHow are you?' },
      outcome: SENT,
      sees: [
        {
          from: USER,
          to: ['bob@example.net'],
          user: USER,
          body: 'Good morning!\r\nHow are you?\r\n',
          headers: {
            from: USER,
            to: 'bob@example.net',
            subject: 'Good morning!',
            'message-id': ID,
            'mime-version': '1.0',
            'content-type': 'text/plain; charset=utf-8',
          },
        },
      ],
      also: ([mail]) => {
        const age = Date.now() - Date.parse(mail?.headers['date'] ?? '');
        assert.ok(age > -2000 && age < 60_000);
      },
    },
    {
      it: 'sends without a login when there is no password',
      credentials: { token: undefined },
      outcome: SENT,
      sees: [{ user: undefined }],
    },
    {
      it: "derives the sender's address from a user name that is not an address",
      credentials: { username: 'switchboard', token: undefined },
      outcome: { outcome: 'sent', id: '<message-1-part-1@[127.0.0.1]>' },
      sees: [{ from: 'switchboard@[127.0.0.1]' }],
    },
    {
      it: "uses the object's name as the subject",
      message: about('Text', { name: 'The name', summary: 'The summary' }),
      outcome: SENT,
      sees: [{ headers: { subject: 'The name' }, body: 'Text\r\n' }],
    },
    {
      it: 'uses the summary as the subject when there is no name',
      message: about('Text', { name: ' ', summary: 'The summary' }),
      outcome: SENT,
      sees: [{ headers: { subject: 'The summary' } }],
    },
    ...[
      `Invoice ${'for the many things that were ordered '.repeat(20)}`.trim(),
      'Ünder '.repeat(200).trim(),
      '👨‍👩‍👧‍👦'.repeat(40),
    ].map((name): Case<SmtpEmail, SmtpAnswer> => ({
      it: `never shortens a given subject: ${name.slice(0, 12)}`,
      message: about('Text', { name }),
      outcome: SENT,
      sees: [{ headers: { subject: name } }],
    })),
    {
      it: 'shortens a long first line for the subject between characters',
      message: { text: `\n  ${'👨‍👩‍👧‍👦'.repeat(10)}\nmore` },
      outcome: SENT,
      sees: [{ headers: { subject: '👨‍👩‍👧‍👦'.repeat(7) } }],
    },
    ...[
      'Emoji 👨‍👩‍👧‍👦 👍🏽 and a heart ❤️',
      'שלום עולם, and \u2067مرحبا\u2069',
      '.\n..\n.\nQUIT\n.',
      `${'long '.repeat(1000)}\n${'x'.repeat(5000)}`,
      'trailing space \nFrom the start\n\n\ttab =3D = end=',
      '日本語'.repeat(500),
    ].map((text): Case<SmtpEmail, SmtpAnswer> => ({
      it: `delivers ${JSON.stringify(text.slice(0, 20))} unchanged`,
      message: about(text, { name: text.slice(0, 60) }),
      outcome: SENT,
      also: ([mail]) => {
        assert.equal(mail?.body.trimEnd(), text.replaceAll('\n', '\r\n').trimEnd());
        assert.equal(mail?.headers['subject'], text.slice(0, 60).replaceAll(/\s+/g, ' ').trim());
        // RFC 5321, 4.5.3.1.6
        for (const line of mail?.raw.split('\r\n') ?? []) assert.ok(line.length <= 998);
      },
    })),
    ...[
      'a\r\nBcc: eve@example.com',
      'a\nBcc: eve@example.com\n\nbody',
      'a\rBcc: eve\u0000',
      'a\u2028Bcc: eve',
    ].map((name): Case<SmtpEmail, SmtpAnswer> => ({
      it: `prevents header injection by the subject: ${JSON.stringify(name)}`,
      message: about('Text', { name }),
      outcome: SENT,
      sees: [{ to: ['bob@example.net'], body: 'Text\r\n' }],
      also: ([mail]) => {
        assert.match(mail?.headers['subject'] ?? '', /^a Bcc: eve/);
        assert.ok(!('bcc' in (mail?.headers ?? {})));
      },
    })),
    {
      it: 'sends to exactly one address even if it looks like several, and this server refuses it',
      message: { recipient: '"x, eve@example.com"@example.net' },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '501' },
      sees: [],
    },
    {
      it: 'sends to an address with unusual characters',
      message: { recipient: "o'brien+news=a/b{c}@example.net" },
      outcome: SENT,
      sees: [{ to: ["o'brien+news=a/b{c}@example.net"] }],
    },
    {
      it: 'sends to an address in any script',
      message: { recipient: 'дмитрий@пример.рф' },
      outcome: SENT,
      sees: [{ to: ['дмитрий@пример.рф'] }],
    },
    {
      it: 'sets In-Reply-To and References',
      message: about('Text', { inReplyTo: '<earlier@example.net>' }),
      outcome: SENT,
      sees: [
        {
          headers: { 'in-reply-to': '<earlier@example.net>', references: '<earlier@example.net>' },
        },
      ],
    },
    ...(
      [
        [undefined, undefined, '<first@example.net>'],
        [
          '<earlier@example.net>',
          '<earlier@example.net>',
          '<first@example.net> <earlier@example.net>',
        ],
        ['<first@example.net>', '<first@example.net>', '<first@example.net>'],
      ] as const
    ).map(([inReplyTo, answered, references]): Case<SmtpEmail, SmtpAnswer> => ({
      it: `references the first message and the answered one: ${inReplyTo}`,
      message: { ...about('Text', { inReplyTo }), context: '<first@example.net>' },
      outcome: SENT,
      also: ([mail]) => {
        assert.equal(mail?.headers['references'], references);
        assert.equal(mail?.headers['in-reply-to'], answered);
      },
    })),
    {
      it: 'ignores a malformed Message-ID',
      message: {
        ...about('Text', { inReplyTo: '<a@b>\r\nBcc: eve@example.com' }),
        context: 'thread-1',
      },
      outcome: SENT,
      also: ([mail]) => {
        assert.ok(!('in-reply-to' in (mail?.headers ?? {})));
        assert.ok(!('references' in (mail?.headers ?? {})));
      },
    },
    ...FORMS,
    ...FILES,
    {
      it: 'derives a Message-ID from any key',
      message: { key: 'a b>\r\n@ä' },
      outcome: {
        outcome: 'sent',
        id: '<5ace42a7c09eae81f1879d994d92501ff40e6ba4b5234db1e88cd080516e08f6@example.org>',
      },
    },
    emailWith('connect', '421 4.3.2 Going down', transient('421 4.3.2')),
    emailWith('sender', '451 4.3.0 Try again', transient('451 4.3.0')),
    emailWith('recipient', '450 4.2.0 Greylisted', transient('450 4.2.0')),
    emailWith('content', '452 4.3.1 No space', transient('452 4.3.1')),
    emailWith('content', '421 4.7.0 Unusual rate', {
      outcome: 'limited',
      scope: 'integration',
      code: '421 4.7.0',
    }),
    emailWith('recipient', '451 4.7.1 Try again later', transient('451 4.7.1')),
    emailWith('recipient', '451 4.7.1 Too many letters', {
      outcome: 'limited',
      scope: 'recipient',
      code: '451 4.7.1',
    }),
    emailWith('recipient', '450 4.2.1 Receiving mail too quickly', {
      outcome: 'limited',
      scope: 'recipient',
      code: '450 4.2.1',
    }),
    emailWith('login', '535 5.7.8 No', permanent('credentials', '535 5.7.8')),
    emailWith('login', '534 5.7.9 Use an app password', permanent('credentials', '534 5.7.9')),
    emailWith('sender', '530 5.7.0 Log in first', permanent('credentials', '530 5.7.0')),
    emailWith('sender', '553 5.7.1 Not your address', permanent('credentials', '553 5.7.1')),
    emailWith('recipient', '550 5.1.1 No such user', permanent('recipient', '550 5.1.1')),
    emailWith('recipient', '550 No such user', permanent('recipient', '550')),
    emailWith('content', '554 5.7.1 Spam', permanent('content', '554 5.7.1')),
    emailWith('content', '552 5.3.4 Too big', permanent('content', '552 5.3.4')),
    {
      it: 'reports a wrong password without repeating it',
      credentials: { token: 'fake-and-wrong' },
      outcome: permanent('credentials', '535 5.7.8'),
      sees: [],
    },
    {
      it: 'the message was not sent when the connection ends before the content',
      answers: [{ at: 'recipient', does: 'reset' }],
      outcome: { outcome: 'transient', maybeSent: false },
    },
    {
      it: 'the message may have been sent when the connection ends after the content',
      answers: [{ at: 'content', does: 'reset' }],
      outcome: { outcome: 'transient', maybeSent: true },
    },
    {
      it: 'times out when the server sends no greeting',
      answers: [{ at: 'connect', does: 'hang' }],
      timeoutMs: 100,
      outcome: { outcome: 'transient', maybeSent: false },
      sees: [],
    },
    {
      it: 'times out when the server does not confirm the content',
      answers: [{ at: 'content', does: 'hang' }],
      timeoutMs: 2000,
      outcome: { outcome: 'transient', maybeSent: true, detail: 'in time' },
    },
    {
      it: 'check: accepts the user name',
      calls: 'check',
      outcome: { outcome: 'known', as: USER },
      sees: [],
    },
    {
      it: 'check: rejects a wrong password',
      calls: 'check',
      credentials: { token: 'fake-and-wrong' },
      outcome: permanent('credentials', '535 5.7.8'),
    },
    ...[
      'mail.example.org:587',
      'https://mail.example.org',
      'smtp://',
      'smtp://ada:fake@mail.example.org',
      '',
    ].map((address): Case<SmtpEmail, SmtpAnswer> => ({
      it: `refuses ${JSON.stringify(address)} as a server`,
      credentials: { address },
      outcome: { outcome: 'permanent', blame: 'credentials', detail: 'address must' },
    })),
  ],
});

describe('email against the SMTP emulator', () => {
  for (const [what, options, message, expected] of [
    [
      'sends nothing without AUTH when there is a password',
      { disabledCommands: ['AUTH', 'STARTTLS'] },
      {},
      { outcome: 'permanent', blame: 'credentials', code: '500', detail: /./ },
    ],
    [
      'reports an email over the announced SIZE',
      { size: 2000 },
      { text: 'x'.repeat(3000) },
      permanent('content', '552 5.3.4'),
    ],
  ] as const) {
    it(what, async () => {
      await using peer = await openSmtp({
        ...options,
        disabledCommands: [...(options.disabledCommands ?? ['STARTTLS'])],
      });
      await using context = openContext({
        credentials: { address: peer.url, username: USER, token: PASSWORD },
        url: '',
      });
      const planned = outgoing({ recipient: 'bob@example.net', ...message });
      assertOutcome(await resultOf(email, 'send', planned, undefined, context), expected);
      assert.deepEqual(peer.seen, []);
    });
  }
});
