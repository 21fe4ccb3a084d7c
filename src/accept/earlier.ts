import { indexKey } from '../lib/index-key.ts';
import type { Activity } from '../model/activity.ts';
import type { Id } from '../model/id.ts';
import { Problem } from '../model/problem.ts';
import type { Store } from '../store/store.ts';
import type { Candidate } from './routing.ts';

/*
 * An Update or Delete acts on the last message to the same recipient whose object had the same id. Which of the
 * channel's ids that is, is found out when it is sent; here it is only seen to that there is such a message.
 */

/** What the caller calls the object, for others to refer to. */
export function objectIdOf({ object }: Activity): string | null {
  return object.id === undefined || object.id === '' ? null : indexKey(String(object.id));
}

/** Throws a Problem when there is nothing that this could change, or the channel cannot. */
export async function checkChange(
  store: Store,
  applicationId: Id,
  { id, channel }: Candidate,
  { type, object }: Activity,
  recipient: string,
  pointer: string,
): Promise<void> {
  if (type === 'Create' || channel?.forms === 'whole') return;
  if (!(type === 'Update' ? channel?.edit : channel?.remove)) {
    const what = type === 'Update' ? 'change' : 'take back';
    throw refusal(
      'unsupported',
      `${channel?.title} cannot ${what} what was sent`,
      `${pointer}/type`,
    );
  }
  const place = { applicationId, integrationId: id, recipient };
  const earlier = await store.messages.findByObject(place, String(object.id));
  const at = `${pointer}/object/id`;
  if (!earlier) {
    const detail = `no message to this recipient through the integration ${id} has that object id`;
    throw refusal('unknown_object', detail, at);
  }
  if (['failed', 'canceled', 'expired'].includes(earlier.state)) {
    throw refusal('unknown_object', `the message of that object id is ${earlier.state}`, at);
  }
}

function refusal(code: 'unsupported' | 'unknown_object', detail: string, pointer: string): Problem {
  return new Problem(code, detail, { errors: [{ pointer, detail }] });
}
