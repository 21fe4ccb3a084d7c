/*
 * Whether a message must not be sent to its recipient: `suppressionOf` of model/sending/consent.ts in SQL, for the
 * statements that accept and claim messages. A consent that was stored before the statement begins is therefore always
 * respected, on every node. test/store/consents.test.ts compares both versions of the rule.
 *
 * Index: the primary key of consents (application_id, key, scope) finds the at most three rows of an address. `= any`
 * keeps PostgreSQL from any other plan; see dispatch-round.ts.
 */

/** The columns that the rule reads, as SQL expressions. */
export interface SuppressionInputs {
  /** Null for messages that need no consent, such as deletions. */
  key: string;
  applicationId: string;
  /** Null means transactional. */
  category: string;
  /** 1 or 0. */
  allowTransactional: string;
  doubleOptIn: string;
}

type Equals = (column: string, value: string) => string;

export const equals: Equals = (column, value) => `${column} = ${value}`;
export const equalsAny: Equals = (column, value) => `${column} = any (array[${value}])`;

export function isSuppressed(
  { key, applicationId, category, allowTransactional, doubleOptIn }: SuppressionInputs,
  is: Equals,
): string {
  const ofRecipient = `${is('c.application_id', applicationId)} and ${is('c.key', key)}`;
  const isMarketing = `coalesce(${category}, '') = 'marketing'`;
  return `(${key} is not null and (
    exists (select 1 from consents c where ${ofRecipient} and c.state = 'revoked' and (c.scope = 'vendor'
      or (c.scope = 'all' and (${allowTransactional} = 0 or ${isMarketing}))
      or (c.scope = 'marketing' and ${isMarketing})))
    or (${isMarketing} and ${doubleOptIn} = 1 and not exists (select 1 from consents c
      where ${ofRecipient} and c.state = 'granted' and (c.scope = 'all' or c.scope = 'marketing')))))`;
}
