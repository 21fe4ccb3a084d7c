import type { IntegrationMode } from '../../../src/model/integration.ts';

/** Time ranges of the overview. */
export const RANGES = {
  '1h': { label: '1 hour', millis: 3_600_000 },
  '24h': { label: '24 hours', millis: 24 * 3_600_000 },
  '7d': { label: '7 days', millis: 7 * 24 * 3_600_000 },
  '30d': { label: '30 days', millis: 30 * 24 * 3_600_000 },
} as const;

export type Range = keyof typeof RANGES;

export const isRange = (text: string | undefined): text is Range =>
  text !== undefined && Object.hasOwn(RANGES, text);

export const RANGE_OPTIONS = Object.entries(RANGES).map(([value, { label }]) => ({
  value: value as Range,
  label,
}));

/** The search parameters of an overview page. */
export interface OverviewSearch {
  /** Default: one day. */
  range?: Range;
  channel?: string;
  /** Default: live, or the sandbox if all traffic is there. */
  mode?: IntegrationMode;
}
