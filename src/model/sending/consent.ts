import type { Id } from '../id.ts';
import type { Millis } from '../timestamp.ts';

/** Why a message is sent. Applications that send marketing must say so; everything else is transactional. */
export const CATEGORIES = ['transactional', 'marketing', 'verification'] as const;

export type Category = (typeof CATEGORIES)[number];

/** `vendor`: the vendor refuses messages to this address, regardless of the person's consent. */
export const CONSENT_SCOPES = ['vendor', 'all', 'marketing'] as const;

export type ConsentScope = (typeof CONSENT_SCOPES)[number];

/** `pending`: asked, but not confirmed yet. */
export const CONSENT_STATES = ['granted', 'pending', 'revoked'] as const;

export type ConsentState = (typeof CONSENT_STATES)[number];

/** Where a consent comes from. `keyword`: a reply such as STOP; `unsubscribe`: the link of an email. */
export const CONSENT_SOURCES = [
  'api',
  'import',
  'keyword',
  'preference',
  'unsubscribe',
  'bounce',
  'complaint',
  'vendor',
] as const;

/** Why messages to an address must end, as a vendor reports it. */
export type ConsentBlock = 'vendor' | 'bounce' | 'complaint';

export type ConsentSource = (typeof CONSENT_SOURCES)[number];

/** Whether an address accepts messages, according to the person or the vendor, with the proof. */
export interface Consent {
  applicationId: Id;
  id: Id;
  /** The family of channels and the address; see `consentKey`. */
  key: string;
  scope: ConsentScope;
  state: ConsentState;
  source: ConsentSource;
  /** The proof: the words of the person, the vendor's reason, or what the application gave. */
  evidence: string | null;
  createdAt: Millis;
  updatedAt: Millis;
}

/** A new state of a consent. */
export type ConsentChange = Pick<Consent, 'key' | 'scope' | 'state' | 'source' | 'evidence'>;

/** A complaint comes from the person; in all other cases the vendor or the mail server refuses the address. */
export function blockChange(key: string, block: ConsentBlock, detail: string): ConsentChange {
  const scope = block === 'complaint' ? 'all' : 'vendor';
  const evidence = detail.slice(0, MAX_EVIDENCE_LENGTH);
  return { key, scope, state: 'revoked', source: block, evidence };
}

/** In characters. Requests may give more. */
export const MAX_EVIDENCE_LENGTH = 500;

/** An address that several channels share, such as a phone number. */
export interface ConsentAddress {
  /** `sms`, `whatsapp`, `rcs`, `viber`, or the name of the channel; in the sandbox after `sandbox.`. */
  family: string;
  address: string;
}

/** A family has no colon, so the first one ends it. */
export const consentKey = ({ family, address }: ConsentAddress): string => `${family}:${address}`;

export function readConsentKey(key: string): ConsentAddress {
  const end = key.indexOf(':');
  return { family: key.slice(0, end), address: key.slice(end + 1) };
}

const ERASED = 'erased:';

/** The key of the consents of an erased person: the family stays, the address is a digest. */
export const erasedKey = (key: string, digest: string): string =>
  consentKey({ family: readConsentKey(key).family, address: `${ERASED}${digest}` });

export const isErasedKey = (key: string): boolean => readConsentKey(key).address.startsWith(ERASED);

/** How an application treats consents. */
export interface ConsentPolicy {
  /** Whether transactional and verification messages go out although the person revoked all. */
  allowTransactional: boolean;
  /** Whether marketing needs a granted consent. */
  doubleOptIn: boolean;
}

/**
 * The answers to keywords such as STOP. Null means the default text in the language of the keyword, an empty text means no
 * answer.
 */
export interface KeywordAnswers {
  stop: string | null;
  start: string | null;
  help: string | null;
}

export interface ConsentSettings extends ConsentPolicy {
  answers: KeywordAnswers;
}

/** Absent settings keep their values. */
export type ConsentSettingsChange = Partial<ConsentPolicy> & {
  answers?: Partial<KeywordAnswers>;
};

export const SUPPRESSIONS = ['vendor', 'revoked', 'not_granted'] as const;

export type Suppression = (typeof SUPPRESSIONS)[number];

/**
 * Why a message must not be sent; undefined if it may. The accept and claim statements contain the same rule
 * (store/messages/suppression.ts).
 */
export function suppressionOf(
  consents: readonly Pick<Consent, 'scope' | 'state'>[],
  category: Category,
  { allowTransactional, doubleOptIn }: ConsentPolicy,
): Suppression | undefined {
  const isMarketing = category === 'marketing';
  const has = (scope: ConsentScope, state: ConsentState) =>
    consents.some((one) => one.scope === scope && one.state === state);
  if (has('vendor', 'revoked')) return 'vendor';
  if (has('all', 'revoked') && (isMarketing || !allowTransactional)) return 'revoked';
  if (!isMarketing) return undefined;
  if (has('marketing', 'revoked')) return 'revoked';
  const isGranted = has('marketing', 'granted') || has('all', 'granted');
  return doubleOptIn && !isGranted ? 'not_granted' : undefined;
}
