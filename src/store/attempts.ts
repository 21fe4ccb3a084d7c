import type { Attempt } from '../model/attempt.ts';
import type { Id } from '../model/id.ts';
import type { Engine } from './engine.ts';

/** The tries to send a message. They are recorded by the turn that settles it. */
export class Attempts {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The last ones, in the order in which they were made. */
  list(messageId: Id): Promise<Attempt[]> {
    return this.#engine.db
      .selectFrom('attempts')
      .selectAll()
      .where('messageId', '=', messageId)
      .orderBy('number')
      .execute();
  }
}
