import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { email } from '../../../src/channels/email/channel.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import { DOVECOT, PASSWORD, USER, startDovecot } from '../../emulators/real/dovecot.ts';
import { makeCertificate } from '../../emulators/server/certificate.ts';
import { until } from '../../support/until.ts';
import { kindsOf, listenTo } from '../listening.ts';
import { assertOutcome, openContext } from '../suite.ts';

function open(address: string, credentials: Credentials = {}) {
  return openContext({
    credentials: {
      address: `smtp://127.0.0.1:1 imap://${address}`,
      username: USER,
      token: PASSWORD,
      ...credentials,
    },
    url: '',
  });
}

const mail = (text: string, ...headers: string[]) =>
  [`From: Ada <ada@example.net>`, ...headers, '', text, ''].join('\r\n');

const textsOf = (inboundEvents: readonly object[]) =>
  inboundEvents.map((inboundEvent) => ('text' in inboundEvent ? inboundEvent.text : undefined));

describe('email from a real IMAP server', { skip: DOVECOT.skip }, () => {
  it('receives all emails that arrive at once, and while others are read', async () => {
    await using server = await startDovecot();
    await using context = open(server.address);
    await using listener = listenTo(email, context);
    await until('the client is idle', () => listener.cursor);
    const texts = ['1', '2', '3', '4', '5', '6', '7', '8'];
    const deliver = (some: readonly string[]) =>
      Promise.all(some.map((text) => server.deliver(mail(text))));
    await deliver(texts.slice(0, 4));
    await listener.waitFor(1);
    await deliver(texts.slice(4));
    await listener.waitFor(texts.length);
    assert.deepEqual(textsOf(listener.inboundEvents).toSorted(), texts);
  });

  it('receives each new email with its content', async () => {
    await using server = await startDovecot();
    await server.deliver(mail('Before anybody listened'));
    await using context = open(server.address);
    await using listener = listenTo(email, context);
    await until('the client is idle', () => listener.cursor);
    await server.deliver(
      mail(
        'Good morning',
        'Subject: Hello',
        'Message-ID: <a@example.net>',
        'Reply-To: <desk@example.net>',
      ),
    );
    await listener.waitFor(1);
    const file = Buffer.from('%PDF {3}\r\n)');
    await server.deliver(
      mail(
        [
          '--b',
          '',
          'With a file',
          '--b',
          'Content-Type: application/pdf; name="a.pdf"',
          'Content-Disposition: attachment',
          'Content-Transfer-Encoding: base64',
          '',
          file.toString('base64'),
          '--b--',
        ].join('\r\n'),
        'In-Reply-To: <m-1@example.org>',
        'References: <first@example.org> <m-1@example.org>',
        'Content-Type: multipart/mixed; boundary=b',
      ),
    );
    await listener.waitFor(2);
    const [first, second] = listener.inboundEvents;
    assert.ok(first?.what === 'message' && second?.what === 'message');
    const { key: _, at = 0, ...event } = first;
    assert.ok(Math.abs(Date.now() - at) < 60_000);
    assert.deepEqual(event, {
      what: 'message',
      from: { id: 'ada@example.net', name: 'Ada' },
      answerTo: 'desk@example.net',
      id: '<a@example.net>',
      title: 'Hello',
      text: 'Good morning',
    });
    assert.notEqual(first.key, second.key);
    assert.partialDeepStrictEqual(second, {
      text: 'With a file',
      replyTo: '<m-1@example.org>',
      thread: '<first@example.org>',
      media: [{ type: 'Document', mediaType: 'application/pdf', name: 'a.pdf' }],
    });
    const [media] = second.media ?? [];
    assert.ok(media);
    assert.deepEqual(await email.media?.(media.reference, context), {
      bytes: file,
      mediaType: 'application/pdf',
      name: 'a.pdf',
    });
    const [validity = ''] = media.reference.split(':');
    for (const other of [`${validity}:99:0`, `1:2:0`, `${validity}:2:7`, 'x']) {
      const found = await email.media?.(other, context);
      assert.partialDeepStrictEqual(found, { outcome: 'permanent', blame: 'content' }, other);
    }
  });

  it('resumes from the cursor and leaves the mailbox unchanged', async () => {
    await using server = await startDovecot();
    await using context = open(server.address);
    const before = listenTo(email, context);
    await until('the client is idle', () => before.cursor);
    await server.deliver(mail('One'));
    await before.waitFor(1);
    before.end();
    await before.ended;
    for (const text of ['Two', 'Three']) await server.deliver(mail(text));
    const fails = listenTo(email, context, before.cursor);
    fails.failNext();
    assert.equal((await fails.ended)?.detail, 'the store is full');
    await using listener = listenTo(email, context, before.cursor);
    await listener.waitFor(2);
    assert.deepEqual(textsOf(listener.inboundEvents), ['Two', 'Three']);
    await using after = listenTo(email, context, listener.cursor);
    await server.deliver(mail('Four'));
    await after.waitFor(1);
    assert.deepEqual(textsOf(after.inboundEvents), ['Four']);
  });

  it('starts anew after a UIDVALIDITY change or with another mailbox', async () => {
    await using server = await startDovecot();
    await using context = open(server.address);
    const before = listenTo(email, context);
    await until('the client is idle', () => before.cursor);
    await server.deliver(mail('One'));
    await before.waitFor(1);
    before.end();
    await before.ended;
    await server.resetMailbox();
    await server.deliver(mail('Numbered anew'));
    await using listener = listenTo(email, context, before.cursor);
    await until('it starts anew', () => listener.cursor !== before.cursor);
    await server.deliver(mail('Two'));
    await listener.waitFor(1);
    assert.deepEqual(textsOf(listener.inboundEvents), ['Two']);
    await using elsewhere = open(`${server.address}/Other`);
    await using other = listenTo(email, elsewhere, listener.cursor);
    await until('the client is idle', () => other.cursor !== listener.cursor);
    await server.deliver(mail('Elsewhere'), '.Other');
    await other.waitFor(1);
    assert.deepEqual(textsOf(other.inboundEvents), ['Elsewhere']);
  });

  it('receives a bounce, ignores automatic replies, and continues', async () => {
    await using server = await startDovecot();
    await using context = open(server.address);
    await using listener = listenTo(email, context);
    await until('the client is idle', () => listener.cursor);
    await server.deliver(mail('I am away', 'Auto-Submitted: auto-replied'));
    await server.deliver(
      mail(
        [
          '--r',
          'Content-Type: message/delivery-status',
          '',
          'Action: failed',
          'Status: 5.1.1',
          '',
          '--r',
          'Content-Type: text/rfc822-headers',
          '',
          'Message-ID: <k-1@example.org>',
          '--r--',
        ].join('\r\n'),
        'Content-Type: multipart/report; report-type=delivery-status; boundary=r',
      ),
    );
    await server.deliver(Buffer.from([0xff, 0xfe, 0, 10, 13, 10]));
    await server.deliver(mail('Last'));
    await listener.waitFor(2);
    assert.partialDeepStrictEqual(listener.inboundEvents, [
      { what: 'receipt', id: '<k-1@example.org>', state: 'failed', code: '5.1.1' },
      { what: 'message', text: 'Last' },
    ]);
    assert.equal(listener.inboundEvents.length, 2);
    assert.deepEqual(kindsOf(listener.ignored), ['mail: bot', 'mail: incomplete']);
  });

  for (const isSecure of [false, true]) {
    it(`uses TLS ${isSecure ? 'from the start' : 'where the server offers it'}`, async () => {
      const certificate = makeCertificate('localhost');
      const lines = ['disable_plaintext_auth = yes', 'ssl = required'];
      await using server = await startDovecot({ certificate, isSecure, lines });
      const address = `smtp://127.0.0.1:1 ${isSecure ? 'imaps' : 'imap'}://${server.address}`;
      const credentials = { address, username: USER, token: PASSWORD };
      await using context = openContext({ credentials, url: '', ca: certificate.cert });
      await using listener = listenTo(email, context);
      await until('the client is idle', () => listener.cursor);
      await server.deliver(mail('Secretly'));
      await listener.waitFor(1);
    });
  }

  for (const isSecure of [false, true]) {
    it(`reports an untrusted certificate ${isSecure ? 'with imaps' : 'with imap'}`, async () => {
      await using server = await startDovecot({
        certificate: makeCertificate('localhost'),
        isSecure,
      });
      // On this machine, imap needs no valid certificate.
      const host = isSecure ? server.address : 'mail.example.org';
      const address = `smtp://127.0.0.1:1 ${isSecure ? 'imaps' : 'imap'}://${host}`;
      const credentials = { address, username: USER, token: PASSWORD };
      await using context = openContext({ credentials, url: '' });
      const dial: typeof context.dial = async (_, __, more) =>
        context.dial('127.0.0.1', server.port, more);
      await using listener = listenTo(email, { ...context, dial });
      assertOutcome((await listener.ended) ?? { outcome: 'sent' }, {
        outcome: 'permanent',
        blame: 'credentials',
        detail: 'certificate',
      });
    });
  }

  it('reports a wrong password', async () => {
    await using server = await startDovecot({ lines: ['auth_failure_delay = 0'] });
    await using context = open(server.address, { token: 'fake-and-wrong' });
    await using listener = listenTo(email, context);
    const failure = (await listener.ended) ?? { outcome: 'sent' };
    assertOutcome(failure, {
      outcome: 'permanent',
      blame: 'credentials',
      code: 'AUTHENTICATIONFAILED',
    });
    assert.ok(!JSON.stringify(failure).includes('fake-and-wrong'));
  });
});
