import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { describe, it } from 'node:test';
import { createServer } from 'node:tls';

import { email } from '../../../src/channels/email/channel.ts';
import { ImapSession } from '../../../src/channels/email/imap-session.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import { openImap } from '../../emulators/mail/imap.ts';
import { DOVECOT, PASSWORD, USER, startDovecot } from '../../emulators/real/dovecot.ts';
import { makeCertificate, makeExpiredCertificate } from '../../emulators/server/certificate.ts';
import { flood, whenClosed } from '../../emulators/server/raw.ts';
import { TestClock } from '../../support/clock.ts';
import { until } from '../../support/until.ts';
import { listenTo } from '../listening.ts';
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

const PLAIN = 'IMAP4rev1 AUTH=PLAIN IDLE';
const EMAIL = mail('Good morning');
const found = (uid: number, text = EMAIL) => [
  { to: 'UID SEARCH', says: `* SEARCH 4 ${uid}\r\n$tag OK done\r\n` },
  {
    to: 'UID FETCH',
    says: `* 1 FETCH (UID ${uid} RFC822.SIZE ${text.length} INTERNALDATE "17-Jul-2026 02:44:25 -0700")\r\n$tag OK\r\n`,
  },
  {
    to: 'UID FETCH',
    says: `* 1 FETCH (BODY[] {${text.length}}\r\n${text} UID ${uid})\r\n$tag OK\r\n`,
  },
];

