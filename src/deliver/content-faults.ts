import type { Outcome } from '../channels/channel.ts';
import type { Id } from '../model/id.ts';
import type { Tried } from './attempt.ts';

/** Identical answers to one message after which they are the fault of its content: 2 to 3 minutes of attempts. */
const MAX_SAME_ANSWERS = 5;
/** Messages that are remembered; the oldest is forgotten first. */
const MAX_REMEMBERED = 1000;
/** The one status by which a server says that it will do better later. */
const UNAVAILABLE = '503';

interface Answered {
  answer: string;
  count: number;
  /** Successes of the integration when the answer first came. */
  successes: number;
}

/**
 * Finds messages of one integration that the channel can never take, though it does not say so: the same answer to the
 * same content while other content succeeds. Such a message would hold up its lane for the whole retry schedule. Known
 * in memory only: another owner counts anew.
 */
export class ContentFaults {
  #successes = 0;
  readonly #answered = new Map<Id, Answered>();

  /** The outcome of an attempt, which is permanent once it is clear that the content is at fault. */
  judge(messageId: Id, { outcome, status }: Pick<Tried, 'outcome' | 'status'>): Outcome {
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
      const detail = `${outcome.detail} (${count} times to this message, while others were sent)`;
      return { outcome: 'permanent', blame: 'content', detail, code };
    }
    this.#remember(messageId, { ...same, count });
    return outcome;
  }

  #remember(messageId: Id, answered: Answered): void {
    const [oldest] = this.#answered.keys();
    if (this.#answered.size >= MAX_REMEMBERED && oldest !== undefined) {
      this.#answered.delete(oldest);
    }
    this.#answered.set(messageId, answered);
  }
}
