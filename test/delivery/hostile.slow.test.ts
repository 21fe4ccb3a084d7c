import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';

import type { Clock } from '../../src/lib/runtime/clock.ts';
import type { EngineName } from '../../src/store/schema.ts';
import { type RawServer, listenRaw, onRequest } from '../emulators/server/raw.ts';
import { TOKEN } from '../emulators/telegram.ts';
import { TestClock } from '../support/clock.ts';
import { integrate, message } from '../support/service/activity.ts';
import {
  type Shown,
  type ShownAttempt,
  asTimePasses,
  passTime,
  openWebhookDelivery,
} from '../support/service/delivery.ts';
import { until } from '../support/until.ts';

const SECOND = 1000;
const MEBIBYTE = 1024 * 1024;

const GOOD = JSON.stringify({ ok: true, result: { message_id: 7, chat: { id: 5 } } });
const good = (socket: Socket) =>
  socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${GOOD.length}\r\n\r\n${GOOD}`);

const answering =
  (head: string, body = '') =>
  (socket: Socket) =>
    socket.write(`HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);

/** Sends a byte now and then until the connection is closed. */
function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write('x'), 20);
  socket.once('close', () => clearInterval(timer));
}

/** Sends as much as the client reads, up to a gigabyte. */
function flood(socket: Socket): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  let left = (1024 * MEBIBYTE) / chunk.length;
  const pour = () => {
    while (left-- > 0 && !socket.destroyed) if (!socket.write(chunk)) return;
  };
  socket.on('drain', pour);
  pour();
}

