import type { Attempt } from '../model/attempt.ts';
import type { Id } from '../model/id.ts';
import type { Engine } from './engine.ts';

/** How many are shown of one message: the last ones. */
const SHOWN = 1000;

/** The tries to send a message. They are recorded by the turn that settles it. */
export class Attempts {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** In the order in which they were made. */
  async list(messageId: Id): Promise<Attempt[]> {
    const last = await this.#engine.db
      .selectFrom('attempts')
      .selectAll()
      .where('messageId', '=', messageId)
      .orderBy('number', 'desc')
      .limit(SHOWN)
      .execute();
    return last.toReversed();
  }
}
