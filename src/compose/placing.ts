import type { Forms, Unfit, Wire } from '../channels/channel.ts';
import type { Losses } from './degradations.ts';
import type { References, Resolved } from './references.ts';

/** The position of a message in a conversation: the message it replies to, and its thread. */
export interface Place {
  /** The channel's title. */
  title: string;
  forms: Pick<Forms, 'reply' | 'thread'>;
  references: References;
  earlier: Resolved;
  losses: Losses;
}

export function placeWires(wires: readonly Wire[], place: Place): Wire[] {
  const { reply: toReply, thread: toThread } = place.forms;
  let placed = [...wires];
  const reply = idOf('reply', toReply, 'replies', place);
  // Where a reply is a thread, all parts go into it.
  const isThread = toReply === toThread;
  if (toReply && reply !== undefined) {
    placed = placed.map((wire, i) =>
      i === 0 || isThread ? fitting('reply', wire, toReply(wire, reply), place) : wire,
    );
  }
  const thread = idOf('thread', toThread, 'threads', place);
  if (!toThread || thread === undefined) return placed;
  return placed.map((wire) => fitting('thread', wire, toThread(wire, thread), place));
}

/** The request unchanged, if it cannot be placed. */
function fitting(
  kind: 'reply' | 'thread',
  wire: Wire,
  placed: Wire | Unfit,
  { losses }: Place,
): Wire {
  if (!('unfit' in placed)) return placed;
  losses.add(kind, placed.unfit);
  return wire;
}

/** The channel's id of the message replied to, or of the thread. */
function idOf(
  kind: 'reply' | 'thread',
  form: unknown,
  plural: string,
  { title, references, earlier, losses }: Place,
): string | undefined {
  const name = references[kind];
  if (name === undefined) return undefined;
  const known = earlier[kind];
  if (!form) losses.add(kind, `${title} has no ${plural}`);
  else if (known?.length === 0) {
    losses.add(kind, `nothing of ${name} is out, or ${title} told no id of it`);
  }
  return known ? known[0] : name;
}
