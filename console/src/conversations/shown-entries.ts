import type { ConversationEntry, FeedEvent, Message, MessageState } from '../api/types.ts';
import { activityLine } from '../messages/activity-text.ts';
import { objectIdOf } from '../messages/drawing/drawn.ts';

/* A timeline as people see it: edits replace the message that they change, and deleted messages are gone. */

export interface ShownEntry {
  id: string;
  direction: 'in' | 'out';
  at: string;
  /** The content after edits. */
  activity: unknown;
  /** The author, in a room. */
  author: string | undefined;
  message: Message | undefined;
  event: FeedEvent | undefined;
  isEdited: boolean;
  isDeleted: boolean;
  /** The text of the message that it answers; undefined if it answers none. */
  quote: string | undefined;
}

type UnknownRecord = Readonly<Record<string, unknown>>;

const recordIn = (value: unknown): UnknownRecord =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** States of an edit or deletion that changed the message. */
const DONE: ReadonlySet<MessageState> = new Set(['sent', 'delivered', 'read']);

/** Oldest first, from entries that are newest first. */
export function shownEntries(entries: readonly ConversationEntry[]): ShownEntry[] {
  const shown = new Map<string, ShownEntry>();
  for (const entry of entries.toReversed()) {
    const activity: unknown = entry.message?.message ?? entry.event?.data;
    const targetKey = targetOf(entry, activity);
    const target = targetKey === undefined ? undefined : shown.get(targetKey);
    if (targetKey !== undefined && target) {
      shown.set(targetKey, changeOf(target, entry, activity));
      continue;
    }
    shown.set(keyOf(entry, activity), {
      id: entry.id,
      direction: entry.direction,
      at: entry.at,
      activity,
      author: authorOf(activity),
      message: entry.message,
      event: entry.event,
      isEdited: entry.event?.type === 'message.edited',
      isDeleted: entry.event?.type === 'message.deleted',
      quote: quoteIn(activity, shown),
    });
  }
  return [...shown.values()];
}

const inKey = (id: string) => `in ${id}`;
const outKey = (id: string) => `out ${id}`;

/** Later entries name a message by its id at the channel, or by its id here. */
function keyOf({ id, event, message }: ConversationEntry, activity: unknown): string {
  if (message) return outKey(String(message.id));
  const object = objectIdOf(activity);
  return event?.type === 'message.received' && object !== undefined ? inKey(object) : id;
}

/** The key of the message that an entry edits or deletes; undefined if it does neither. */
function targetOf({ event, message }: ConversationEntry, activity: unknown): string | undefined {
  const object = objectIdOf(activity);
  if (object === undefined) return undefined;
  if (event) return event.type === 'message.received' ? undefined : inKey(object);
  const { type } = recordIn(activity);
  const isChange = type === 'Update' || type === 'Delete';
  return isChange && message && DONE.has(message.state) ? outKey(object) : undefined;
}

function changeOf(entry: ShownEntry, change: ConversationEntry, activity: unknown): ShownEntry {
  const isDeleted = change.event
    ? change.event.type === 'message.deleted'
    : recordIn(activity)['type'] === 'Delete';
  if (isDeleted) return { ...entry, isDeleted };
  // The content is the new one; its files belong to the event that has it.
  return {
    ...entry,
    activity: { ...recordIn(activity), type: 'Create' },
    event: change.event ?? entry.event,
    isEdited: true,
  };
}

/** In a room, the actor is the room. */
function authorOf(activity: unknown): string | undefined {
  const { actor, target, object } = recordIn(activity);
  if (recordIn(target)['type'] !== 'Group') return undefined;
  const { name, id } = recordIn(recordIn(object)['attributedTo']);
  return [name, recordIn(actor)['name'], id].find(
    (each): each is string => typeof each === 'string' && each !== '',
  );
}

function quoteIn(activity: unknown, shown: ReadonlyMap<string, ShownEntry>): string | undefined {
  const { inReplyTo } = recordIn(recordIn(activity)['object']);
  const id = objectIdOf({ object: { id: inReplyTo } });
  if (id === undefined) return undefined;
  const quoted =
    shown.get(inKey(id)) ??
    shown.get(outKey(id)) ??
    [...shown.values()].find(({ message }) => message?.channel_ids.includes(id));
  return (quoted && activityLine(quoted.activity)) || 'Earlier message';
}
