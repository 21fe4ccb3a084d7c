import assert from 'node:assert/strict';

import type { Channel } from '../../src/channels/channel.ts';
import type { Credentials } from '../../src/model/integration.ts';
import { HOOK_URL } from './hooks.ts';
import { type Peer, openContext } from './suite.ts';

/* Calls a channel's webhook registration and file lookup against its peer. */

interface Setup<Seen, Answer> {
  open(): Promise<Peer<Seen, Answer>>;
  credentials: Credentials;
  answers?: readonly Answer[];
}

/** Registers the webhook URL; returns the outcome, the requests seen and the stored credentials. */
export async function register<Seen, Answer>(channel: Channel, given: Setup<Seen, Answer>) {
  return withPeer(given, async (context) => {
    assert.ok(channel.hook?.register, `${channel.name} cannot register a webhook`);
    return { outcome: await channel.hook.register(HOOK_URL, context), renewed: context.renewed };
  });
}

/** Looks up the address of a received file. */
export async function find<Seen, Answer>(
  channel: Channel,
  reference: string,
  given: Setup<Seen, Answer>,
) {
  return withPeer(given, async (context) => {
    assert.ok(channel.media, `${channel.name} has no file download`);
    return { found: await channel.media(reference, context), url: context.url };
  });
}

async function withPeer<Seen, Answer, Result extends object>(
  { open, credentials, answers = [] }: Setup<Seen, Answer>,
  use: (context: ReturnType<typeof openContext>) => Promise<Result>,
): Promise<Result & { seen: readonly Seen[] }> {
  const peer = await open();
  await using context = openContext({ credentials, url: peer.url });
  try {
    for (const answer of answers) peer.next(answer);
    return { ...(await use(context)), seen: peer.seen };
  } finally {
    await peer.close();
  }
}
