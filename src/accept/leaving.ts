import { Problem } from '../model/problem.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Draft, Origin } from './draft.ts';
import type { Place } from './place.ts';
import { type Departure, type DepartureContext, departureOf } from './send-at.ts';

export type Departing = Pick<Departure, 'dueAt' | 'reason' | 'refusal'>;

export const AT_ONCE: Departing = { dueAt: null, reason: null, refusal: null };

/** Inputs for the time at which a draft leaves. */
const departureContext = (
  { quietHours, createdAt: now }: Pick<Origin, 'quietHours' | 'createdAt'>,
  { category, contact }: Draft,
  consentKey: string | null,
): DepartureContext => ({
  consentKey,
  category: category ?? null,
  quietHours,
  now,
  zone: contact?.zone,
});

/** When the draft leaves, or what is wrong with its time. */
export const departing = (
  origin: Pick<Origin, 'quietHours' | 'createdAt'>,
  draft: Draft,
  consentKey: string | null,
): Departure | Problem => departureOf(draft, departureContext(origin, draft, consentKey));

/** When the message leaves; throws a Problem if it must not. */
export function leaving(
  origin: Origin,
  draft: Draft,
  { consentKey }: Place,
  current: Millis | undefined,
): Departing {
  const context = departureContext(origin, draft, consentKey);
  const departure = departureOf(draft, current === undefined ? context : { ...context, current });
  if (departure instanceof Problem) throw departure;
  return departure;
}
