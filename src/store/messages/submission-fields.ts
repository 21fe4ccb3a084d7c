import type { NewMessage } from '../../model/message.ts';
import type { NewRoute } from '../../model/sending/message-route.ts';
import type { IdempotencyKey } from '../engine.ts';
import type { Fields } from '../fields.ts';

/** The fields of accepted messages, as passed to the SQLite thread and to PostgreSQL's statement. */
export const NEW_MESSAGE_FIELDS: Fields<Omit<NewMessage, 'routes'>> = {
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
  route: 'int',
  expiresAt: 'bigint',
  createdAt: 'bigint',
  trace: 'text',
};

/** `message` is the position of the message, from 0. */
export type SubmittedRoute = NewRoute & { message: number };

export const NEW_ROUTE_FIELDS: Fields<SubmittedRoute> = {
  message: 'int',
  number: 'int',
  position: 'int',
  via: 'text',
  integrationId: 'bigint',
  poolId: 'bigint',
  recipient: 'text',
  consentKey: 'text',
  instructions: 'text',
  objectId: 'text',
  until: 'text',
  afterMs: 'bigint',
  failoverMs: 'bigint',
  failoverAt: 'bigint',
  state: 'text',
  startedAt: 'bigint',
  deadline: 'bigint',
  dueAt: 'bigint',
  because: 'text',
};

export const IDEMPOTENCY_KEY_FIELDS: Fields<IdempotencyKey> = {
  tenantId: 'bigint',
  scope: 'text',
  key: 'text',
  hash: 'text',
};
