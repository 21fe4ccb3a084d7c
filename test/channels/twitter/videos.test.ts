import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { twitter } from '../../../src/channels/twitter/channel.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import { hosted } from '../../emulators/server/media.ts';
import {
  CLIENT,
  EXPIRED,
  FIRST,
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
  ({ outcome: 'limited', whom: 'message', seconds, detail }) as const;
const STATUS = 'GET /2/media/upload?command=STATUS&media_id=1455495247106131910';
const MESSAGE = `POST /2/dm_conversations/with/${PEOPLE.friend}/messages`;

/** X, and one who sends a film as often as it takes; the time is theirs. */
async function openX(credentials: Credentials = KEYS) {
  const peer = await openTwitter();
  const context = openContext({ credentials, url: peer.url });
  let now = Date.now();
  let looked = 0;
  const clock = { ...context.clock, now: () => now };
  return {
    peer,
    pass: (milliseconds: number) => void (now += milliseconds),
    send: (name: 'clip.mp4' | 'broken.mp4' = 'clip.mp4', key = 'a') => {
      const message = media('Video', { url: hosted(name) });
      const planned = outgoing({ recipient: PEOPLE.friend, key, ...message });
      return resultOf(twitter, 'send', planned, undefined, { ...context, clock });
    },
    /** What X was asked since it was looked last. */
    asked: () => {
      const since = peer.seen.slice(looked);
      looked = peer.seen.length;
      return since.map(({ method, path }) => `${method} ${path}`);
    },
    async [Symbol.asyncDispose]() {
      await context[Symbol.asyncDispose]();
      await peer.close();
    },
  };
}

describe('a film for X', () => {
  it('is asked for at every try, and sent once X has looked at it', async () => {
    await using x = await openX();
    assertOutcome(await x.send(), waits(1, '0 %'));
    assert.equal(x.asked().length, 3);
    assertOutcome(await x.send(), waits(7, '40 %'));
    assert.deepEqual(x.asked(), [STATUS]);
    assertOutcome(await x.send(), SENT);
    assert.deepEqual(x.asked(), [STATUS, MESSAGE]);
  });

  it('is not uploaded again when the message itself has to be tried again', async () => {
    await using x = await openX();
    await x.send();
    await x.send();
    x.peer.next('none');
    x.peer.next(problem(503, 'about:blank', 'Service Unavailable'));
    assertOutcome(await x.send(), { outcome: 'transient', maybeSent: false, code: '503' });
    x.asked();
    assertOutcome(await x.send(), SENT);
    assert.deepEqual(x.asked(), [STATUS, MESSAGE]);
  });

  it('is refused when X cannot show it', async () => {
    await using x = await openX();
    await x.send('broken.mp4');
    await x.send('broken.mp4');
    assertOutcome(await x.send('broken.mp4'), {
      outcome: 'permanent',
      blame: 'content',
      detail: 'Unsupported codec',
    });
  });

  it('is uploaded anew, at another try, when X knows nothing of it any more', async () => {
    await using x = await openX();
    await x.send();
    x.peer.media.clear();
    assertOutcome(await x.send(), {
      outcome: 'transient',
      maybeSent: false,
      code: 'resource-not-found',
    });
    x.asked();
    assertOutcome(await x.send(), waits(1, '0 %'));
    assert.equal(x.asked().length, 3);
  });

  it('is tried again from the start when X does not come to an end', async () => {
    // X would not take a signature of OAuth 1.0a from so late.
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

  it('is not mistaken for that of another message', async () => {
    await using x = await openX();
    await x.send('clip.mp4', 'a');
    x.asked();
    await x.send('clip.mp4', 'b');
    assert.equal(x.asked()[0], 'POST /2/media/upload/initialize');
  });
});
