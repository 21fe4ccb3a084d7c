import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  MAIL_BEGINNING,
  MAX_MAIL_DEPTH,
  MAX_MAIL_HEADER_BYTES,
  WHOLE_MAIL,
  fileInMail,
  headOfMail,
  lengthWithin,
  readMail,
} from './reader.ts';

const SELF = 'bot@example.org';
const lines = (...all: string[]) => Buffer.from(all.join('\r\n'));
const read = (...all: string[]) => readMail(lines(...all), SELF, '7:3');
const FROM = 'From: Ada <ada@example.net>';

const mixed = [
  FROM,
  'To: bot@example.org',
  'Reply-To: Desk <desk@example.net>',
  'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
  'Message-ID: <c@example.net>',
  'In-Reply-To: <b@example.org>',
  'References: <a@example.org>',
  ' <b@example.org>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=o',
  '',
  '--o',
  'Content-Type: multipart/alternative; boundary=i',
  '',
  '--i',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Guten Tag, sch=F6n!',
  '--i',
  'Content-Type: text/html',
  '',
  '<p>Guten Tag</p>',
  '--i--',
  '--o',
  'Content-Type: image/png; name="cat.png"',
  'Content-Disposition: attachment; filename="cat.png"',
  'Content-Transfer-Encoding: base64',
  '',
  'iVBORw==',
  '--o--',
  '',
];

describe('a received email', () => {
  it('a received email has its sender, text, thread and files', async () => {
    assert.deepEqual(await read(...mixed), {
      message: {
        from: { id: 'ada@example.net', name: 'Ada' },
        answerTo: 'desk@example.net',
        id: '<c@example.net>',
        replyTo: '<b@example.org>',
        thread: '<a@example.org>',
        title: 'Grüße',
        text: 'Guten Tag, schön!',
        media: [{ type: 'Image', reference: '7:3:0', mediaType: 'image/png', name: 'cat.png' }],
      },
    });
    assert.deepEqual(await fileInMail(lines(...mixed), 0), {
      bytes: Buffer.from('iVBORw==', 'base64'),
      mediaType: 'image/png',
      name: 'cat.png',
    });
    assert.equal(await fileInMail(lines(...mixed), 1), undefined);
  });

  it('a received email may have only HTML, be empty or be truncated', async () => {
    const html = await read(FROM, 'Content-Type: text/html', '', '<p>Hi</p>');
    assert.partialDeepStrictEqual(html, {
      message: { text: '<p>Hi</p>\n', mediaType: 'text/html' },
    });
    assert.deepEqual(await read(FROM, '', ''), {
      message: { from: { id: 'ada@example.net', name: 'Ada' } },
    });
    const beginning = lines(...mixed.slice(0, -4));
    const cut = await readMail(beginning, SELF, undefined);
    assert.partialDeepStrictEqual(cut, { message: { text: 'Guten Tag, schön!' } });
    assert.ok(cut && 'message' in cut && !('media' in cut.message));
  });

  it('a received email is ignored if it is our own, has no sender or is an automatic reply', async () => {
    for (const [header, ignored] of [
      ['From: bot@EXAMPLE.org', 'own'],
      ['From: nobody', 'incomplete'],
      [`${FROM}\r\nAuto-Submitted: auto-replied (vacation)`, 'bot'],
      [`${FROM}\r\nPrecedence: auto_reply`, 'bot'],
      [`${FROM}\r\nReturn-Path: <>`, 'bot'],
      [`${FROM}\r\nX-Autoreply: yes`, 'bot'],
      ['Subject: without a sender', 'incomplete'],
    ] as const) {
      assert.deepEqual(await read(header, '', 'Hello'), { ignored }, header);
    }
    for (const header of [
      'Auto-Submitted: no',
      'Auto-Submitted: auto-generated',
      'Precedence: list',
      'Return-Path: <ada@example.net>',
    ]) {
      const common = await read(FROM, header, '', 'Hello');
      assert.partialDeepStrictEqual(common, { message: { text: 'Hello' } });
    }
  });

  it('a received email is ignored if it is garbage', async () => {
    for (const text of ['', '\0\0', 'From: \r\n\r\n']) {
      assert.deepEqual(await readMail(Buffer.from(text), SELF, '7:3'), { ignored: 'incomplete' });
    }
  });

  it('a received email is unreadable if its parts are nested too deep or its headers are too long', async () => {
    const nested = (depth: number) =>
      [FROM].concat(
        Array.from({ length: depth }, (_, i) => [
          `Content-Type: multipart/mixed; boundary=b${i}-`,
          '',
          `--b${i}-`,
        ]).flat(),
      );
    const within = await read(...nested(MAX_MAIL_DEPTH));
    assert.ok(within && 'message' in within);
    for (const broken of [
      nested(MAX_MAIL_DEPTH + 1),
      [FROM, `Subject: ${'x'.repeat(MAX_MAIL_HEADER_BYTES)}`, '', 'Hello'],
    ]) {
      assert.deepEqual(await read(...broken), { unreadable: 'malformed' });
    }
  });

  it('a received email is truncated, without files, if it has too many lines or parts', async () => {
    const head = mixed.slice(0, -2);
    const more = ['\r\n'.repeat(WHOLE_MAIL.lines), '--o\r\n'.repeat(WHOLE_MAIL.parts + 1)];
    for (const each of more) {
      const common = await read(...head, each, '--o--', '');
      assert.ok(common && 'message' in common);
      assert.equal(common.message.text, 'Guten Tag, schön!');
      assert.equal(common.message.media, undefined);
    }
  });
});

