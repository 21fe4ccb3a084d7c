import type { Id } from './id.ts';
import type { Millis } from './timestamp.ts';

/** Why a genuine report of a channel becomes no event, by code. No description tells what anybody wrote. */
export const IGNORED_REASONS = {
  own: 'This integration sent it itself.',
  bot: 'A bot or another program sent it.',
  elsewhere: 'It is for another account, number or app of the same vendor.',
  no_content: 'It has no content that Switchboard carries.',
  no_change: 'It changes nothing that people said.',
  no_event: 'Switchboard has no event for this type.',
  unanswerable: 'It cannot be answered through this integration.',
  history: 'It was said before the integration was listening.',
  incomplete: 'It lacks a field that the vendor documents.',
} as const;

export type IgnoredReason = keyof typeof IGNORED_REASONS;

/** How many kinds of ignored reports are kept for an integration: those that came last. */
export const MAX_IGNORED = 100;

const MAX_TYPE_LENGTH = 80;

/** A kind of report that was ignored, and how often. */
export interface IgnoredReport {
  id: Id;
  applicationId: Id;
  integrationId: Id;
  /** The vendor's name for what it reported. */
  type: string;
  reason: IgnoredReason;
  count: number;
  /** When the first and the last one came. */
  createdAt: Millis;
  lastAt: Millis;
}

/** The vendor's name for a kind of report; what no vendor would call one is not repeated. */
export function ignoredType(type: string): string {
  const name = type.slice(0, MAX_TYPE_LENGTH);
  return /^[\w.:/# -]+$/.test(name) ? name : 'unknown';
}
