import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { email } from '../../../src/channels/email/channel.ts';
import { type FetchAnswer, FetchFault, type FetchRequest } from '../../../src/lib/http/fetch.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import {
  ACCESS_TOKEN,
  PASSWORD,
  type SmtpEmail,
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

  it('uses TLS from the start with smtps', async () => {
    await using peer = await openSmtp({ ...certificate, secure: true });
    await using context = open(peer.url);
    assertOutcome(await resultOf(email, 'send', message, undefined, context), SENT);
    assert.deepEqual([peer.seen[0]?.secure, peer.seen[0]?.user], [true, USER]);
  });

  it('uses STARTTLS with smtp where the server offers it', async () => {
    const usual = getCACertificates('default');
    using trust = new DisposableStack();
    trust.defer(() => setDefaultCACertificates(usual));
    setDefaultCACertificates([...usual, certificate.cert]);
    await using peer = await openSmtp(certificate);
    await using context = open(peer.url.replace('127.0.0.1', 'localhost'));
    assertOutcome(await resultOf(email, 'send', message, undefined, context), SENT);
    assert.deepEqual([peer.seen[0]?.secure, peer.seen[0]?.user], [true, USER]);
  });

  it('rejects a self-signed certificate', async () => {
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
    it(`reports an expired certificate ${secure ? 'with smtps' : 'with smtp'}`, async () => {
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

  it('sends no password unencrypted to another machine', async () => {
    await using peer = await openSmtp();
    await using context = open('smtp://mail.example.org');
    const { port } = peer;
    const requests: unknown[] = [];
    const dial = async (host: string, at: number) => {
      requests.push([host, at]);
      return context.dial('127.0.0.1', port);
    };
    const result = await resultOf(email, 'send', message, undefined, { ...context, dial });
    assertOutcome(result, {
      outcome: 'permanent',
      blame: 'credentials',
      code: '500',
      detail: 'STARTTLS',
    });
    assert.deepEqual([requests, peer.seen], [[['mail.example.org', 587]], []]);
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
      requests: FetchRequest[],
      seen: readonly SmtpEmail[],
      renewed: readonly Credentials[],
    ) => Promise<void>,
  ): Promise<void> {
    await using peer = await openSmtp();
    const requests: FetchRequest[] = [];
    await using context = openContext({ credentials: { ...oauth, address: peer.url }, url: '' });
    const fetch = async (url: string, request: FetchRequest = {}): Promise<FetchAnswer> => {
      assert.equal(url, 'https://oauth2.googleapis.com/token');
      const { status, body } = answers[requests.push(request) - 1] ?? { status: 0, body: {} };
      if (status === 0) throw new FetchFault('connection refused', true);
      const text = JSON.stringify(body);
      return { status, header: () => undefined, text, truncated: false, json: () => body };
    };
    let sent = 0;
    const send = () => {
      // No two emails have the same id.
      const message = outgoing({ recipient: 'bob@example.net', key: `message-${++sent}` });
      return resultOf(email, 'send', message, undefined, { ...context, fetch });
    };
    await use(send, requests, peer.seen, context.renewed);
  }

  const granted = { status: 200, body: { access_token: ACCESS_TOKEN, expires_in: 3600 } };

  it('requests an access token once and logs in with it', () =>
    withTokens([granted], async (send, requests, seen) => {
      await send();
      await send();
      assert.deepEqual(
        seen.map(({ user }) => user),
        [USER, USER],
      );
      assert.equal(requests.length, 1);
      assert.deepEqual(Object.fromEntries(new URLSearchParams(String(requests[0]?.body))), {
        grant_type: 'refresh_token',
        client_id: 'client',
        client_secret: 'fake-client-secret',
        refresh_token: 'fake-refresh-token',
      });
      assert.equal(requests[0]?.isPrivate, true, 'the response contains a token');
    }));

  it('reports an invalid refresh token', () =>
    withTokens([{ status: 400, body: { error: 'invalid_grant' } }], async (send) => {
      assert.deepEqual(await send(), {
        outcome: 'permanent',
        blame: 'credentials',
        code: 'invalid_grant',
        detail: 'no access token issued: invalid_grant',
      });
    }));

  it('retries after a refusal from something other than the token server', () =>
    withTokens([{ status: 403, body: {} }], async (send) => {
      const result = await send();
      assert.partialDeepStrictEqual(result, { outcome: 'transient', maybeSent: false });
    }));

  const stale = { status: 200, body: { access_token: 'fake-and-stale', expires_in: 3600 } };

  it('retries when the token server fails and requests a new token when one is refused', () =>
    withTokens(
      [{ status: 503, body: {} }, { status: 0, body: {} }, stale, granted, stale, stale],
      async (send, requests, seen) => {
        assert.partialDeepStrictEqual(await send(), { outcome: 'transient', maybeSent: false });
        assert.partialDeepStrictEqual(await send(), { outcome: 'transient', maybeSent: false });
        assert.partialDeepStrictEqual(await send(), { outcome: 'sent' });
        assert.deepEqual([requests.length, seen.length], [4, 1]);
      },
    ));

  it('gives up when the new token is refused as well', () =>
    withTokens([stale, stale], async (send, requests, seen) => {
      assert.partialDeepStrictEqual(await send(), { outcome: 'permanent', blame: 'credentials' });
      assert.deepEqual([requests.length, seen.length], [2, 0]);
    }));

  it('requests one token for all concurrent emails and stores the new refresh token', () =>
    withTokens(
      [{ status: 200, body: { ...granted.body, refresh_token: 'fake-next' } }],
      async (send, requests, seen, renewed) => {
        await Promise.all([send(), send(), send(), send()]);
        assert.deepEqual([requests.length, seen.length], [1, 4]);
        assert.deepEqual(renewed, [{ refresh: 'fake-next' }]);
      },
    ));
});

describe('email connections', () => {
  const credentialsOf = (url: string) => ({ address: url, username: USER, token: PASSWORD });
  const message = (number: number) =>
    outgoing({ recipient: 'bob@example.net', key: `message-${number}`, text: `Number ${number}` });

  it('email connections are reused and closed in the end', async () => {
    await using peer = await openSmtp();
    const context = openContext({ credentials: credentialsOf(peer.url), url: peer.url });
    for (const number of [1, 2, 3])
      await resultOf(email, 'send', message(number), undefined, context);
    assert.equal(peer.seen.length, 3);
    assert.equal(peer.connections, 1);
    await context[Symbol.asyncDispose]();
    await peer.idle();
  });

  it('email connections stay few however many emails are sent', async () => {
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

  it('email connections are reopened when the server has closed them', async () => {
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

  it('email connections do not send a cancelled email later', async () => {
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
    peer.answerPending();
    await context[Symbol.asyncDispose]();
    await peer.idle();
    assert.deepEqual(peer.seen, []);
  });

  it('email connections keep the Message-ID in every attempt', async () => {
    await using peer = await openSmtp();
    await using context = openContext({ credentials: credentialsOf(peer.url), url: peer.url });
    peer.next({ at: 'content', does: 'reset' });
    await resultOf(email, 'send', message(7), undefined, context);
    await resultOf(email, 'send', message(7), undefined, context);
    await resultOf(email, 'send', message(8), undefined, context);
    const ids = peer.seen.map(({ headers }) => headers['message-id']);
    assert.deepEqual(ids, ['<message-7@example.org>', '<message-8@example.org>']);
  });

  it('email connections report a refused connection and a server that is not SMTP', async () => {
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
