import type { Instructions } from '../../model/sending/instructions.ts';
import type { Store } from '../../store/store.ts';
import { afterConsent } from '../consent/consent.ts';
import { storedConsentKey } from '../consent/erased.ts';
import type { DepartureFields } from '../departure.ts';
import type { Destination } from '../destination.ts';
import type { Draft, Origin } from '../draft.ts';
import { namesTemplate, templatesOf } from '../templates/named-templates.ts';

/** The stored data that a message contains. */
export interface Lookup extends Pick<Instructions, 'template' | 'outsideWindow'> {
  /** The key under which the recipient's consent is stored. */
  consentKey: string | null;
}

/** Reads the stored data that the draft needs. Returns no promise if it needs none. */
export function lookUp(
  store: Store,
  origin: Origin,
  draft: Draft,
  destination: Destination,
  departure: DepartureFields,
): Lookup | Promise<Lookup> {
  const { consentKey } = destination;
  const isRefused = departure.refusal !== null && !origin.refused;
  const mayBeDigest = origin.secret !== undefined && consentKey !== null;
  return namesTemplate(draft) || isRefused || mayBeDigest
    ? read(store, origin, draft, destination, departure)
    : { consentKey };
}

/** Throws a Problem for a template that cannot be sent, or a message that must not leave. */
async function read(
  store: Store,
  { applicationId, refused, secret }: Origin,
  draft: Draft,
  { integration, consentKey }: Destination,
  { refusal }: DepartureFields,
): Promise<Lookup> {
  const templates = await templatesOf(store, applicationId, integration, draft);
  if (refusal && !refused) {
    throw await afterConsent(store, refusal, applicationId, integration, draft);
  }
  if (!secret || consentKey === null) return { ...templates, consentKey };
  return {
    ...templates,
    consentKey: await storedConsentKey(store, applicationId, secret, consentKey),
  };
}
