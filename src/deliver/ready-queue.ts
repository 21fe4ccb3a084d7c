import type { Id } from '../model/id.ts';
import type { Runner } from './runner.ts';

type Waiting = Pick<Runner, 'teamId'>;

/**
 * The queue of integrations that may start messages: round-robin over teams, and over the integrations of each team. A
 * team at its limit is skipped as a whole, in constant time.
 */
export class ReadyQueue<One extends Waiting = Runner> {
  readonly #teams = new Map<Id | null, Set<One>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Appends it, unless it is queued already. */
  add(one: One): void {
    const line = this.#teams.get(one.teamId) ?? new Set();
    if (line.has(one)) return;
    this.#teams.set(one.teamId, line.add(one));
    this.#size++;
  }

  delete(one: One): void {
    const line = this.#teams.get(one.teamId);
    if (!line?.delete(one)) return;
    this.#size--;
    if (line.size === 0) this.#teams.delete(one.teamId);
  }

  /** Removes and yields the next ones in order. A team without capacity keeps its place. */
  *take(hasRoom: (teamId: Id | null) => boolean): Generator<One> {
    for (const [teamId, line] of this.#teams) {
      const { value: next } = line.values().next();
      if (!next || !hasRoom(teamId)) continue;
      this.delete(next);
      if (line.size > 0) {
        // Reinserted last, so that the loop visits the team again after all others.
        this.#teams.delete(teamId);
        this.#teams.set(teamId, line);
      }
      yield next;
    }
  }
}
