import type { NewEvent } from '../event.ts';
import type { Millis } from '../timestamp.ts';
import type { Contact } from './contact.ts';

/** An event about a contact. It names the contact by its id only: events outlive contacts. */
export function contactEvent(
  type: 'contact.created',
  { applicationId, id }: Pick<Contact, 'applicationId' | 'id'>,
  now: Millis,
): NewEvent {
  const data = JSON.stringify({ application_id: applicationId, contact_id: id });
  return { applicationId, type, data, media: null, createdAt: now };
}
