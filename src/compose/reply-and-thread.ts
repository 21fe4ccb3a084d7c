import type { Renderers, Unsupported, VendorRequest } from '../channels/channel.ts';
import type { Degradations } from './degradations.ts';
import type { References, Resolved } from './references.ts';

/** The position of a message in a conversation: the message it replies to, and its thread. */
interface ReplyContext {
  /** The channel's title. */
  title: string;
  renderers: Pick<Renderers, 'reply' | 'thread'>;
  references: References;
  earlier: Resolved;
  degradations: Degradations;
}

export function addReplyAndThread(
  requests: readonly VendorRequest[],
  context: ReplyContext,
): VendorRequest[] {
  const { reply: toReply, thread: toThread } = context.renderers;
  let placed = [...requests];
  const reply = idOf('reply', toReply, 'replies', context);
  // Where a reply is a thread, all parts go into it.
  const isThread = toReply === toThread;
  if (toReply && reply !== undefined) {
    placed = placed.map((request, i) =>
      i === 0 || isThread
        ? placedOrUnchanged('reply', request, toReply(request, reply), context)
        : request,
    );
  }
  const thread = idOf('thread', toThread, 'threads', context);
  if (!toThread || thread === undefined) return placed;
  return placed.map((request) =>
    placedOrUnchanged('thread', request, toThread(request, thread), context),
  );
}

/** The placed request, or the unchanged one if it cannot be placed. */
function placedOrUnchanged(
  kind: 'reply' | 'thread',
  request: VendorRequest,
  placed: VendorRequest | Unsupported,
  { degradations }: ReplyContext,
): VendorRequest {
  if (!('unsupported' in placed)) return placed;
  degradations.add(kind, placed.unsupported);
  return request;
}

/** The channel's id of the message replied to, or of the thread. */
function idOf(
  kind: 'reply' | 'thread',
  renderer: unknown,
  plural: string,
  { title, references, earlier, degradations }: ReplyContext,
): string | undefined {
  const name = references[kind];
  if (name === undefined) return undefined;
  const sentParts = earlier[kind];
  if (!renderer) degradations.add(kind, `${title} has no ${plural}`);
  else if (sentParts?.length === 0) {
    degradations.add(kind, `${name} was not sent, or ${title} returned no id for it`);
  }
  return sentParts ? sentParts[0]?.id : name;
}
