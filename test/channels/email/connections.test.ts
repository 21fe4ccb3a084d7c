import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { email } from '../../../src/channels/email/channel.ts';
import { type FetchAnswer, FetchFault, type FetchRequest } from '../../../src/lib/http/fetch.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import {
  ACCESS_TOKEN,
  PASSWORD,
  type SmtpLetter,
  USER,
  openSmtp,
} from '../../emulators/mail/smtp.ts';
import { makeCertificate, makeExpiredCertificate } from '../../emulators/server/certificate.ts';
import { listenRaw } from '../../emulators/server/raw.ts';
import { type Expected, assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';

const SENT: Expected = {
  outcome: 'sent',
  id: '<message-1-part-1@example.org>',
  detail: 'queued',
};

describe('email over TLS', () => {
  const certificate = makeCertificate('localhost');
  const message = outgoing({ recipient: 'bob@example.net' });
  const open = (url: string) =>
    openContext({
      credentials: { address: url, username: USER, token: PASSWORD },
      url,
      ca: certificate.cert,
    });

  it('goes over TLS from the start with smtps', async () => {
    await using peer = await openSmtp({ ...certificate, secure: true });
    await using context = open(peer.url);
    assertOutcome(await resultOf(email, 'send', message, undefined, context), SENT);
    assert.deepEqual([peer.seen[0]?.secure, peer.seen[0]?.user], [true, USER]);
  });

  it('goes over TLS with smtp where the server offers it', async () => {
    const usual = getCACertificates('default');
    using trust = new DisposableStack();
    trust.defer(() => setDefaultCACertificates(usual));
    setDefaultCACertificates([...usual, certificate.cert]);
    await using peer = await openSmtp(certificate);
    await using context = open(peer.url.replace('127.0.0.1', 'localhost'));
    assertOutcome(await resultOf(email, 'send', message, undefined, context), SENT);
    assert.deepEqual([peer.seen[0]?.secure, peer.seen[0]?.user], [true, USER]);
  });

  it('trusts nobody who vouches for themselves', async () => {
    for (const secure of [true, false]) {
      await using peer = await openSmtp({ ...makeCertificate('localhost'), secure });
      await using context = open(peer.url);
      const result = await resultOf(email, 'send', message, undefined, context);
      const detail = 'certificate';
      assertOutcome(result, { outcome: 'permanent', blame: 'credentials', detail });
      assert.equal(peer.seen.length, 0);
    }
  });

  for (const secure of [true, false]) {
    it(`says that a certificate has expired, ${secure ? 'with smtps' : 'with smtp'}`, async () => {
      const expired = makeExpiredCertificate('localhost');
      const usual = getCACertificates('default');
      using trust = new DisposableStack();
      trust.defer(() => setDefaultCACertificates(usual));
      setDefaultCACertificates([...usual, expired.cert]);
      await using peer = await openSmtp({ ...expired, secure });
      const address = peer.url.replace('127.0.0.1', 'localhost');
      await using context = openContext({
        credentials: { address, username: USER, token: PASSWORD },
        url: address,
        ca: expired.cert,
      });
      const result = await resultOf(email, 'send', message, undefined, context);
      const detail = 'certificate has expired';
      assertOutcome(result, { outcome: 'permanent', blame: 'credentials', detail });
      assert.equal(peer.seen.length, 0);
    });
  }

  it('sends no password in the clear to another machine', async () => {
    await using peer = await openSmtp();
    await using context = open('smtp://mail.example.org');
    const { port } = peer;
    const asked: unknown[] = [];
    const dial = async (host: string, at: number) => {
      asked.push([host, at]);
      return context.dial('127.0.0.1', port);
    };
    const result = await resultOf(email, 'send', message, undefined, { ...context, dial });
    assertOutcome(result, {
      outcome: 'permanent',
      blame: 'credentials',
      code: '500',
      detail: 'STARTTLS',
    });
    assert.deepEqual([asked, peer.seen], [[['mail.example.org', 587]], []]);
  });
});

describe('email with OAuth', () => {
  const oauth = {
    username: USER,
    refresh: 'fake-refresh-token',
    consumer_key: 'client',
    consumer_secret: 'fake-client-secret',
  };
  /** A token server in place of the network; the mail server is real. */
  async function withTokens(
    answers: readonly { status: number; body: unknown }[],
    use: (
      send: () => Promise<unknown>,
      asked: FetchRequest[],
      seen: readonly SmtpLetter[],
      renewed: readonly Credentials[],
    ) => Promise<void>,
  ): Promise<void> {
    await using peer = await openSmtp();
    const asked: FetchRequest[] = [];
    await using context = openContext({ credentials: { ...oauth, address: peer.url }, url: '' });
    const fetch = async (url: string, request: FetchRequest = {}): Promise<FetchAnswer> => {
      assert.equal(url, 'https://oauth2.googleapis.com/token');
      const { status, body } = answers[asked.push(request) - 1] ?? { status: 0, body: {} };
      if (status === 0) throw new FetchFault('nobody there', true);
      const text = JSON.stringify(body);
      return { status, header: () => undefined, text, truncated: false, json: () => body };
    };
    let sent = 0;
    const send = () => {
      // No two letters have the same id.
      const message = outgoing({ recipient: 'bob@example.net', key: `message-${++sent}` });
      return resultOf(email, 'send', message, undefined, { ...context, fetch });
    };
    await use(send, asked, peer.seen, context.renewed);
  }

  const granted = { status: 200, body: { access_token: ACCESS_TOKEN, expires_in: 3600 } };

  it('asks for an access token once, and logs in with it', () =>
    withTokens([granted], async (send, asked, seen) => {
      await send();
      await send();
      assert.deepEqual(
        seen.map(({ user }) => user),
        [USER, USER],
      );
      assert.equal(asked.length, 1);
      assert.deepEqual(Object.fromEntries(new URLSearchParams(String(asked[0]?.body))), {
        grant_type: 'refresh_token',
        client_id: 'client',
        client_secret: 'fake-client-secret',
        refresh_token: 'fake-refresh-token',
      });
      assert.equal(asked[0]?.isPrivate, true, 'the answer holds a token');
    }));

  it('says so when the refresh token is no longer good', () =>
    withTokens([{ status: 400, body: { error: 'invalid_grant' } }], async (send) => {
      assert.deepEqual(await send(), {
        outcome: 'permanent',
        blame: 'credentials',
        code: 'invalid_grant',
        detail: 'no access token issued: invalid_grant',
      });
    }));

  it('tries again after a refusal that is not of the token server itself', () =>
    withTokens([{ status: 403, body: {} }], async (send) => {
      const result = await send();
      assert.partialDeepStrictEqual(result, { outcome: 'transient', maybeSent: false });
    }));

  const stale = { status: 200, body: { access_token: 'fake-and-stale', expires_in: 3600 } };

  it('tries again when the token server has trouble, and asks anew when a token is refused', () =>
    withTokens(
      [{ status: 503, body: {} }, { status: 0, body: {} }, stale, granted, stale, stale],
      async (send, asked, seen) => {
        assert.partialDeepStrictEqual(await send(), { outcome: 'transient', maybeSent: false });
        assert.partialDeepStrictEqual(await send(), { outcome: 'transient', maybeSent: false });
        assert.partialDeepStrictEqual(await send(), { outcome: 'sent' });
        assert.deepEqual([asked.length, seen.length], [4, 1]);
      },
    ));

  it('gives up when the next token is refused as well', () =>
    withTokens([stale, stale], async (send, asked, seen) => {
      assert.partialDeepStrictEqual(await send(), { outcome: 'permanent', blame: 'credentials' });
      assert.deepEqual([asked.length, seen.length], [2, 0]);
    }));

  it('asks once for all that is sent at the same time, and keeps the refresh token that comes with it', () =>
    withTokens(
      [{ status: 200, body: { ...granted.body, refresh_token: 'fake-next' } }],
      async (send, asked, seen, renewed) => {
        await Promise.all([send(), send(), send(), send()]);
        assert.deepEqual([asked.length, seen.length], [1, 4]);
        assert.deepEqual(renewed, [{ refresh: 'fake-next' }]);
      },
    ));
});

describe('the connections of email', () => {
  const credentialsOf = (url: string) => ({ address: url, username: USER, token: PASSWORD });
  const message = (number: number) =>
    outgoing({ recipient: 'bob@example.net', key: `message-${number}`, text: `Number ${number}` });

  it('are used again, and closed in the end', { timeout: 5000 }, async () => {
    await using peer = await openSmtp();
    const context = openContext({ credentials: credentialsOf(peer.url), url: peer.url });
    for (const number of [1, 2, 3])
      await resultOf(email, 'send', message(number), undefined, context);
    assert.equal(peer.seen.length, 3);
    assert.equal(peer.connections, 1);
    await context[Symbol.asyncDispose]();
    await peer.idle();
  });

  it('are few, however many letters there are', async () => {
    await using peer = await openSmtp();
    await using context = openContext({ credentials: credentialsOf(peer.url), url: peer.url });
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    const results = await Promise.all(
      numbers.map(async (each) => resultOf(email, 'send', message(each), undefined, context)),
    );
    assert.ok(results.every((result) => result?.outcome === 'sent'));
    assert.equal(new Set(peer.seen.map(({ body }) => body)).size, 40);
    assert.ok(peer.connections <= 4, `${peer.connections} connections`);
  });

  it('are made anew when the server has ended them', async () => {
    await using peer = await openSmtp();
    await using context = openContext({ credentials: credentialsOf(peer.url), url: peer.url });
    await resultOf(email, 'send', message(1), undefined, context);
    peer.hangUp();
    await peer.idle();
    assert.partialDeepStrictEqual(await resultOf(email, 'send', message(2), undefined, context), {
      outcome: 'sent',
    });
    assert.equal(peer.seen.length, 2);
  });

  it('do not send later what was given up', { timeout: 5000 }, async () => {
    await using peer = await openSmtp();
    peer.next({ at: 'recipient', does: 'hang' });
    const context = openContext({ credentials: credentialsOf(peer.url), url: peer.url });
    const ended = new AbortController();
    const result = resultOf(email, 'send', message(1), undefined, {
      ...context,
      signal: ended.signal,
    });
    await peer.done();
    ended.abort();
    assert.partialDeepStrictEqual(await result, { outcome: 'transient', maybeSent: false });
    peer.wakeUp();
    await context[Symbol.asyncDispose]();
    await peer.idle();
    assert.deepEqual(peer.seen, []);
  });

  it('carry the same Message-ID at every try of a letter', async () => {
    await using peer = await openSmtp();
    await using context = openContext({ credentials: credentialsOf(peer.url), url: peer.url });
    peer.next({ at: 'content', does: 'reset' });
    await resultOf(email, 'send', message(7), undefined, context);
    await resultOf(email, 'send', message(7), undefined, context);
    await resultOf(email, 'send', message(8), undefined, context);
    const ids = peer.seen.map(({ headers }) => headers['message-id']);
    assert.deepEqual(ids, ['<message-7@example.org>', '<message-8@example.org>']);
  });

  it('fail with words when nobody listens, or nobody speaks SMTP', async () => {
    const server = await listenRaw((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const url = `smtp://127.0.0.1:${server.port}`;
    await using context = openContext({ credentials: credentialsOf(url), url });
    for (const open of [true, false]) {
      if (!open) await server[Symbol.asyncDispose]();
      const result = await resultOf(email, 'send', message(1), undefined, context);
      assertOutcome(result, { outcome: 'transient', maybeSent: false, detail: /\w/ });
    }
  });
});
