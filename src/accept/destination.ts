import { consentKeyOf } from './consent/consent.ts';
import type { Draft } from './draft.ts';
import { type Candidate, checkDeliverable, recipientOf } from './routing.ts';

/** The destination of a draft. */
export interface Destination {
  integration: Candidate;
  recipient: string;
  consentKey: string | null;
}

/** Throws a Problem if the integration cannot send the draft. */
export function destinationOf(draft: Draft, integration: Candidate): Destination {
  const { activity, pointer } = draft;
  const recipient = recipientOf(integration, activity);
  checkDeliverable(integration, activity, recipient, pointer);
  return { integration, recipient, consentKey: consentKeyOf(integration, activity, recipient) };
}
