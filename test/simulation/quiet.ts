import type { Category } from '../../src/model/sending/consent.ts';
import { DAYS, type QuietHours } from '../../src/model/sending/quiet-hours.ts';
import { quietAt } from '../../src/store/messages/quiet-hours.ts';
import type { Store } from '../../src/store/store.ts';
import { consentKeyOf } from './stops.ts';

/** The quiet hours of a scenario: none, or a minute for marketing messages. */
export const QUIET = ['none', 'defer at once', 'defer later', 'refuse later'] as const;
export type Quiet = (typeof QUIET)[number];

/** Scenarios begin at midnight. */
const NOW = { from: '00:00', until: '00:01' };
const LATER = { from: '00:01', until: '00:02' };

/** When marketing messages do not leave. */
export class SimulatedQuietHours {
  readonly #quietHours: QuietHours;

  constructor(quiet: Quiet) {
    const action = quiet === 'refuse later' ? 'refuse' : 'defer';
    const time = quiet === 'defer at once' ? NOW : LATER;
    const rule = { categories: ['marketing'], days: DAYS, ...time, action } as const;
    this.#quietHours = { defaultZone: 'UTC', rules: quiet === 'none' ? [] : [rule] };
  }

  async store(store: Store, applicationId: number): Promise<void> {
    await store.schedule.setQuietHours(applicationId, this.#quietHours);
  }

  /** Whether both times are quiet: when a message was claimed, and when it arrives. */
  isQuiet(category: Category | null, recipient: string, times: readonly number[]): boolean {
    const message = { category, consentKey: consentKeyOf(recipient) };
    return times.every((at) => quietAt(this.#quietHours, message, at) !== undefined);
  }
}
