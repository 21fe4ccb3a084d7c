import type { Id } from '../../model/id.ts';
import type { ContactImport, ImportError } from '../../model/people/contact-import.ts';
import type { Address, Contact } from '../../model/people/contact.ts';
import type { Conversation } from '../../model/people/conversation.ts';
import type { ContactMerge } from '../../model/people/merge.ts';
import type { Millis } from '../../model/timestamp.ts';

/** The tables of people. */
export interface PeopleTables {
  contacts: Contact;
  addresses: Address;
  /** The beginnings by which contacts are found; see model/people/search-terms.ts. */
  contactTerms: ContactTerm;
  /** With the beginnings by which they are found; see model/people/search-terms.ts. */
  conversations: Conversation & { recipientTerm: string; nameTerm: string | null };
  /** The received messages of conversations. */
  conversationEvents: { applicationId: Id; conversationId: Id; createdAt: Millis; eventId: number };
  contactMerges: ContactMerge;
  /** Pairs that vendors must not merge; `reportedAt` is when the application was told that a vendor tried to. */
  contactSeparations: { applicationId: Id; firstId: Id; secondId: Id; reportedAt: Millis | null };
  contactImports: ContactImport;
  /** Rows of imports that are not imported yet, as JSON. */
  importBlocks: { applicationId: Id; importId: Id; number: number; rows: string };
  importErrors: ImportError & { applicationId: Id; importId: Id };
  /** The last event that the conversations of an application contain. */
  projections: { applicationId: Id; cursor: number };
  /** Moves of messages to a new address that are not done. */
  addressMoves: AddressMove;
  erasures: ErasureRow;
  /** The sealed secret of the digests of erased people. */
  digestKeys: { applicationId: Id; secret: string };
}

/** The messages to a former address that belong in the lane of the new one. */
export interface AddressMove {
  applicationId: Id;
  integrationId: Id;
  former: string;
  recipient: string;
  /** Of the new address; null if the messages keep theirs. */
  consentKey: string | null;
  /** Only the messages to these contacts, as JSON; null for all. */
  contactIds: string | null;
  /** When to try again. */
  dueAt: Millis;
}

export interface ContactTerm {
  applicationId: Id;
  term: string;
  contactId: Id;
}

/** In this order. A message that is being sent delays the end of `messages`; `deliveries` covers webhook deliveries added since. */
const ERASURE_PHASES = [
  'imports',
  'waiting',
  'messages',
  'events',
  'deliveries',
  'places',
  'keys',
  'requests',
  'errors',
  'consents',
  'done',
] as const;

type ErasurePhase = (typeof ERASURE_PHASES)[number];

export interface ErasureRow {
  applicationId: Id;
  /** Of the contact. */
  id: Id;
  phase: ErasurePhase;
  /** The sealed addresses of the person; null once all is erased. */
  subject: string | null;
  /** The position from which the phase continues. */
  afterAt: Millis;
  afterId: Id;
  /** The numbers of rows erased so far. */
  messages: number;
  events: number;
  createdAt: Millis;
  finishedAt: Millis | null;
}
