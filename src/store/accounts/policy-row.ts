import type { Generated } from 'kysely';

/** The policies of an application. Accept and claim read the first two. */
export interface PolicyRow {
  allowTransactional: Generated<0 | 1>;
  doubleOptIn: Generated<0 | 1>;
  stopAnswer: Generated<string | null>;
  startAnswer: Generated<string | null>;
  helpAnswer: Generated<string | null>;
  /** As JSON; null if there are none. */
  quietHours: Generated<string | null>;
  /** Whether people become contacts when they first write. */
  createContacts: Generated<0 | 1>;
}
