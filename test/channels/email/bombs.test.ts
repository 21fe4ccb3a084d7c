import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { email } from '../../../src/channels/email/channel.ts';
import { readMail } from '../../../src/channels/email/isolated-reader.ts';
import { deliverEmail } from '../../emulators/mail/imap-messages.ts';
import { openImap } from '../../emulators/mail/imap.ts';
import { PASSWORD, USER } from '../../emulators/real/dovecot.ts';
import { growthWhile } from '../../support/memory.ts';
import { until } from '../../support/until.ts';
import { type TestListener, listenTo } from '../listening.ts';
import { openContext } from '../suite.ts';

const HEAD = 'From: Eve <eve@example.net>\r\nMessage-ID: <bomb@example.net>\r\n';
const MEBIBYTE = 1024 * 1024;
/** The thread's heap, its memory outside the heap, and twice the email itself. */
const MAX_MEMORY_BYTES = 256 * MEBIBYTE;

/** Starting the thread and passing the email to it. */
const MAX_MAIN_THREAD_CPU_US = 1_000_000;

/** Each once took seconds and hundreds of megabytes on the main thread. */
const BOMBS: Readonly<Record<string, string>> = {
  '2 MiB of blank lines': `${HEAD}\r\nHello\r\n${'\r\n'.repeat(MEBIBYTE)}`,
  '8 MiB of blank lines': `${HEAD}\r\nHello\r\n${'\n'.repeat(8 * MEBIBYTE)}`,
  '200,000 lines of text': `${HEAD}\r\nHello\r\n${`${'a'.repeat(70)}\r\n`.repeat(200_000)}`,
  '100,000 parts': `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHello\r\n${'--b\r\n\r\nx\r\n'.repeat(100_000)}`,
};

function open(address: string) {
  return openContext({
    credentials: {
      address: `smtp://127.0.0.1:1 imap://${address}`,
      username: USER,
      token: PASSWORD,
    },
    url: '',
  });
}

const firstEvent = async (listener: TestListener) => (await listener.waitFor(1))[0];

describe('mail bombs', () => {
  for (const [name, text] of Object.entries(BOMBS)) {
    it(`parses the beginning of ${name} off the main thread within bounded memory`, async () => {
      const before = process.threadCpuUsage();
      const bytes = Buffer.from(text);
      const growth = await growthWhile(async () => {
        const read = await readMail(bytes, 'bot@example.org', '7:5');
        assert.ok(read && 'message' in read);
        assert.equal(read.message.text?.slice(0, 5), 'Hello');
        assert.equal(read.message.media, undefined);
      });
      const { user, system } = process.threadCpuUsage(before);
      assert.ok(user + system < MAX_MAIN_THREAD_CPU_US, `${user + system} µs on the main thread`);
      assert.ok(growth < MAX_MEMORY_BYTES, `${growth} bytes`);
    });
  }

  it('receives the email after a mail bomb', async () => {
    await using peer = await openImap('IMAP4rev1 AUTH=PLAIN IDLE');
    await using context = open(peer.address);
    deliverEmail(peer, 5, BOMBS['2 MiB of blank lines'] ?? '');
    deliverEmail(peer, 6, `${HEAD}\r\nNext`);
    await using listener = listenTo(email, context);
    await listener.waitFor(1);
    await until('the client is idle', () => peer.seen.includes('IDLE'));
    peer.sockets[0]?.write('* 2 EXISTS\r\n');
    const [bomb, next] = await listener.waitFor(2);
    assert.partialDeepStrictEqual(bomb, { what: 'message', from: { id: 'eve@example.net' } });
    assert.partialDeepStrictEqual(next, { what: 'message', text: 'Next' });
  });
});

describe('unreadable emails', () => {
  const tooDeep = Array.from(
    { length: 30 },
    (_, i) => `Content-Type: multipart/mixed; boundary=b${i}-\r\n\r\n--b${i}-\r\n`,
  ).join('');

  it('reports an unreadable email as skipped and moves the cursor on', async () => {
    await using peer = await openImap('IMAP4rev1 AUTH=PLAIN IDLE');
    await using context = open(peer.address);
    deliverEmail(peer, 5, `${HEAD}${tooDeep}\r\nHello`);
    await using listener = listenTo(email, context);
    assert.partialDeepStrictEqual(await firstEvent(listener), {
      what: 'unreadable',
      reason: 'malformed',
      sender: 'Eve <eve@example.net>',
      id: '<bomb@example.net>',
      at: Date.UTC(2026, 6, 17, 9, 44, 25),
    });
    await until('the cursor is past the email', () =>
      /^7:5:[\w-]{16}$/.test(listener.cursor ?? ''),
    );
  });

  it('skips an email that ended the process at the next start', async () => {
    await using peer = await openImap('IMAP4rev1 AUTH=PLAIN IDLE');
    await using context = open(peer.address);
    deliverEmail(peer, 5, `${HEAD}\r\nHello`);
    const before = listenTo(email, context);
    await before.waitFor(1);
    before.end();
    await before.ended;
    // The cursor as left by a process that ended while it parsed the email.
    const left = before.cursors.find((cursor) => /:5:[0-9a-f]{16}$/.test(cursor)) ?? '';
    deliverEmail(peer, 5, `${HEAD}\r\nHello`);
    const same = listenTo(email, context, left);
    assert.partialDeepStrictEqual(await firstEvent(same), { what: 'message', text: 'Hello' });
    same.end();
    await same.ended;
    deliverEmail(peer, 5, `${HEAD}\r\nHello`);
    await using next = listenTo(email, context, left.replace(/[0-9a-f]{16}$/, 'f'.repeat(16)));
    assert.partialDeepStrictEqual(await firstEvent(next), {
      what: 'unreadable',
      reason: 'interrupted',
      sender: 'Eve <eve@example.net>',
    });
    await until('the cursor is past the email', () => /^7:5:[\w-]{16}$/.test(next.cursor ?? ''));
  });
});
