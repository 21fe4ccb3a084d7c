import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { it } from 'node:test';

import { TestClock } from '../../../test/support/clock.ts';
import { telegram } from '../../channels/telegram/channel.ts';
import { createHttpClient } from '../../lib/http/client.ts';
import { createGuard } from '../../lib/net/address-guard.ts';
import type { ClaimedMessage } from '../../store/delivery/dispatch-round.ts';
import { attempt } from './attempt.ts';

const guard = createGuard({ allow: new BlockList(), allowLoopback: true });

/** Makes an attempt that the channel never answers; returns the seconds until it is aborted. */
async function secondsUntilAbort(claimed: ClaimedMessage, file?: { url: string }): Promise<number> {
  const clock = new TestClock();
  const network = createHttpClient({ guard });
  const abort = new AbortController();
  const begin = clock.now();
  let end = 0;
  abort.signal.addEventListener('abort', () => (end = clock.now()));
  const account = {
    channel: { ...telegram, send: () => new Promise<never>(() => {}) },
    credentials: {},
    operatorUrl: undefined,
    redact: (text: string) => text,
    resource: () => assert.fail('keep is not called'),
    storeCredentials: () => Promise.resolve(),
  };
  const request = { body: {}, ...(file && { file }) };
  const trying = attempt(claimed, [{ does: 'send', request }], account, { network, clock }, abort);
  for (let second = 0; second < 100; second++) clock.advance(1000);
  assert.partialDeepStrictEqual((await trying).outcome, {
    outcome: 'transient',
    maybeSent: true,
  });
  await network.close();
  return (end - begin) / 1000;
}

const MESSAGE: ClaimedMessage = {
  id: 1,
  integrationId: 1,
  applicationId: 1,
  objectId: null,
  reason: null,
  recipient: '1',
  activity: '{}',
  trace: null,
  instructions: null,
  createdAt: 0,
  attempts: 0,
  starts: 1,
  partsSent: 0,
  channelIds: null,
};

it('an attempt is aborted after 15 seconds, or after 60 if it carries a file', async () => {
  assert.equal(await secondsUntilAbort(MESSAGE), 15);
  assert.equal(await secondsUntilAbort(MESSAGE, { url: 'https://example.com/a.png' }), 60);
});
