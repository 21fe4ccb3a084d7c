import type { Id } from '../../model/id.ts';
import type { Address, Contact } from '../../model/people/contact.ts';
import type { Conversation } from '../../model/people/conversation.ts';
import type { Millis } from '../../model/timestamp.ts';

/** The tables of people. */
export interface PeopleTables {
  contacts: Contact;
  addresses: Address;
  /** The beginnings by which contacts are found; see model/people/search-terms.ts. */
  contactTerms: ContactTerm;
  conversations: Conversation;
  /** The received messages of conversations. */
  conversationEvents: { applicationId: Id; conversationId: Id; createdAt: Millis; eventId: number };
  /** The last event that the conversations of an application contain. */
  projections: { applicationId: Id; cursor: number };
}

export interface ContactTerm {
  applicationId: Id;
  term: string;
  contactId: Id;
}
