import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { timestamp } from '../../src/model/timestamp.ts';
import { readEmail } from '../channels/email/files.ts';
import { CHANNELS, TOKEN, openDiscord } from '../emulators/discord/api.ts';
import { PASSWORD, USER, openSmtp } from '../emulators/mail/smtp.ts';
import type { HttpPeer } from '../emulators/server/http.ts';
import { HOSTED, answering, hosted } from '../emulators/server/media.ts';
import { CLIENT, EXPIRED, PEOPLE, REFRESH, openTwitter } from '../emulators/twitter/api.ts';
import { TestClock } from '../support/clock.ts';
import { message } from '../support/service/activity.ts';
import { openDelivery, whenSent } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

const CHANNEL = CHANNELS.text;
/** Other requests are unrelated to messages. */
const posts = ({ seen }: HttpPeer) => seen.filter(({ method }) => method === 'POST');

const file = (url: string) => ({ object: { type: 'Document', url, content: 'Look' } });

for (const engine of ENGINES) {
  describe(`an uploaded file (${engine})`, () => {
    const open = () =>
      openDelivery(engine, {
        channel: 'discord',
        open: openDiscord,
        credentials: { token: TOKEN },
      });

    it('an uploaded file arrives byte for byte and is recorded by its length only', async () => {
      await using sb = await open();
      const id = await sb.send('', CHANNEL, file(hosted('report.pdf')));
      assert.equal((await sb.settled(id)).state, 'sent');
      const [request] = posts(sb.peer);
      assert.ok(request?.parts?.[1]?.bytes.equals(HOSTED['report.pdf'].bytes));
      const [attempt] = await sb.attempts(id);
      const length = request?.bytes.length;
      assert.match(
        attempt?.request ?? '',
        new RegExp(`^POST \\S+/messages\\n\\n\\[${length} bytes\\]$`),
      );
    });

    it('an unavailable file fails the message with a reason', async () => {
      await using sb = await open();
      const { state, error } = await sb.settled(await sb.send('', CHANNEL, file(answering(404))));
      assert.deepEqual([state, error?.code], ['failed', 'content']);
      assert.match(error?.detail ?? '', /404/);
      assert.deepEqual(posts(sb.peer), []);
    });

    it('an uploaded file is retried when it is temporarily unavailable', async () => {
      await using sb = await open();
      const id = await sb.send('', CHANNEL, file(answering(503)));
      const { waiting, error } = await sb.message(id, (found) => found.waiting !== null);
      assert.deepEqual([waiting?.reason, error?.code], ['retry', 'transient']);
      const [attempt] = await sb.attempts(id);
      assert.deepEqual([attempt?.outcome, attempt?.code], ['transient', '503']);
    });

    it('an uploaded file is shown by its address in a dry run and not downloaded', async () => {
      await using sb = await open();
      const to = { type: 'Group', id: CHANNEL };
      const dryRunMessage = message({ ...file(answering(404)), to });
      const { body } = await sb.app.post('/1/message?dry_run=true', dryRunMessage);
      assert.partialDeepStrictEqual(body.parts, [
        {
          content: { content: 'Look' },
          file: { url: answering(404), name: null, media_type: null },
        },
      ]);
      assert.deepEqual(posts(sb.peer), []);
    });
  });

  describe(`a file attached to an email (${engine})`, () => {
    const open = () =>
      openDelivery(engine, {
        channel: 'email',
        open: () => openSmtp(),
        credentials: ({ url }) => ({ address: url, username: USER, token: PASSWORD }),
      });
    const to = 'bob@example.net';
    const object = {
      type: 'Note',
      content: 'Look',
      attachment: [
        { type: 'Image', url: hosted('photo.png') },
        { type: 'Document', url: answering(404), name: 'Report', mediaType: 'application/pdf' },
      ],
    };

    it('a file attached to an email is shown in a dry run with its fallback text', async () => {
      await using sb = await open();
      const dryRunMessage = message({ object, to: { type: 'Person', id: to } });
      const { body } = await sb.app.post('/1/message?dry_run=true', dryRunMessage);
      assert.partialDeepStrictEqual(body, {
        parts: [
          {
            content: { subject: 'Look', text: 'Look' },
            file: null,
            enclosed: [
              {
                url: hosted('photo.png'),
                media_type: null,
                name: null,
                otherwise: hosted('photo.png'),
              },
              {
                url: answering(404),
                media_type: 'application/pdf',
                name: 'Report',
                otherwise: `Report: ${answering(404)}`,
              },
            ],
          },
        ],
        degraded: [],
      });
      assert.deepEqual(sb.peer.seen, []);
    });

    it('a file attached to an email arrives as an attachment or a link, and the attempt says which and why', async () => {
      await using sb = await open();
      const id = await sb.send('', to, { object });
      assert.equal((await sb.settled(id)).state, 'sent');
      const mail = await readEmail(sb.peer.seen[0]);
      assert.equal(mail.attachments.length, 1);
      assert.equal(mail.text?.trim(), `Look\nReport: ${answering(404)}`);
      const [attempt] = await sb.attempts(id);
      assert.match(attempt?.detail ?? '', /queued.*Report.*404/);
    });
  });

  describe(`a video that the channel is processing (${engine})`, () => {
    it('a video that the channel is processing keeps its message and the following ones waiting without a failure', async () => {
      const clock = new TestClock();
      await using sb = await openDelivery(engine, {
        clock,
        channel: 'twitter',
        open: openTwitter,
        credentials: { ...CLIENT, token: EXPIRED, refresh: REFRESH },
      });
      const videoMessage = { object: { type: 'Video', url: hosted('clip.mp4') } };
      const first = await sb.send('', PEOPLE.friend, videoMessage);
      const { detail, until } = await sb.waiting(first, 'processing');
      assert.match(detail, /\b0 %/);
      assert.equal(until, timestamp(clock.now() + 1000));
      const began = clock.now();
      const behind = Array.from({ length: 14 }, () => ({ text: 'behind it', to: PEOPLE.friend }));
      const ids = await sb.sendAll(behind);
      await sb.waiting(ids[0] ?? 0, 'order');
      await whenSent(sb, clock, ids.at(-1) ?? 0);
      // X allows fifteen at once and another each minute; polling a video's status does not count.
      assert.ok(clock.now() - began < 60_000);
      const { state, failed_attempts: failed, error } = await sb.show(first);
      assert.deepEqual([state, failed, error], ['sent', 0, null]);
      const tries = await sb.attempts(first);
      assert.deepEqual(tries.map(({ outcome }) => outcome).toSorted(), [
        'limited',
        'limited',
        'sent',
      ]);
    });
  });
}