/** The head of a JSON response of a gigabyte. */
const HUGE_JSON = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${1024 * MEBIBYTE}\r\n\r\n`;

/** The hostile vendor's response and a pattern of the detail; `slow` ones end by a timeout. */
const HOSTILE: readonly {
  it: string;
  does(socket: Socket): void;
  says?: RegExp;
  slow?: true;
  /** Of the attempt; by default `uncertain`, followed by another attempt. */
  outcome?: 'sent' | 'permanent';
}[] = [
  { it: 'never answers', does: () => {}, slow: true },
  {
    it: 'drips its headers',
    does(socket) {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      drip(socket);
    },
    slow: true,
  },
  {
    it: 'drips its answer',
    does(socket) {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
      drip(socket);
    },
    slow: true,
  },
  {
    it: 'sends a gigabyte',
    does(socket) {
      socket.write(HUGE_JSON);
      flood(socket);
    },
    outcome: 'sent',
  },
  {
    it: 'sends endless headers',
    does(socket) {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      flood(socket);
    },
    says: /headers/,
  },
  { it: 'resets the connection', does: (socket) => void socket.resetAndDestroy() },
  { it: 'ends the connection', does: (socket) => void socket.end() },
  {
    it: 'answers 200 with an HTML page',
    does: answering('200 OK', '<!doctype html><title>Sign in to this network</title>'),
    says: /JSON/,
    outcome: 'permanent',
  },
  {
    it: 'speaks another protocol',
    does: (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
    says: /HTTP/,
  },
  {
    it: 'sends binary garbage',
    does: (socket) => void socket.end(Buffer.from([0, 255, 254, 13, 10, 0, 200, 13, 10, 13, 10])),
    says: /HTTP/,
  },
  {
    it: 'answers with NUL and a lone surrogate',
    does: answering('500 Oops', '{"ok":false,"description":"\\u0000\\ud800"}\0'),
    says: /500/,
  },
  {
    it: 'answers with deeply nested JSON',
    does: answering('200 OK', '['.repeat(60_000)),
    outcome: 'sent',
  },
];

/** An application that uses the hostile server as Telegram, and another with its own endpoint. */
async function start(engine: EngineName, raw: RawServer, clock?: Clock) {
  const neighbor = await openWebhookDelivery(engine, {
    ...(clock && { clock }),
    environment: { SWITCHBOARD_TELEGRAM_URL: raw.url, SWITCHBOARD_STOP_TIMEOUT: '1' },
  });
  const { application, app } = await neighbor.service.application();
  await integrate(app, application.id, { name: 'telegram', token: TOKEN });
  return {
    neighbor,
    async send(to = '5'): Promise<number> {
      const body = message({ to: { type: 'Person', id: to } });
      return (await app.post('/1/message', body)).body.id;
    },
    async show(id: number): Promise<Shown> {
      return (await app.get(`/1/messages/${id}`)).body;
    },
    async attempts(id: number): Promise<ShownAttempt[]> {
      return (await app.get(`/1/messages/${id}/attempts`)).body.data;
    },
  };
}

// Vendor responses are handled before they are stored, so one store suffices here; order.test.ts and others use
// both.
for (const engine of ['sqlite'] as const) {
  describe(`a hostile vendor (${engine})`, () => {
    for (const { it: what, does, says, slow, outcome } of HOSTILE) {
      const ends = outcome === undefined ? 'is retried' : `is not retried`;
      it(`a hostile vendor that ${what} disturbs no other application and ${ends}`, async () => {
        let requests = 0;
        await using raw = await listenRaw((socket) => {
          onRequest(socket, () => void (++requests === 1 ? does(socket) : good(socket)));
        });
        const clock = new TestClock();
        const { neighbor, send, show, attempts } = await start(engine, raw, clock);
        await using _ = neighbor;
        const id = await send();
        await until('the request', () => requests === 1);
        const beside = await neighbor.settled(await neighbor.send('beside', 'ada'));
        assert.equal(beside.state, 'sent');
        if (slow) {
          assert.equal((await show(id)).state, 'sending');
          await passTime(neighbor.service, clock, 15 * SECOND - 1);
          assert.equal((await show(id)).state, 'sending');
          clock.advance(1);
        }
        const [tried] = await until('the outcome', async () => {
          const made = await attempts(id);
          return made.length > 0 && made;
        });
        if (says) assert.match(tried?.detail ?? '', says);
        assert.equal(tried?.outcome, outcome ?? 'uncertain');
        assert.ok((tried?.answer?.length ?? 0) <= 2000);
        if (outcome === 'permanent') {
          assert.equal((await show(id)).waiting?.reason, 'credentials');
          return;
        }
        await asTimePasses(clock, 500, 'the next attempt', async () => {
          return (await show(id)).state === 'sent';
        });
        assert.equal(requests, outcome === 'sent' ? 1 : 2);
      });
    }

    it('a hostile vendor that rate limits for minutes is obeyed and costs no attempt', async () => {
      let limits = 180;
      await using raw = await listenRaw((socket) => {
        const body = JSON.stringify({
          ok: false,
          error_code: 429,
          description: 'Too Many Requests: retry after 1',
          parameters: { retry_after: 1 },
        });
        onRequest(socket, () => {
          if (limits-- > 0) answering('429 Too Many Requests', body)(socket);
          else good(socket);
        });
      });
      const clock = new TestClock();
      const since = clock.now();
      const { neighbor, send, show } = await start(engine, raw, clock);
      await using _ = neighbor;
      const id = await send();
      await asTimePasses(clock, SECOND, 'the end of the limit', async () => {
        return (await show(id)).state === 'sent';
      });
      assert.equal((await show(id)).failed_attempts, 0);
      assert.ok(clock.now() - since >= 180 * SECOND);
      assert.equal((await neighbor.settled(await neighbor.send('beside', 'ada'))).state, 'sent');
    });

    it('a hostile vendor that sends gigabytes does not fill the memory', async () => {
      let poured = 0;
      let most = 0;
      await using raw = await listenRaw((socket) => {
        onRequest(socket, () => {
          socket.write(HUGE_JSON);
          flood(socket);
          socket.on('drain', () => (most = Math.max(most, memory())));
          socket.once('close', () => (poured += socket.bytesWritten));
        });
      });
      const clock = new TestClock();
      const { neighbor, send, attempts } = await start(engine, raw, clock);
      await using _ = neighbor;
      const before = memory();
      const ids: number[] = [];
      for (let i = 0; i < 20; i++) ids.push(await send(String(1000 + i)));
      for (const id of ids) {
        await until(`an attempt of ${id}`, async () => (await attempts(id)).length > 0);
        most = Math.max(most, memory());
      }
      assert.ok(most - before < 50 * MEBIBYTE, `${(most - before) / MEBIBYTE} MiB more`);
      assert.ok(poured < 200 * MEBIBYTE, `${poured / MEBIBYTE} MiB were taken`);
    });
  });
}

it('a channel request times out after 15 seconds of wall-clock time', async () => {
  await using raw = await listenRaw(() => {});
  const { neighbor, send, attempts } = await start('sqlite', raw);
  await using _ = neighbor;
  const id = await send();
  const [tried] = await until('the outcome', async () => {
    const made = await attempts(id);
    return made.length > 0 && made;
  });
  const took = tried?.duration_ms ?? 0;
  assert.ok(took >= 14_900 && took < 40_000, `${took} ms`);
});

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