describe('the limits for an email', () => {
  it('the limits for an email count bytes, lines and possible parts', () => {
    const bounds = { bytes: 100, lines: 3, parts: 1 };
    const lengths = [
      ['a\nb\nc', 5],
      ['a\nb\nc\n', 6],
      ['a\nb\nc\nd', 6],
      ['\n\n\n\n', 3],
      ['--a\nb', 5],
      ['--a\n--b\n', 4],
      ['x'.repeat(101), 100],
    ] as const;
    for (const [text, length] of lengths) {
      assert.equal(lengthWithin(Buffer.from(text), bounds), length, JSON.stringify(text));
    }
    assert.ok(MAIL_BEGINNING.lines < WHOLE_MAIL.lines);
  });

  it('the sender and id of an unreadable email are read from its beginning', () => {
    const head = lines(FROM, 'Message-ID: <c@example.net>', '', 'From: Eve');
    assert.deepEqual(headOfMail(head), {
      sender: 'Ada <ada@example.net>',
      id: '<c@example.net>',
    });
    assert.deepEqual(headOfMail(Buffer.from('\0')), {});
  });
});

const report = (type: string, status: readonly string[], original: readonly string[]) => [
  'From: Mail Delivery System <MAILER-DAEMON@mx.example.net>',
  'Return-Path: <>',
  'Auto-Submitted: auto-replied',
  `Content-Type: multipart/report; report-type=${type}; boundary=r`,
  '',
  '--r',
  '',
  'This is a report about your email.',
  '--r',
  `Content-Type: message/${type}`,
  '',
  ...status,
  '--r',
  ...original,
  '--r--',
];
const WHOLE = ['Content-Type: message/rfc822', '', 'Message-ID: <k-1@example.org>', '', 'Hi'];
const HEADERS = ['Content-Type: text/rfc822-headers', '', 'Message-ID:', ' <k-1@example.org>', ''];
const per = (action: string, ...more: string[]) => [
  'Reporting-MTA: dns; mx.example.net',
  '',
  'Final-Recipient: rfc822; nobody@example.net',
  `Action: ${action}`,
  ...more,
  '',
];

describe('a report about an email', () => {
  const id = '<k-1@example.org>';
  for (const [what, original] of [
    ['all parts', WHOLE],
    ['the headers', HEADERS],
  ] as const) {
    it(`a bounce with ${what} of the email has the reason`, async () => {
      const more = ['Status: 5.1.1', 'Diagnostic-Code: smtp; 550 5.1.1', ' No such user'];
      const status = report('delivery-status', per('failed', ...more), original);
      const failed = { id, state: 'failed', code: '5.1.1', detail: '550 5.1.1 No such user' };
      assert.deepEqual(await read(...status), { reports: [failed] });
    });
  }

  it('a delivery report sets delivered, and a delay sets nothing', async () => {
    const delivered = report('delivery-status', per('delivered', 'Status: 2.0.0'), WHOLE);
    assert.deepEqual(await read(...delivered), { reports: [{ id, state: 'delivered' }] });
    for (const action of ['delayed', 'relayed', 'expanded', '']) {
      const late = report('delivery-status', per(action), WHOLE);
      assert.deepEqual(await read(...late), { reports: [] });
    }
  });

  it('a disposition of displayed sets read, and one of deleted sets nothing', async () => {
    const reading = (how: string) =>
      report(
        'disposition-notification',
        [`Original-Message-ID: ${id}`, `Disposition: manual-action/MDN-sent-manually; ${how}`, ''],
        ['', ''],
      );
    assert.deepEqual(await read(...reading('displayed')), { reports: [{ id, state: 'read' }] });
    assert.deepEqual(await read(...reading('deleted')), { reports: [] });
  });

  it('a report of spam is a complaint, and a report of not-spam is none', async () => {
    const feedback = (type: string) =>
      report('feedback-report', [`Feedback-Type: ${type}`, 'Version: 1', ''], WHOLE);
    const complaint = { id, state: 'delivered', blocked: 'complaint' };
    assert.deepEqual(await read(...feedback('abuse')), { reports: [complaint] });
    assert.deepEqual(await read(...feedback('not-spam')), { reports: [] });
    const unnamed = report('feedback-report', ['Feedback-Type: abuse', ''], ['', 'No email']);
    assert.deepEqual(await read(...unnamed), { reports: [] });
  });

  it('a report without a Message-ID has no effect', async () => {
    const nothing = report('delivery-status', per('failed'), ['', 'No email']);
    assert.deepEqual(await read(...nothing), { reports: [] });
  });
});
