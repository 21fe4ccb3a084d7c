import type { Denial } from '../lib/crypto/token-request.ts';

/** The cause of a permanent failure. `window_closed`: the person last wrote too long ago for free text. */
export type Blame =
  | 'credentials'
  | 'recipient'
  | 'window_closed'
  | 'template_refused'
  | 'content'
  | 'unsupported';

/**
 * The result of a send:
 * - `sent`, with the vendor's message id, if it returns one, and data that `edit` and `remove` need besides the id;
 * - `limited`: not sent; retry after the given number of seconds, if the vendor states one. A limit that concerns
 *   one message only, such as an upload the vendor is still processing, does not slow down the others;
 * - `transient`: not sent, or maybe sent; retry, after the given number of seconds at least;
 * - `permanent`: not sent, and retrying cannot help.
 * `detail` is the vendor's error message, `code` its error code.
 */
export type Outcome =
  | { outcome: 'sent'; id?: string; kept?: string; detail?: string }
  | {
      outcome: 'limited';
      scope: 'integration' | 'recipient' | 'message';
      seconds?: number;
      detail: string;
      code?: string;
    }
  | {
      outcome: 'transient';
      maybeSent: boolean;
      seconds?: number;
      detail: string;
      code?: string;
      /** Set when the server of one of the message's files failed, not the channel. */
      blame?: 'content';
      /** Set when the vendor does not deduplicate this attempt by its key, although it does others. */
      isNotDeduplicated?: true;
    }
  | { outcome: 'permanent'; blame: Blame; detail: string; code?: string };

/** The result of a send that did not succeed. */
export type Failure = Exclude<Outcome, { outcome: 'sent' }>;

/** Whether a step failed instead of returning its result. */
export function isFailure(value: unknown): value is Failure {
  return (
    typeof value === 'object' && value !== null && 'outcome' in value && OUTCOMES.has(value.outcome)
  );
}

const OUTCOMES: ReadonlySet<unknown> = new Set<Failure['outcome']>([
  'limited',
  'transient',
  'permanent',
]);

/** The same failure, for a step before the message itself was sent, such as an upload. */
export function unsent(failure: Failure): Failure {
  return failure.outcome === 'transient' ? { ...failure, maybeSent: false } : failure;
}

/** The same failure, for a request without a message, such as a check: the credentials are at fault. */
export function ofCheck(failure: Failure): Failure {
  return failure.outcome === 'permanent' ? { ...failure, blame: 'credentials' } : failure;
}

/** The same failure, for an edit or deletion: a refused or missing message says nothing about the recipient. */
export function ofChange(failure: Failure): Failure {
  const isRefused = failure.outcome === 'permanent' && failure.blame !== 'credentials';
  return isRefused ? { ...failure, blame: 'unsupported' } : failure;
}

/** The failure when no access token could be obtained: the message was not sent. */
export function denied({ isLasting, ...error }: Denial): Failure {
  return isLasting
    ? { outcome: 'permanent', blame: 'credentials', ...error }
    : { outcome: 'transient', maybeSent: false, ...error };
}

/** The account that the vendor identified us as, or why it did not. */
export type Check =
  | {
      outcome: 'known';
      /** Describes the account, for the result of a check. */
      as: string;
      /** The name of the account where it differs from `as`; null if the vendor gave none. */
      account?: string | null;
    }
  | Failure;
