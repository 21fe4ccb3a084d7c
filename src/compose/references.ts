import { type Activity, PRESS } from '../model/activity.ts';

/** Earlier messages that an activity is about, as the caller calls them. */
export interface References {
  /** What it changes or takes back. */
  changed?: string;
  /** What it answers. */
  reply?: string;
  /** The thread that it is in. */
  thread?: string;
}

export function referencesOf({ type, object, context }: Activity): References {
  if (type !== 'Create') return object.id === undefined ? {} : { changed: String(object.id) };
  const answered = referenceTo(object.inReplyTo);
  const reply = answered?.startsWith(PRESS) ? undefined : answered;
  const thread = threadIn(object.context ?? context);
  return { ...(reply !== undefined && { reply }), ...(thread !== undefined && { thread }) };
}

/** A thread is an object with its id as `content`; an id alone will do. */
function threadIn(value: unknown): string | undefined {
  const isThread = typeof value === 'object' && value !== null && 'content' in value;
  return referenceTo(isThread ? value.content : value);
}

/** What stands for another object: its id, or the object itself with its id. */
function referenceTo(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'id' in value) return referenceTo(value.id);
  const isId = ['string', 'number', 'bigint'].includes(typeof value);
  return isId && value !== '' ? String(value) : undefined;
}

/** The channel's ids of those that are messages of ours; none when nothing of one is out. */
export type Resolved = { [Name in keyof References]?: readonly string[] | undefined };

/** `lookUp` answers undefined for what is no message of ours: then it is the channel's own name for one. */
export async function resolve(
  references: References,
  lookUp: (name: string) => Promise<readonly string[] | undefined>,
): Promise<Resolved> {
  const resolved: Resolved = {};
  for (const [kind, name] of Object.entries(references) as [keyof References, string][]) {
    resolved[kind] = await lookUp(name);
  }
  return resolved;
}
