import type { Outcome } from '../../channels/channel.ts';
import type { Id } from '../../model/id.ts';
import type { AttemptRecord } from './attempt.ts';

/** After this many identical answers to one message, its content is at fault: 2 to 3 minutes of attempts. */
const MAX_SAME_ANSWERS = 5;
const MAX_TRACKED_MESSAGES = 1000;
/** With this status a server promises to recover, so the content is not at fault. */
const UNAVAILABLE = '503';

interface SeenAnswer {
  answer: string;
  count: number;
  /** The integration's success count when the answer was first seen. */
  successes: number;
}

/**
 * Detects messages that a channel will never accept although its answers look transient: the same answer every time,
 * while other messages of the integration succeed. Such a message would block its lane for the whole retry schedule.
 * The counts are in memory only; another owner starts over.
 */
export class ContentFaults {
  #successes = 0;
  readonly #answered = new Map<Id, SeenAnswer>();

  /** Returns the outcome, changed to permanent once the content is known to be at fault. */
  judge(messageId: Id, { outcome, status }: Pick<AttemptRecord, 'outcome' | 'status'>): Outcome {
    const before = this.#answered.get(messageId);
    this.#answered.delete(messageId);
    if (outcome.outcome === 'sent') this.#successes++;
    if (outcome.outcome !== 'transient' || outcome.blame || !outcome.code) return outcome;
    if (status === null || status === UNAVAILABLE) return outcome;
    const answer = `${status} ${outcome.code}`;
    const same =
      before?.answer === answer ? before : { answer, count: 0, successes: this.#successes };
    const count = same.count + 1;
    if (count >= MAX_SAME_ANSWERS && this.#successes > same.successes) {
      const { code } = outcome;
      const detail = `${outcome.detail} (${count} times for this message, while others were sent)`;
      return { outcome: 'permanent', blame: 'content', detail, code };
    }
    this.#track(messageId, { ...same, count });
    return outcome;
  }

  #track(messageId: Id, answered: SeenAnswer): void {
    const [oldest] = this.#answered.keys();
    if (this.#answered.size >= MAX_TRACKED_MESSAGES && oldest !== undefined) {
      this.#answered.delete(oldest);
    }
    this.#answered.set(messageId, answered);
  }
}
