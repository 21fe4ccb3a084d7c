import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { describe, it } from 'node:test';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';

import { XmppSession } from '../../../src/channels/xmpp/session.ts';
import { DOMAIN, PASSWORD, PROSODY, startProsody } from '../../emulators/real/prosody.ts';
import { makeCertificate, makeExpiredCertificate } from '../../emulators/server/certificate.ts';
import { HEADER, features, mechanisms, openXmpp } from '../../emulators/xmpp.ts';

/* Simulates an untrusted network: connections to this machine are otherwise trusted. */

const UNTRUSTED = /certificate|TLS connection/;
const STARTTLS = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>";
const PROCEED = "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>";

async function logIn(port: number, more: { domain?: string; host?: string; tls?: boolean } = {}) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const login = { user: 'bot', domain: DOMAIN, password: PASSWORD, trustsWire: false, ...more };
  return XmppSession.open(socket, login, AbortSignal.timeout(5000));
}

describe('xmpp over an untrusted network', () => {
  for (const [what, greeting, answer, lasting, message] of [
    ['that offers no TLS', features(mechanisms('PLAIN', 'SCRAM-SHA-1')), '', true, /offer TLS/],
    [
      'that refuses TLS',
      features(STARTTLS),
      PROCEED.replace('proceed', 'failure'),
      true,
      /STARTTLS/,
    ],
    [
      'that sends data before TLS',
      features(STARTTLS),
      `${PROCEED}<message/>`,
      false,
      /before the TLS/,
    ],
    [
      'that announces TLS but does not speak it',
      features(STARTTLS),
      `${PROCEED}\n`,
      false,
      UNTRUSTED,
    ],
  ] as const) {
    it(`sends no password to a server ${what}`, async () => {
      await using peer = await openXmpp();
      peer.next({ to: 'stream', says: HEADER + greeting });
      peer.next(
        answer.endsWith('\n')
          ? { to: 'starttls', endsWith: answer }
          : { to: 'starttls', says: answer },
      );
      const port = Number(peer.url.split(':')[1]);
      const expected = { name: 'XmppFault', lasting, message };
      await assert.rejects(logIn(port), expected);
      assert.ok(!peer.seen.some((each) => each.startsWith('<auth')));
    });
  }

  it(
    'logs in with a trusted certificate and not with an untrusted one',
    {
      skip: PROSODY.skip,
    },
    async () => {
      const certificate = makeCertificate(DOMAIN);
      await using server = await startProsody(['bot'], { certificate });
      await assert.rejects(logIn(server.port), { name: 'XmppFault', message: UNTRUSTED });
      setDefaultCACertificates([certificate.cert]);
      const session = await logIn(server.port);
      assert.equal(session.jid, `bot@${DOMAIN}`);
      session.quit();
    },
  );

  it('reports an expired certificate', async () => {
    const certificate = makeExpiredCertificate(DOMAIN);
    const usual = getCACertificates('default');
    using trust = new DisposableStack();
    trust.defer(() => setDefaultCACertificates(usual));
    setDefaultCACertificates([...usual, certificate.cert]);
    const server = createServer(certificate, (socket) => void socket.end()).listen(0, '127.0.0.1');
    server.unref();
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await assert.rejects(logIn(port, { tls: true }), {
      name: 'XmppFault',
      message: /CERT_HAS_EXPIRED/,
      lasting: true,
    });
  });

  it('trusts a certificate for the domain or for the configured server only', async () => {
    const certificate = makeCertificate('chat.example.org');
    setDefaultCACertificates([certificate.cert]);
    const server = createServer(certificate, (socket) => void socket.end()).listen(0, '127.0.0.1');
    server.unref();
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const [domain, host, message, lasting] of [
      ['chat.example.org', undefined, /closed the connection/, false],
      ['example.org', 'chat.example.org', /closed the connection/, false],
      ['example.org', undefined, UNTRUSTED, true],
      ['example.org', 'other.example.org', UNTRUSTED, true],
    ] as const) {
      const named = host === undefined ? { domain } : { domain, host };
      await assert.rejects(logIn(port, { tls: true, ...named }), {
        name: 'XmppFault',
        message,
        lasting,
      });
    }
  });
});
