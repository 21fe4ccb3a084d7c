import type { Channel } from '../../channels/channel.ts';
import { indexKey } from '../../lib/text/index-key.ts';
import type { Activity } from '../../model/activity.ts';
import type { Id } from '../../model/id.ts';
import type { NewMessage } from '../../model/message.ts';
import { Problem } from '../../model/problem.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Store } from '../../store/store.ts';
import type { Draft } from '../draft.ts';
import type { Candidate } from '../routing.ts';

/*
 * An Update or Delete acts on the last message to the same recipient with the same object id. Delivery looks up
 * the channel's message id; this only checks that such a message exists.
 */

/** The caller's id of the object, for later references. */
export function objectIdOf({ object }: Activity): string | null {
  return object.id === undefined || object.id === '' ? null : indexKey(String(object.id));
}

/** Throws if there is no message to change, or the channel cannot change it. */
export async function checkChange(
  store: Store,
  applicationId: Id,
  { id, channel }: Candidate,
  { type, object }: Activity,
  recipient: string,
  pointer: string,
  dueAt: Millis | null,
): Promise<void> {
  if (type === 'Create' || channel?.renderers === 'whole') return;
  if (!canChange(channel, type)) {
    const what = type === 'Update' ? 'change' : 'delete';
    throw refusal(
      'unsupported',
      `${channel?.title} cannot ${what} sent messages`,
      `${pointer}/type`,
    );
  }
  const place = { applicationId, integrationId: id, recipient };
  const earlier = await store.messages.findByObject(place, String(object.id));
  const at = `${pointer}/object/id`;
  if (!earlier) {
    const detail = `no message to this recipient through integration ${id} has this object id`;
    throw refusal('unknown_object', detail, at);
  }
  // Another route may have sent it.
  if (earlier.route !== null) return;
  if (['failed', 'canceled', 'expired'].includes(earlier.state)) {
    throw refusal('unknown_object', `the message with this object id is ${earlier.state}`, at);
  }
  if (earlier.state === 'scheduled' && (dueAt ?? 0) <= (earlier.dueAt ?? 0)) {
    const detail = `the message with this object id is scheduled: change or cancel message ${earlier.id} instead`;
    throw refusal('unknown_object', detail, at);
  }
}

/** Whether the channel can change or delete what it sent. */
export function canChange(channel: Channel | undefined, type: Activity['type']): boolean {
  if (channel?.renderers === 'whole') return true;
  return (type === 'Update' ? channel?.edit : channel?.remove) !== undefined;
}

export function refusal(
  code: 'unsupported' | 'unknown_object',
  detail: string,
  pointer: string,
): Problem {
  return new Problem(code, detail, { errors: [{ pointer, detail }] });
}

/** Whether `creation` creates the object that `change` updates or deletes. */
export function creates(creation: NewMessage, change: NewMessage): boolean {
  const isSame = creation.objectId === change.objectId && creation.recipient === change.recipient;
  return isSame && creation.type === 'Create' && creation.integrationId === change.integrationId;
}

/** Whether one of these messages creates the object that the draft updates or deletes, for any recipient. */
export function createsObject(before: readonly NewMessage[], { activity }: Draft): boolean {
  const objectId = objectIdOf(activity);
  return before.some((other) => other.type === 'Create' && other.objectId === objectId);
}
