import { storable } from '../lib/storable.ts';
import { type Attempt, KEPT_CHARACTERS } from '../model/attempt.ts';
import type { Message } from '../model/message.ts';
import type { Engine } from './engine.ts';
import type { AttemptRow } from './schema.ts';

/** The tries to send a message. They are recorded by the turn that settles it. */
export class Attempts {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The last ones, in the order in which they were made. */
  async list({
    applicationId,
    id,
    activity,
  }: Pick<Message, 'applicationId' | 'id' | 'activity'>): Promise<Attempt[]> {
    const rows = await this.#engine.db
      .selectFrom('attempts')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .where('messageId', '=', id)
      .orderBy('number')
      .execute();
    return rows.map((row) => toAttempt(row, activity));
  }
}

function toAttempt({ withActivity, ...attempt }: AttemptRow, activity: string): Attempt {
  if (withActivity === 0) return attempt;
  const request = `${attempt.request}${activity}`.slice(0, KEPT_CHARACTERS);
  return { ...attempt, request: storable(request) };
}