describe('email over IMAP', () => {
  it('polls when the server does not support IDLE', async () => {
    await using peer = await openImap('IMAP4rev1 AUTH=PLAIN');
    const clock = new TestClock();
    await using context = { ...open(peer.address), clock };
    await using listener = listenTo(email, context);
    await until('it has polled', () => peer.seen.some((line) => line.startsWith('UID SEARCH')));
    for (const answer of found(5)) peer.next(answer);
    await until('it has polled again', () => {
      clock.advance(60_000);
      return listener.inboundEvents.length > 0;
    });
    assert.partialDeepStrictEqual(listener.inboundEvents, [
      { text: 'Good morning', at: Date.UTC(2026, 6, 17, 9, 44, 25) },
    ]);
    assert.ok(peer.seen.includes('NOOP'));
    assert.ok(!peer.seen.some((line) => line.includes('SELECT')), 'it only polls');
  });

  it('reads an email whose flags another client changes meanwhile', async () => {
    await using peer = await openImap(PLAIN);
    await using context = open(peer.address);
    await using listener = listenTo(email, context);
    await until('the client is idle', () => peer.seen.at(-1) === 'IDLE');
    const flags = '* 1 FETCH (UID 5 FLAGS (\\Seen))\r\n';
    for (const { to, says } of found(5)) {
      peer.next({ to, says: to === 'UID FETCH' ? `${flags}${says}` : says });
    }
    peer.sockets[0]?.write('* 1 EXISTS\r\n');
    await listener.waitFor(1);
    assert.partialDeepStrictEqual(listener.inboundEvents, [{ text: 'Good morning' }]);
  });

  it('skips an email that the server refuses to return once it returns a later one', async () => {
    await using peer = await openImap(PLAIN);
    await using context = open(peer.address);
    await using listener = listenTo(email, context);
    await until('the client is idle', () => peer.seen.at(-1) === 'IDLE');
    const refusal = { to: 'UID FETCH', says: '$tag NO [SERVERBUG] cannot convert\r\n' };
    const [, ...returned] = found(6);
    peer.next({ to: 'UID SEARCH', says: '* SEARCH 5 6\r\n$tag OK done\r\n' });
    for (const answer of [refusal, ...returned]) peer.next(answer);
    peer.sockets[0]?.write('* 2 EXISTS\r\n');
    await listener.waitFor(2);
    assert.partialDeepStrictEqual(listener.inboundEvents, [
      { what: 'unreadable', reason: 'malformed' },
      { text: 'Good morning' },
    ]);
  });

  it('ends the session while the server refuses to return the last email', async () => {
    await using peer = await openImap(PLAIN);
    await using context = open(peer.address);
    await using listener = listenTo(email, context);
    await until('the client is idle', () => peer.seen.at(-1) === 'IDLE');
    peer.next({ to: 'UID SEARCH', says: '* SEARCH 5\r\n$tag OK done\r\n' });
    peer.next({ to: 'UID FETCH', says: '$tag NO [UNAVAILABLE] later\r\n' });
    peer.sockets[0]?.write('* 1 EXISTS\r\n');
    assert.partialDeepStrictEqual(await listener.ended, { outcome: 'transient' });
    assert.deepEqual(listener.inboundEvents, []);
  });

  it('leaves IDLE when mail arrives and logs out at the end', async () => {
    await using peer = await openImap(PLAIN);
    await using context = open(peer.address);
    const listener = listenTo(email, context);
    await until('the client is idle', () => peer.seen.at(-1) === 'IDLE');
    for (const answer of found(5)) peer.next(answer);
    peer.sockets[0]?.write('* 1 EXISTS\r\n');
    await listener.waitFor(1);
    await until('the client is idle again', () => peer.seen.at(-1) === 'IDLE');
    assert.equal(peer.seen.filter((line) => line === 'DONE').length, 1);
    listener.end();
    await listener.ended;
    await whenClosed(peer.sockets[0]);
    assert.deepEqual(peer.seen.slice(-2), ['DONE', 'LOGOUT']);
  });

  it('logs in with an access token and requests a new one when it is refused', async () => {
    await using peer = await openImap('IMAP4rev1 AUTH=XOAUTH2 IDLE');
    const oauth = {
      refresh: 'fake-refresh-token',
      consumer_key: 'client.example',
      consumer_secret: 'fake-client-secret',
    };
    await using context = open(peer.address, oauth);
    let tokenRequests = 0;
    context.fetch = async (url) => {
      assert.equal(url, 'https://oauth2.googleapis.com/token');
      const body = { access_token: `fake-access-${++tokenRequests}`, expires_in: 3600 };
      const text = await Promise.resolve(JSON.stringify(body));
      return { status: 200, text, truncated: false, header: () => undefined, json: () => body };
    };
    const challenge = Buffer.from('{"status":"401"}').toString('base64');
    peer.next({ to: 'more', says: `+ ${challenge}\r\n` });
    peer.next({ to: 'more', says: '$tag NO [AUTHENTICATIONFAILED] Invalid credentials\r\n' });
    await using _listener = listenTo(email, context);
    await until('the client is idle', () => peer.seen.at(-1) === 'IDLE');
    const proof = (number: number) =>
      Buffer.from(`user=${USER}\u0001auth=Bearer fake-access-${number}\u0001\u0001`);
    assert.deepEqual(
      peer.seen.filter((line) => !/^(?:CAPABILITY|EXAMINE|UID|IDLE)/.test(line)),
      [
        'AUTHENTICATE XOAUTH2',
        proof(1).toString('base64'),
        '',
        'AUTHENTICATE XOAUTH2',
        proof(2).toString('base64'),
      ],
    );
  });

  it('logs in by LOGIN when nothing else is offered', async () => {
    await using peer = await openImap('IMAP4rev1 IDLE');
    await using context = open(peer.address, { token: 'fake "\\ password' });
    await using _listener = listenTo(email, context);
    await until('the client is idle', () => peer.seen.at(-1) === 'IDLE');
    assert.ok(peer.seen.includes(String.raw`LOGIN "bot@example.org" "fake \"\\ password"`));
  });

  it('reads only the beginning of an email that is too large, without its files', async () => {
    await using peer = await openImap(PLAIN);
    await using context = open(peer.address);
    const [search, , whole] = found(6);
    assert.ok(search && whole);
    peer.next(search);
    peer.next({
      to: 'UID FETCH',
      says: '* 1 FETCH (UID 6 RFC822.SIZE 99000000 INTERNALDATE "17-Jul-2026 02:44:25 -0700")\r\n$tag OK\r\n',
    });
    peer.next({ ...whole, says: whole.says.replace('BODY[]', 'BODY[]<0>') });
    await using listener = listenTo(email, context);
    await listener.waitFor(1);
    assert.ok(peer.seen.includes('UID FETCH 6 (UID BODY.PEEK[]<0.262144>)'));
  });

  it("reports temporary server errors as transient, with the server's text", async () => {
    for (const [greeting, answer, detail, code] of [
      ['* BYE too many connections', undefined, 'too many connections', 'BYE'],
      ['* OK', { to: 'more', says: '$tag NO [UNAVAILABLE] later\r\n' }, 'later', 'UNAVAILABLE'],
      ['* OK', { to: 'EXAMINE', says: '* BYE going down\r\n' }, 'going down', 'BYE'],
      ['* OK', { to: 'EXAMINE', says: '$tag NO [NONEXISTENT] no\r\n' }, 'no', 'NONEXISTENT'],
      ['220 smtp.example', undefined, 'IMAP', undefined],
    ] as const) {
      await using peer = await openImap(PLAIN, greeting);
      if (answer) peer.next(answer);
      await using context = open(peer.address);
      await using listener = listenTo(email, context);
      if (detail === 'going down') {
        await until('it searches', () => peer.seen.some((line) => line.startsWith('EXAMINE')));
        peer.sockets[0]?.end();
      }
      assertOutcome((await listener.ended) ?? { outcome: 'sent' }, {
        outcome: 'transient',
        maybeSent: false,
        detail,
        ...(code && { code }),
      });
      await whenClosed(peer.sockets[0]);
    }
  });

  for (const [what, text] of [
    ['lines', '* 1 EXISTS\r\n'],
    ['an endless line', 'x'],
    ['endless bytes', '* {99999999}\r\n'],
  ] as const) {
    it(`disconnects from a server that endlessly sends ${what}`, async () => {
      await using peer = await openImap(PLAIN);
      await using context = open(peer.address);
      peer.next({ to: 'EXAMINE', says: '' });
      await using listener = listenTo(email, context);
      await until('it searches', () => peer.seen.some((line) => line.startsWith('EXAMINE')));
      const [socket] = peer.sockets;
      assert.ok(socket);
      flood(socket, text);
      assertOutcome((await listener.ended) ?? { outcome: 'sent' }, {
        outcome: 'transient',
        maybeSent: false,
        detail: /too much|too long/,
      });
    });
  }

  it('ignores anything the server sent before TLS', async () => {
    await using peer = await openImap('IMAP4rev1 STARTTLS AUTH=PLAIN');
    await using context = open(peer.address);
    peer.next({ to: 'STARTTLS', says: '$tag OK go\r\n* CAPABILITY AUTH=PLAIN\r\n' });
    await using listener = listenTo(email, context);
    assertOutcome((await listener.ended) ?? { outcome: 'sent' }, {
      outcome: 'transient',
      maybeSent: false,
      detail: 'TLS',
    });
    assert.ok(!peer.seen.some((line) => line.startsWith('AUTHENTICATE')));
  });

  it('sends the password neither unencrypted nor to a server with another name', async () => {
    const options = {
      host: '127.0.0.1',
      isSecure: false,
      trustsWire: false,
      login: { user: USER, password: PASSWORD },
    };
    const { signal } = new AbortController();
    await using plain = await openImap(PLAIN);
    const toPlain = connect(Number(plain.address.split(':')[1]), '127.0.0.1');
    await assert.rejects(ImapSession.open(toPlain, options, signal), {
      message: /TLS/,
      isLasting: true,
    });
    assert.deepEqual(plain.seen, ['CAPABILITY']);
    if (DOVECOT.path === undefined) return;
    await using server = await startDovecot({ certificate: makeCertificate('localhost') });
    const toServer = connect(server.port, '127.0.0.1');
    await assert.rejects(ImapSession.open(toServer, options, signal), {
      message: /DEPTH_ZERO_SELF_SIGNED_CERT/,
      isLasting: true,
    });
  });

  it('reports an expired certificate', async () => {
    const expired = makeExpiredCertificate('localhost');
    const server = createServer(expired).listen(0, '127.0.0.1');
    server.unref();
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const address = `smtp://127.0.0.1:1 imaps://127.0.0.1:${port}`;
    const credentials = { address, username: USER, token: PASSWORD };
    await using context = openContext({ credentials, url: '', ca: expired.cert });
    await using listener = listenTo(email, context);
    const ended = await listener.ended;
    assert.partialDeepStrictEqual(ended, { outcome: 'permanent', blame: 'credentials' });
    assert.match(ended && 'detail' in ended ? ended.detail : '', /CERT_HAS_EXPIRED/);
  });

  it('waits until its end when no incoming mail server is configured', async () => {
    await using context = openContext({
      credentials: { address: 'smtp://127.0.0.1:1', username: USER, token: PASSWORD },
      url: '',
    });
    const listener = listenTo(email, context);
    listener.end();
    assert.equal(await listener.ended, undefined);
    assert.equal(listener.cursor, undefined);
  });

  it('reports invalid server addresses', async () => {
    for (const [address, detail] of [
      ['smtp://a.example smtp://b.example', 'imap://host:port'],
      ['smtp://a.example imap://b.example imap://c.example', 'imaps://host:port'],
      ['smtp://a.example imaps://u:fake@b.example', 'login'],
      ['smtp://a.example imaps://b.example/%C3%A9', 'mailbox'],
      ['imaps://b.example', 'smtp://host:port'],
    ] as const) {
      await using context = openContext({ credentials: { address, username: USER }, url: '' });
      const failure = (await listenTo(email, context).ended) ?? { outcome: 'sent' };
      assertOutcome(failure, { outcome: 'permanent', blame: 'credentials', detail });
    }
  });
});
