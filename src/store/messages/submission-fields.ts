import type { NewMessage } from '../../model/message.ts';
import type { IdempotencyKey } from '../engine.ts';
import type { Fields } from '../fields.ts';

/** The fields of accepted messages that cross the SQLite thread and PostgreSQL's statement. */
export const NEW_MESSAGE_FIELDS: Fields<NewMessage> = {
  applicationId: 'bigint',
  integrationId: 'bigint',
  recipient: 'text',
  activity: 'text',
  instructions: 'text',
  category: 'text',
  consentKey: 'text',
  objectId: 'text',
  type: 'text',
  dueAt: 'bigint',
  reason: 'text',
  expiresAt: 'bigint',
  createdAt: 'bigint',
  trace: 'text',
};

export const IDEMPOTENCY_KEY_FIELDS: Fields<IdempotencyKey> = {
  tenantId: 'bigint',
  scope: 'text',
  key: 'text',
  hash: 'text',
};
