import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { email } from '../../../src/channels/email/channel.ts';
import { PASSWORD, type SmtpPeer, USER, openSmtp } from '../../emulators/mail/smtp.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import { type TestMessage, assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';
import { filesOf, readEmail } from './files.ts';

const SENT = { outcome: 'sent', id: '<message-1-part-1@example.org>' } as const;
const REPORT = hosted('report.pdf');

const ALL: Partial<TestMessage> = {
  object: {
    content: 'Look',
    attachment: [
      { type: 'Image', url: hosted('photo.png') },
      { type: 'Document', url: REPORT, name: 'Report' },
    ],
  },
};

async function send(peer: SmtpPeer, message: Partial<TestMessage>) {
  await using context = openContext({
    credentials: { address: peer.url, username: USER, token: PASSWORD },
    url: '',
  });
  const planned = outgoing({ recipient: 'bob@example.net', ...message });
  return await resultOf(email, 'send', planned, undefined, context);
}

describe('an email with files', () => {
  it('an email with files is the same in every attempt except for its date', async () => {
    await using peer = await openSmtp();
    await send(peer, ALL);
    await send(peer, ALL);
    const [first, second] = peer.seen.map(({ raw }) => raw.replace(/^Date: .*$/m, ''));
    assert.ok(first?.includes('multipart/mixed'));
    assert.equal(first, second);
  });

  it('an email with files has other boundaries than another email with the same files', async () => {
    await using peer = await openSmtp();
    await send(peer, ALL);
    await send(peer, { ...ALL, key: 'another' });
    const [first, second] = peer.seen.map(({ headers }) => headers['content-type']);
    assert.match(first ?? '', /^multipart\/mixed; *boundary="/);
    assert.notEqual(first, second);
  });

  it('an email with files is sent with links when it exceeds the SIZE of the server', async () => {
    await using peer = await openSmtp({ size: 20_000 });
    const large = hosted('report.pdf', 20_000);
    const result = await send(peer, {
      object: { content: 'Look', attachment: [{ type: 'Document', url: large, name: 'Report' }] },
    });
    const detail = /queued as 1; Report .*: .*20000/;
    assertOutcome(result, { ...SENT, detail });
    assert.partialDeepStrictEqual(peer.seen, [{ body: `Look\r\nReport: ${large}\r\n` }]);
  });

  it('an email with files is sent with links when the server rejects its size after DATA', async () => {
    await using peer = await openSmtp();
    peer.next({ at: 'content', reply: '552 5.3.4 Too big for us' });
    const result = await send(peer, ALL);
    assertOutcome(result, { ...SENT, detail: ': 552 5.3.4 Too big for us' });
    const mail = await readEmail(peer.seen[0]);
    assert.deepEqual(mail.attachments, []);
    assert.equal(mail.text?.trim(), `Look\n${hosted('photo.png')}\nReport: ${REPORT}`);
  });

  it('an email with files is refused when it is too large without its files', async () => {
    await using peer = await openSmtp();
    const reply = '552 5.3.4 Too big for us';
    peer.next({ at: 'content', reply });
    peer.next({ at: 'content', reply });
    const outcome = { outcome: 'permanent', blame: 'content', code: '552 5.3.4' } as const;
    assertOutcome(await send(peer, ALL), outcome);
  });

  it('an email with files arrives byte for byte when a file has several pieces', async () => {
    await using peer = await openSmtp();
    const size = 200_001;
    const url = hosted('clip.mp4', size);
    await send(peer, { object: { type: 'Video', url } });
    const mail = await readEmail(peer.seen[0]);
    const [file] = mail.attachments;
    assert.ok(file?.content instanceof ArrayBuffer);
    const { bytes } = HOSTED['clip.mp4'];
    const whole = Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]);
    assert.ok(Buffer.from(file.content).equals(whole));
    assert.deepEqual(filesOf(mail).length, 1);
  });

  it('an email with files is sent over another connection when its own has closed', async () => {
    await using peer = await openSmtp();
    await using context = openContext({
      credentials: { address: peer.url, username: USER, token: PASSWORD },
      url: '',
    });
    const planned = outgoing({ recipient: 'bob@example.net', ...ALL });
    await resultOf(email, 'send', planned, undefined, context);
    peer.hangUp();
    await peer.idle();
    await resultOf(email, 'send', planned, undefined, context);
    const [first, second] = await Promise.all(peer.seen.map(readEmail));
    assert.deepEqual(first && filesOf(first), second && filesOf(second));
    assert.equal(peer.connections, 2);
  });
});
