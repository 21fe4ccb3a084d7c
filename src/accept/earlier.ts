import { createHash } from 'node:crypto';

import { referenceOf } from '../compose/content.ts';
import type { Activity } from '../model/activity.ts';
import type { Id } from '../model/id.ts';
import { Problem } from '../model/problem.ts';
import type { Store } from '../store/store.ts';
import type { Candidate } from './routing.ts';

/*
 * Messages that are about an earlier one: an Update or Delete acts on the last message to the same recipient
 * whose object had the same id; a reply, or what is put into a thread, may name one so too.
 */

/** What the caller calls the object, for others to refer to. */
export function objectIdOf({ object }: Activity): string | null {
  return object.id === undefined || object.id === '' ? null : indexed(String(object.id));
}

/** What is longer than an index takes together with a recipient is known by its hash. */
function indexed(id: string): string {
  if (Buffer.byteLength(id) <= MOST_INDEXED) return id;
  return `sha256:${createHash('sha256').update(id).digest('hex')}`;
}

const MOST_INDEXED = 256;

export function refersToEarlier({ type, object, context }: Activity): boolean {
  return type !== 'Create' || object.inReplyTo !== undefined || context !== undefined;
}

/** The earlier message; null when the caller means one that only the channel knows. */
export async function findTarget(
  store: Store,
  { id, channel }: Candidate,
  activity: Activity,
  recipient: string,
  pointer: string,
): Promise<Id | null> {
  const { type, object, context } = activity;
  if (type === 'Create') {
    const named = referenceOf(object.inReplyTo) ?? referenceOf(context);
    if (named === undefined) return null;
    const earlier = await store.messages.findByObject(id, recipient, indexed(named));
    return earlier?.id ?? null;
  }
  const isWhole = channel?.forms === 'whole';
  const can = type === 'Update' ? channel?.edit : channel?.remove;
  if (!isWhole && !can) {
    const what = type === 'Update' ? 'change' : 'take back';
    throw refusal(
      'unsupported',
      `${channel?.title} cannot ${what} what was sent`,
      `${pointer}/type`,
    );
  }
  const named = objectIdOf(activity) ?? '';
  const earlier = await store.messages.findByObject(id, recipient, named);
  if (isWhole) return earlier?.id ?? null;
  const at = `${pointer}/object/id`;
  if (!earlier) {
    const detail = `no message to this recipient through the integration ${id} has that object id`;
    throw refusal('unknown_object', detail, at);
  }
  if (['failed', 'canceled', 'expired'].includes(earlier.state)) {
    throw refusal('unknown_object', `the message of that id is ${earlier.state}`, at);
  }
  return earlier.id;
}

function refusal(code: 'unsupported' | 'unknown_object', detail: string, pointer: string): Problem {
  return new Problem(code, detail, { errors: [{ pointer, detail }] });
}
