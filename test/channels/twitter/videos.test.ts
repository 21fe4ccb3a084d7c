import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { twitter } from '../../../src/channels/twitter/channel.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import { hosted } from '../../emulators/server/media.ts';
import {
  CLIENT,
  EXPIRED,
  FIRST,
  FIRST_MEDIA,
  KEYS,
  PEOPLE,
  REFRESH,
  openTwitter,
} from '../../emulators/twitter/api.ts';
import { problem } from '../../emulators/twitter/problem.ts';
import { assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';
import { media } from '../upload-cases.ts';

const SENT = { outcome: 'sent', id: FIRST } as const;
const waits = (seconds: number, detail: string) =>
  ({ outcome: 'limited', scope: 'message', seconds, detail }) as const;
const STATUS = `GET /2/media/upload?command=STATUS&media_id=${FIRST_MEDIA}`;
const MESSAGE = `POST /2/dm_conversations/with/${PEOPLE.friend}/messages`;

/** X and a channel that sends a video in as many attempts as needed, with a test clock. */
async function openX(credentials: Credentials = KEYS) {
  const peer = await openTwitter();
  const context = openContext({ credentials, url: peer.url });
  let now = Date.now();
  let seenCount = 0;
  const clock = { ...context.clock, now: () => now };
  return {
    peer,
    pass: (milliseconds: number) => void (now += milliseconds),
    send: (name: 'clip.mp4' | 'broken.mp4' = 'clip.mp4', key = 'a') => {
      const message = media('Video', { url: hosted(name) });
      const planned = outgoing({ recipient: PEOPLE.friend, key, ...message });
      return resultOf(twitter, 'send', planned, undefined, { ...context, clock });
    },
    /** The requests since the last look. */
    newRequests: () => {
      const since = peer.seen.slice(seenCount);
      seenCount = peer.seen.length;
      return since.map(({ method, path }) => `${method} ${path}`);
    },
    async [Symbol.asyncDispose]() {
      await context[Symbol.asyncDispose]();
      await peer.close();
    },
  };
}

describe('videos sent to X', () => {
  it('videos sent to X are polled in every attempt and sent once X has processed them', async () => {
    await using x = await openX();
    assertOutcome(await x.send(), waits(1, '0 %'));
    assert.equal(x.newRequests().length, 3);
    assertOutcome(await x.send(), waits(7, '40 %'));
    assert.deepEqual(x.newRequests(), [STATUS]);
    assertOutcome(await x.send(), SENT);
    assert.deepEqual(x.newRequests(), [STATUS, MESSAGE]);
  });

  it('videos sent to X are not uploaded again when only the message is retried', async () => {
    await using x = await openX();
    await x.send();
    await x.send();
    x.peer.next('none');
    x.peer.next(problem(503, 'about:blank', 'Service Unavailable'));
    assertOutcome(await x.send(), { outcome: 'transient', maybeSent: false, code: '503' });
    x.newRequests();
    assertOutcome(await x.send(), SENT);
    assert.deepEqual(x.newRequests(), [STATUS, MESSAGE]);
  });

  it('videos sent to X fail when X cannot process them', async () => {
    await using x = await openX();
    await x.send('broken.mp4');
    await x.send('broken.mp4');
    assertOutcome(await x.send('broken.mp4'), {
      outcome: 'permanent',
      blame: 'content',
      detail: 'Unsupported codec',
    });
  });

  it('videos sent to X are uploaded again in the next attempt when X has lost them', async () => {
    await using x = await openX();
    await x.send();
    x.peer.forgetMedia();
    assertOutcome(await x.send(), {
      outcome: 'transient',
      maybeSent: false,
      code: 'resource-not-found',
    });
    x.newRequests();
    assertOutcome(await x.send(), waits(1, '0 %'));
    assert.equal(x.newRequests().length, 3);
  });

  it('videos sent to X are uploaded again when processing takes too long', async () => {
    // X would refuse an OAuth 1.0a signature dated that late.
    await using x = await openX({ ...CLIENT, token: EXPIRED, refresh: REFRESH });
    await x.send();
    x.pass(11 * 60_000);
    assertOutcome(await x.send(), {
      outcome: 'transient',
      maybeSent: false,
      detail: 'takes too long',
    });
    assertOutcome(await x.send(), waits(1, '0 %'));
  });

  it('videos sent to X belong to one message only', async () => {
    await using x = await openX();
    await x.send('clip.mp4', 'a');
    x.newRequests();
    await x.send('clip.mp4', 'b');
    assert.equal(x.newRequests()[0], 'POST /2/media/upload/initialize');
  });
});
