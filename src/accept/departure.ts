import { Problem } from '../model/problem.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Destination } from './destination.ts';
import type { Draft, Origin } from './draft.ts';
import { type Departure, type DepartureContext, departureOf } from './send-at.ts';

export type DepartureFields = Pick<Departure, 'dueAt' | 'reason' | 'refusal'>;

export const AT_ONCE: DepartureFields = { dueAt: null, reason: null, refusal: null };

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
export const departureOrProblem = (
  origin: Pick<Origin, 'quietHours' | 'createdAt'>,
  draft: Draft,
  consentKey: string | null,
): Departure | Problem => departureOf(draft, departureContext(origin, draft, consentKey));

/** When the message leaves; throws a Problem if it must not. */
export function requireDeparture(
  origin: Origin,
  draft: Draft,
  { consentKey }: Destination,
  current: Millis | undefined,
): DepartureFields {
  const context = departureContext(origin, draft, consentKey);
  const departure = departureOf(draft, current === undefined ? context : { ...context, current });
  if (departure instanceof Problem) throw departure;
  return departure;
}
