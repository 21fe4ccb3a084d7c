import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { NewMessage } from '../../model/message.ts';
import {
  type AnswerableKeyword,
  answerMessage,
  answerText,
} from '../../model/sending/keyword-answer.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import type { Schema } from '../schema.ts';
import { readAnswers } from './consents.ts';
import { enqueue } from './enqueue.ts';

/** A keyword to answer, and where it was received. */
export interface KeywordToAnswer {
  applicationId: Id;
  integrationId: Id;
  at: Millis;
  answer: AnswerableKeyword;
}

/** Queues the answers to keywords in the transaction that stores what people wrote; returns them. */
export async function answerKeywords(
  engine: Engine,
  trx: Kysely<Schema>,
  keywords: readonly KeywordToAnswer[],
): Promise<NewMessage[]> {
  if (keywords.length === 0) return [];
  const ids = new Set(keywords.map(({ applicationId }) => applicationId));
  const answers = await readAnswers(trx, [...ids]);
  const messages = keywords.flatMap(({ answer, ...place }) => {
    const texts = answers.get(place.applicationId);
    const text = texts && answerText(answer, texts);
    return text === undefined ? [] : [answerMessage(answer, text, place)];
  });
  await enqueue(engine, trx, messages);
  return messages;
}
