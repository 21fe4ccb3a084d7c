import { consentAddressOf } from '../../channels/consent-address.ts';
import type { Activity } from '../../model/activity.ts';
import type { Id } from '../../model/id.ts';
import { Problem } from '../../model/problem.ts';
import {
  type Category,
  type ConsentAddress,
  type Suppression,
  consentKey,
  readConsentKey,
  suppressionOf,
} from '../../model/sending/consent.ts';
import type { Store } from '../../store/store.ts';
import type { Draft } from '../draft.ts';
import type { Candidate } from '../routing.ts';

/** The key of the address whose consent a message needs. Deletions need none: they remove what was sent. */
export function consentKeyOf(
  { channel, mode }: Pick<Candidate, 'channel' | 'mode'>,
  { type }: Pick<Activity, 'type'>,
  recipient: string,
): string | null {
  if (!channel || type === 'Delete') return null;
  return consentKey(consentAddressOf(channel, recipient, mode));
}

export function recipientSuppressed(pointer = ''): Problem {
  const detail = 'does not accept such messages';
  return new Problem('recipient_suppressed', `the recipient ${detail}`, {
    errors: [{ pointer: `${pointer}/to/id`, detail }],
  });
}

interface ChangedMessage {
  consentKey?: string | null;
  category?: Category | null;
  routes?: readonly unknown[];
}

/**
 * Throws a Problem if the address does not accept the changed message now. If consent is withdrawn later, the statement
 * that starts the message suppresses it.
 */
export async function checkConsent(
  store: Store,
  applicationId: Id,
  { consentKey: key = null, category, routes = [] }: ChangedMessage,
  pointer: string,
): Promise<void> {
  // Routes that the person does not allow are skipped.
  if (key === null || routes.length > 0) return;
  if (await suppressionAt(store, applicationId, key, category)) throw recipientSuppressed(pointer);
}

const STRICTEST = { allowTransactional: false, doubleOptIn: false };

async function suppressionAt(
  store: Store,
  applicationId: Id,
  key: string,
  category: Category | null | undefined,
): Promise<Suppression | undefined> {
  const [consents, settings] = await Promise.all([
    store.consents.of(applicationId, key),
    store.consents.settings(applicationId),
  ]);
  return suppressionOf(consents, category ?? 'transactional', settings ?? STRICTEST);
}

export const UNSUBSCRIBES = ['one_click', 'no_public_url'] as const;

/** Whether the recipient of a dry run accepts the message. */
export interface PreviewedConsent extends ConsentAddress {
  because: Suppression | null;
  /** How a marketing email tells people to unsubscribe; null for other messages. */
  unsubscribe: (typeof UNSUBSCRIBES)[number] | null;
}

export async function consentOf(
  store: Store,
  applicationId: Id,
  candidate: Candidate,
  { activity, category }: Draft,
  { isPublic }: { isPublic: boolean } = { isPublic: false },
): Promise<PreviewedConsent | undefined> {
  const key = consentKeyOf(candidate, activity, String(activity.to.id));
  if (key === null) return undefined;
  const isMarketingMail = category === 'marketing' && candidate.channel?.name === 'email';
  return {
    ...readConsentKey(key),
    because: (await suppressionAt(store, applicationId, key, category)) ?? null,
    unsubscribe: isMarketingMail ? (isPublic ? 'one_click' : 'no_public_url') : null,
  };
}

/** The problem to report: consent comes first, because waiting does not help. */
export async function afterConsent(
  store: Store,
  problem: Problem,
  applicationId: Id,
  candidate: Candidate,
  draft: Draft,
): Promise<Problem> {
  const consent = await consentOf(store, applicationId, candidate, draft);
  return consent?.because ? recipientSuppressed(draft.pointer) : problem;
}
