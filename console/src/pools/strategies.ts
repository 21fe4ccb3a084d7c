import type { Pool } from '../api/types.ts';

export type Strategy = Pool['strategy'];

export const STRATEGIES: Record<Strategy, { label: string; help: string }> = {
  order: { label: 'In order', help: 'The first member that works.' },
  weighted: { label: 'Weighted', help: 'Each member gets its share of the recipients.' },
  round_robin: { label: 'In turn', help: 'Each new recipient gets the next member.' },
  least_cost: { label: 'Lowest price', help: 'The cheapest member that works.' },
};

export const isStrategy = (text: string): text is Strategy => Object.hasOwn(STRATEGIES, text);

/** Seconds of a stored duration, such as `PT30S`. */
export function secondsOf(duration: string): number {
  const [, seconds = '30'] = /^PT(\d+(?:\.\d+)?)S$/.exec(duration) ?? [];
  return Number(seconds);
}
