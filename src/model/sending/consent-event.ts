import type { NewEvent } from '../event.ts';
import { type Millis, timestamp } from '../timestamp.ts';
import { type Consent, readConsentKey } from './consent.ts';

/** A consent as the API shows it. */
export function consentView(consent: Consent) {
  const { id, key, scope, state, source, evidence, createdAt, updatedAt } = consent;
  return {
    id,
    created_at: timestamp(createdAt),
    updated_at: timestamp(updatedAt),
    ...readConsentKey(key),
    scope,
    state,
    source,
    evidence,
  };
}

/** `consent.granted` or `consent.revoked`; a pending consent changes nothing that is sent. */
export function consentEvents(consent: Consent, now: Millis): NewEvent[] {
  const { applicationId, state } = consent;
  if (state === 'pending') return [];
  const data = JSON.stringify({ application_id: applicationId, ...consentView(consent) });
  return [{ applicationId, type: `consent.${state}`, data, media: null, createdAt: now }];
}
