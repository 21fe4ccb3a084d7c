import type { Inbound } from '../accept/inbound.ts';
import type { Conversations } from '../chat/conversations.ts';
import { ChatLimits } from '../chat/limits.ts';
import { ChatSockets } from '../chat/sockets.ts';
import { Uploads } from '../chat/uploads.ts';
import { Visitors } from '../chat/visitors.ts';
import type { UnsentBytes } from '../lib/net/unsent-bytes.ts';
import type { Core } from './core.ts';

const MEBIBYTE = 1024 * 1024;

export interface WebChat {
  visitors: Visitors;
  conversations: Conversations;
  uploads: Uploads;
  sockets: ChatSockets;
}

export function buildWebChat(
  { config, store, clock, log }: Core,
  inbound: Inbound,
  conversations: Conversations,
  unsent: UnsentBytes,
): WebChat {
  const shared = {
    store,
    clock,
    limits: new ChatLimits(clock),
    receive: inbound.receive.bind(inbound),
  };
  const visitors = new Visitors(shared);
  return {
    visitors,
    conversations,
    uploads: new Uploads({ ...shared, maxBytes: config.chatFilesMb * MEBIBYTE }),
    sockets: new ChatSockets({ ...shared, log, visitors, conversations, unsent }),
  };
}
