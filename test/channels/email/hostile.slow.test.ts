import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { TLSSocket, getCACertificates, setDefaultCACertificates } from 'node:tls';

import { email } from '../../../src/channels/email/channel.ts';
import { PASSWORD, USER } from '../../emulators/mail/smtp.ts';
import { makeCertificate } from '../../emulators/server/certificate.ts';
import { drip, flood, listenRaw, whenClosed } from '../../emulators/server/raw.ts';
import { MAX_GROWTH_BYTES, growthWhile } from '../../support/memory.ts';
import { type Expected, assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';

/* A mail server that tries to fill our memory or to keep us waiting. */

const certificate = makeCertificate('localhost');
const message = outgoing({ recipient: 'bob@example.net' });

type Attack = (socket: Socket) => void;

/** Accepts every email, but the first connection that reaches `at` is handed to `attack`. */
function listen(at: string, attack: Attack, { tls = false } = {}) {
  let isOver = false;
  const replies: Readonly<Record<string, string>> = {
    CONNECT: '220 hostile.example',
    EHLO: tls ? '250-hostile.example\r\n250 STARTTLS' : '250-hostile.example\r\n250 AUTH PLAIN',
    STARTTLS: '220 go ahead',
    AUTH: '235 welcome',
    DATA: '354 go on',
    '.': '250 queued',
  };
  const converse = (socket: Socket, first?: string) => {
    let text = '';
    const handleLine = (line: string) => {
      const [command = ''] = line.split(' ');
      if (command === at && !isOver) {
        isOver = true;
        socket.removeAllListeners('data').resume();
        attack(socket);
        return;
      }
      if (command in replies) socket.write(`${replies[command]}\r\n`);
      else if (/^(?:MAIL|RCPT|RSET)$/.test(command)) socket.write('250 ok\r\n');
      if (command !== 'STARTTLS') return;
      socket.removeAllListeners('data');
      const secure = new TLSSocket(socket, { isServer: true, ...certificate });
      secure.on('error', () => {});
      converse(secure);
    };
    socket.on('data', (bytes) => {
      const lines = (text + bytes.toString()).split('\r\n');
      text = lines.pop() ?? '';
      for (const line of lines) handleLine(line);
    });
    if (first !== undefined) handleLine(first);
  };
  return listenRaw((socket) => converse(socket, 'CONNECT'));
}

function open(port: number, { host = '127.0.0.1', hasLogin = true } = {}) {
  const url = `smtp://${host}:${port}`;
  const credentials = { address: url, username: USER, ...(hasLogin && { token: PASSWORD }) };
  const context = openContext({ credentials, url });
  return {
    send: (timeoutMs = 15_000) => {
      const signal = AbortSignal.timeout(timeoutMs);
      return resultOf(email, 'send', message, undefined, { ...context, signal });
    },
    [Symbol.asyncDispose]: () => context[Symbol.asyncDispose](),
  };
}

const unsent = (at: string): Expected => ({ outcome: 'transient', maybeSent: at === '.' });

const FLOODS = {
  'an endless line': 'x',
  'an endless reply': '250-and more\r\n',
  'empty lines': '\r\n',
  'blank lines': ' \r\n',
};

const STEPS = ['CONNECT', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', '.'];

describe('email with a server that floods it', () => {
  for (const [index, [what, text]] of Object.entries(FLOODS).entries()) {
    it(`disconnects from a server that sends ${what} and reconnects`, async () => {
      // All replies are parsed the same way, so each step gets one of the floods and the last step all of them.
      for (const at of STEPS.filter((step, i) => i % 4 === index || step === '.')) {
        const growth = await growthWhile(async () => {
          await using server = await listen(at, (socket) => flood(socket, text));
          await using mailbox = open(server.port);
          const result = await mailbox.send();
          // Without a greeting, another connection is tried at once.
          if (at !== 'CONNECT' || result.outcome !== 'sent') assertOutcome(result, unsent(at));
          await whenClosed(server.sockets[0]);
          assert.partialDeepStrictEqual(await mailbox.send(), { outcome: 'sent' });
        });
        assert.ok(growth < MAX_GROWTH_BYTES, `memory grew by ${growth} bytes at ${at}`);
      }
    });
  }

  it('disconnects when flooded while idle and reconnects', async () => {
    for (const text of Object.values(FLOODS)) {
      const growth = await growthWhile(async () => {
        await using server = await listen('never', () => {});
        await using mailbox = open(server.port);
        assert.partialDeepStrictEqual(await mailbox.send(), { outcome: 'sent' });
        const [socket] = server.sockets;
        assert.ok(socket);
        flood(socket, text);
        await whenClosed(socket);
        assert.partialDeepStrictEqual(await mailbox.send(), { outcome: 'sent' });
      });
      assert.ok(growth < MAX_GROWTH_BYTES, `memory grew by ${growth} bytes`);
    }
  });

  it('disconnects when flooded after STARTTLS and reconnects', async () => {
    const usual = getCACertificates('default');
    using trust = new DisposableStack();
    trust.defer(() => setDefaultCACertificates(usual));
    setDefaultCACertificates([...usual, certificate.cert]);
    for (const text of Object.values(FLOODS)) {
      const growth = await growthWhile(async () => {
        await using server = await listen('MAIL', (socket) => flood(socket, text), { tls: true });
        await using mailbox = open(server.port, { host: 'localhost', hasLogin: false });
        assertOutcome(await mailbox.send(), unsent('MAIL'));
        await whenClosed(server.sockets[0]);
        assert.partialDeepStrictEqual(await mailbox.send(), { outcome: 'sent' });
      });
      assert.ok(growth < MAX_GROWTH_BYTES, `memory grew by ${growth} bytes`);
    }
  });
});

describe('email with a server that answers byte by byte', () => {
  for (const at of STEPS) {
    it(`times out when the answer to ${at} drips and sends over another connection`, async () => {
      await using server = await listen(at, (socket) => drip(socket, '250-and more\r\n'));
      await using mailbox = open(server.port);
      assertOutcome(await mailbox.send(300), unsent(at));
      assert.partialDeepStrictEqual(await mailbox.send(), { outcome: 'sent' });
      assert.equal(server.sockets.length, 2);
    });
  }
});
