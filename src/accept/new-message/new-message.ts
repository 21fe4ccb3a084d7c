import { endOf } from '../../model/activity.ts';
import type { Id } from '../../model/id.ts';
import type { NewMessage } from '../../model/message.ts';
import { type Instructions, writeInstructions } from '../../model/sending/instructions.ts';
import { objectIdOf } from '../changes/change-check.ts';
import type { DepartureFields } from '../departure.ts';
import type { Destination } from '../destination.ts';
import type { Draft, Origin } from '../draft.ts';
import type { Lookup } from './lookup.ts';

/** The message as it is stored. `changes` is the message with routes that it changes. */
export function newMessage(
  { applicationId, createdAt, trace }: Origin,
  { activity, text, category, contact }: Draft,
  { integration, recipient }: Destination,
  { dueAt, reason }: DepartureFields,
  options: NonNullable<Instructions['options']>,
  { consentKey, template, outsideWindow }: Lookup,
  changes: Id | undefined,
): NewMessage {
  const instructions: Instructions = { options };
  if (template) instructions.template = template;
  if (outsideWindow) instructions.outsideWindow = outsideWindow;
  if (integration.mode === 'sandbox') instructions.sandbox = true;
  if (category === 'marketing') instructions.marketing = true;
  if (contact) instructions.contact = contact;
  if (changes !== undefined) instructions.changes = changes;
  return {
    applicationId,
    integrationId: integration.id,
    recipient,
    activity: text,
    instructions: writeInstructions(instructions),
    category: category ?? null,
    consentKey,
    objectId: objectIdOf(activity),
    type: activity.type,
    dueAt,
    reason,
    expiresAt: endOf(activity) ?? null,
    createdAt,
    trace: trace ?? null,
  };
}
