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

/* A mail server that wants to fill our memory, or to keep us waiting. */

const certificate = makeCertificate('localhost');
const message = outgoing({ recipient: 'bob@example.net' });

type DispatchRound = (socket: Socket) => void;

/** Takes every letter; but the first connection to get as far as `at` is taken over by `round`. */
function listen(at: string, round: DispatchRound, { tls = false } = {}) {
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
    const hear = (line: string) => {
      const [command = ''] = line.split(' ');
      if (command === at && !isOver) {
        isOver = true;
        socket.removeAllListeners('data').resume();
        round(socket);
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
      for (const line of lines) hear(line);
    });
    if (first !== undefined) hear(first);
  };
  return listenRaw((socket) => converse(socket, 'CONNECT'));
}

function open(port: number, { host = '127.0.0.1', hasLogin = true } = {}) {
  const url = `smtp://${host}:${port}`;
  const credentials = { address: url, username: USER, ...(hasLogin && { token: PASSWORD }) };
  const context = openContext({ credentials, url });
  return {
    send: (patience = 15_000) => {
      const signal = AbortSignal.timeout(patience);
      return resultOf(email, 'send', message, undefined, { ...context, signal });
    },
    [Symbol.asyncDispose]: () => context[Symbol.asyncDispose](),
  };
}

const unsent = (at: string): Expected => ({ outcome: 'transient', maybeSent: at === '.' });

const FLOODS = {
  'a line without an end': 'x',
  'a reply without an end': '250-and more\r\n',
  'empty lines': '\r\n',
  'blank lines': ' \r\n',
};

const STEPS = ['CONNECT', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', '.'];

describe('email, at a server that floods it', { timeout: 60_000 }, () => {
  for (const [index, [what, text]] of Object.entries(FLOODS).entries()) {
    it(`with ${what} hangs up, and comes back`, async () => {
      // Replies are read in one way, whatever they answer: each step has one of the floods, and the last has all.
      for (const at of STEPS.filter((step, i) => i % 4 === index || step === '.')) {
        const growth = await growthWhile(async () => {
          await using server = await listen(at, (socket) => flood(socket, text));
          await using mailbox = open(server.port);
          const result = await mailbox.send();
          // Where there was no greeting, another connection is tried at once.
          if (at !== 'CONNECT' || result.outcome !== 'sent') assertOutcome(result, unsent(at));
          await whenClosed(server.sockets[0]);
          assert.partialDeepStrictEqual(await mailbox.send(), { outcome: 'sent' });
        });
        assert.ok(growth < MAX_GROWTH_BYTES, `at ${at} it took ${growth} bytes`);
      }
    });
  }

  it('while it has nothing to send hangs up, and comes back', async () => {
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
      assert.ok(growth < MAX_GROWTH_BYTES, `it took ${growth} bytes`);
    }
  });

  it('after STARTTLS hangs up, and comes back', async () => {
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
      assert.ok(growth < MAX_GROWTH_BYTES, `it took ${growth} bytes`);
    }
  });
});

describe('email, at a server that drips', { timeout: 30_000 }, () => {
  for (const at of STEPS) {
    it(`instead of answering ${at} gives up in time, and sends over another connection`, async () => {
      await using server = await listen(at, (socket) => drip(socket, '250-and more\r\n'));
      await using mailbox = open(server.port);
      assertOutcome(await mailbox.send(300), unsent(at));
      assert.partialDeepStrictEqual(await mailbox.send(), { outcome: 'sent' });
      assert.equal(server.sockets.length, 2);
    });
  }
});
