import { type Activity, PRESS } from '../model/activity.ts';
import type { SentPart } from '../model/sending/sent-part.ts';

/** The earlier messages that an activity refers to, by the caller's ids. */
export interface References {
  /** The message it edits or deletes. */
  changed?: string;
  /** The message it replies to. */
  reply?: string;
  /** Its thread. */
  thread?: string;
}

export function referencesOf({ type, object, context }: Activity): References {
  if (type !== 'Create') return object.id === undefined ? {} : { changed: String(object.id) };
  const answeredId = referenceTo(object.inReplyTo);
  const reply = answeredId?.startsWith(PRESS) ? undefined : answeredId;
  const thread = threadIn(object.context ?? context);
  return { ...(reply !== undefined && { reply }), ...(thread !== undefined && { thread }) };
}

/** A thread is an object with its id as `content`, or just an id. */
function threadIn(value: unknown): string | undefined {
  const isThread = typeof value === 'object' && value !== null && 'content' in value;
  return referenceTo(isThread ? value.content : value);
}

/** A reference is an id, or an object with an id. */
function referenceTo(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'id' in value) return referenceTo(value.id);
  const isId = ['string', 'number', 'bigint'].includes(typeof value);
  return isId && value !== '' ? String(value) : undefined;
}

/** The sent parts of referenced messages of ours; empty when no part was sent. */
export type Resolved = { [Name in keyof References]?: readonly SentPart[] | undefined };

/** `lookUp` returns undefined for ids that are not ours; those are the channel's own ids. */
export async function resolve(
  references: References,
  lookUp: (name: string) => Promise<readonly SentPart[] | undefined>,
): Promise<Resolved> {
  const resolved: Resolved = {};
  for (const [kind, name] of Object.entries(references) as [keyof References, string][]) {
    resolved[kind] = await lookUp(name);
  }
  return resolved;
}
