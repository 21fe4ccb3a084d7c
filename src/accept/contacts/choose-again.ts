import type { Activity } from '../../model/activity.ts';
import type { Message } from '../../model/message.ts';
import { Problem } from '../../model/problem.ts';
import { readInstructions } from '../../model/sending/instructions.ts';
import type { AddressChange, ScheduleChange } from '../../store/messages/schedule.ts';
import type { Store } from '../../store/store.ts';
import type { Draft } from '../draft.ts';
import { templateRequest } from '../routed-message.ts';
import { isUsable } from './resolve.ts';

/**
 * Chooses a new address for a scheduled message to a contact, just before it is sent. If the new address cannot be used,
 * for example because its channel does not support the message, the old one stays, and sending reports the problem.
 */
export async function chooseAgain(
  store: Store,
  message: Message,
  replace: (draft: Draft) => Promise<ScheduleChange>,
): Promise<AddressChange> {
  try {
    const { dueAt: _, reason: __, routes: ___, ...change } = await replace(draftOf(message));
    return change;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'no_address' && !(await isUsable(store, message))) return 'no_address';
    return {};
  }
}

function draftOf({ activity, category, instructions }: Message): Draft {
  const { template, outsideWindow } = readInstructions(instructions);
  return {
    activity: JSON.parse(activity) as Activity,
    text: activity,
    pointer: '/message',
    ...(category !== null && { category }),
    ...(template && { template: templateRequest(template) }),
    ...(outsideWindow && { outsideWindow: templateRequest(outsideWindow) }),
  };
}
