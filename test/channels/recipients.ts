import assert from 'node:assert/strict';

import type { Channel } from '../../src/channels/channel.ts';
import type { Credentials } from '../../src/model/integration.ts';
import { HOOK_URL } from './hooks.ts';
import { type Peer, openContext } from './suite.ts';

/* Asks a channel, against its peer, for what comes before and after a call of the vendor's. */

interface Asking<Seen, Answer> {
  open(): Promise<Peer<Seen, Answer>>;
  credentials: Credentials;
  answers?: readonly Answer[];
}

/** Tells the vendor the hook's address; with what the vendor has seen and what was stored. */
export async function register<Seen, Answer>(channel: Channel, given: Asking<Seen, Answer>) {
  return withPeer(given, async (context) => {
    assert.ok(channel.hook?.register, `${channel.name} cannot be told where to call`);
    return { outcome: await channel.hook.register(HOOK_URL, context), renewed: context.renewed };
  });
}

/** Where a file is that somebody sent. */
export async function find<Seen, Answer>(
  channel: Channel,
  reference: string,
  given: Asking<Seen, Answer>,
) {
  return withPeer(given, async (context) => {
    assert.ok(channel.media, `${channel.name} finds no files`);
    return { found: await channel.media(reference, context), url: context.url };
  });
}

async function withPeer<Seen, Answer, Result extends object>(
  { open, credentials, answers = [] }: Asking<Seen, Answer>,
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
