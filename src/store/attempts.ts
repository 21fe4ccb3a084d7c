import type { Attempt } from '../model/attempt.ts';
import type { Message } from '../model/message.ts';
import type { Engine } from './engine.ts';

/** The tries to send a message. They are recorded by the turn that settles it. */
export class Attempts {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The last ones, in the order in which they were made. */
  list({ applicationId, id }: Pick<Message, 'applicationId' | 'id'>): Promise<Attempt[]> {
    return this.#engine.db
      .selectFrom('attempts')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .where('messageId', '=', id)
      .orderBy('number')
      .execute();
  }
}
