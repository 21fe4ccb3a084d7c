import type { Id } from './id.ts';
import type { Millis } from './timestamp.ts';

/** Why a genuine report of a channel produces no event, by code. */
export const IGNORED_REASONS = {
  own: 'This integration sent it itself.',
  bot: 'A bot or another program sent it.',
  elsewhere: 'It is for another account, number or app of the same vendor.',
  no_content: 'It has no content that Switchboard carries.',
  no_change: 'It changes no content.',
  no_event: 'Switchboard has no event for this type.',
  unanswerable: 'It cannot be answered through this integration.',
  history: 'It was sent before the integration was connected.',
  incomplete: 'It lacks a field that the vendor documents.',
} as const;

export type IgnoredReason = keyof typeof IGNORED_REASONS;

/** Number of kinds of ignored reports kept per integration: the most recent ones. */
export const MAX_IGNORED = 100;

const MAX_TYPE_LENGTH = 80;

/** A kind of ignored report, with a count. */
export interface IgnoredReport {
  id: Id;
  applicationId: Id;
  integrationId: Id;
  /** The vendor's name for what it reported. */
  type: string;
  reason: IgnoredReason;
  count: number;
  /** Times of the first and the last report. */
  createdAt: Millis;
  lastAt: Millis;
}

/** The vendor's name for a kind of report, or `unknown` if it does not look like one. */
export function ignoredType(type: string): string {
  const name = type.slice(0, MAX_TYPE_LENGTH);
  return /^[\w.:/# -]+$/.test(name) ? name : 'unknown';
}
