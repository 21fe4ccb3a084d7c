import type { Id } from '../model/id.ts';
import type { Runner } from './runner.ts';

type HasTeam = Pick<Runner, 'teamId'>;

/**
 * The queue of integrations that may start messages: round-robin over teams, and over the integrations of each team. A
 * team at its limit is skipped as a whole, in constant time.
 */
export class ReadyQueue<Item extends HasTeam = Runner> {
  readonly #teams = new Map<Id | null, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Appends it, unless it is queued already. */
  add(item: Item): void {
    const queue = this.#teams.get(item.teamId) ?? new Set();
    if (queue.has(item)) return;
    this.#teams.set(item.teamId, queue.add(item));
    this.#size++;
  }

  delete(item: Item): void {
    const queue = this.#teams.get(item.teamId);
    if (!queue?.delete(item)) return;
    this.#size--;
    if (queue.size === 0) this.#teams.delete(item.teamId);
  }

  /** Removes and yields the next ones in order. A team without capacity keeps its place. */
  *take(hasCapacity: (teamId: Id | null) => boolean): Generator<Item> {
    for (const [teamId, queue] of this.#teams) {
      const { value: next } = queue.values().next();
      if (!next || !hasCapacity(teamId)) continue;
      this.delete(next);
      if (queue.size > 0) {
        // Reinserted last, so that the loop visits the team again after all others.
        this.#teams.delete(teamId);
        this.#teams.set(teamId, queue);
      }
      yield next;
    }
  }
}
