import type { Id } from '../model/id.ts';
import type { Runner } from './runner.ts';

type Waiting = Pick<Runner, 'teamId'>;

/**
 * Integrations that wait for their turn. Teams take turns, and so do the integrations of each: a team that may start
 * nothing is passed over as a whole, however many of its integrations wait.
 */
export class ReadyLine<One extends Waiting = Runner> {
  readonly #teams = new Map<Id | null, Set<One>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** To the end of the line, unless it is in it. */
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

  /** Takes them out of the line, the next one first; a team that has no room keeps its place. */
  *take(hasRoom: (teamId: Id | null) => boolean): Generator<One> {
    for (const [teamId, line] of this.#teams) {
      const { value: next } = line.values().next();
      if (!next || !hasRoom(teamId)) continue;
      this.delete(next);
      if (line.size > 0) {
        // Visited again after all others.
        this.#teams.delete(teamId);
        this.#teams.set(teamId, line);
      }
      yield next;
    }
  }
}
