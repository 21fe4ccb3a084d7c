import type { NewEvent } from '../event.ts';
import type { Id } from '../id.ts';
import type { Millis } from '../timestamp.ts';
import type { Contact } from './contact.ts';
import type { MergeEvidence } from './merge.ts';

type ContactKey = Pick<Contact, 'applicationId' | 'id'>;

/** Events about contacts name them by their ids only: events outlive contacts. */
const eventOf = (
  type: NewEvent['type'],
  { applicationId, id }: ContactKey,
  more: object,
  now: Millis,
): NewEvent => {
  const data = JSON.stringify({ application_id: applicationId, contact_id: id, ...more });
  return { applicationId, type, data, media: null, createdAt: now };
};

export const contactEvent = (
  type: 'contact.created' | 'contact.erased',
  contact: ContactKey,
  now: Millis,
) => eventOf(type, contact, {}, now);

/** `otherId` is part of the contact now. */
export const mergedEvent = (
  contact: ContactKey,
  otherId: Id,
  evidence: MergeEvidence,
  now: Millis,
) => eventOf('contact.merged', contact, { other_contact_id: otherId, evidence }, now);

/** `otherId` is a separate contact again. */
export const unmergedEvent = (contact: ContactKey, otherId: Id, now: Millis) =>
  eventOf('contact.unmerged', contact, { other_contact_id: otherId }, now);

/** A vendor reports addresses of two contacts as those of one person, but they must not be merged. */
export const conflictEvent = (contact: ContactKey, otherId: Id, now: Millis) =>
  eventOf('contact.conflict', contact, { other_contact_id: otherId }, now);
