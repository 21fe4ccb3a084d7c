import { sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import { type Message, SCHEDULED } from '../../model/message.ts';
import type { MessageRoute } from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import { Repository } from '../repository.ts';
import type { Part, SandboxMessage } from '../schema.ts';

/** The fields of a message or webhook delivery that identify a person. */
export type OutboxRow = Pick<
  Message,
  | 'id'
  | 'createdAt'
  | 'integrationId'
  | 'recipient'
  | 'consentKey'
  | 'instructions'
  | 'type'
  | 'state'
  | 'settledAt'
  | 'route'
> & {
  /** The event of a webhook delivery, as JSON; null for messages. */
  event: string | null;
};

const OUTBOX_ROW = [
  'id',
  'createdAt',
  'integrationId',
  'recipient',
  'consentKey',
  'instructions',
  'type',
  'state',
  'settledAt',
  'route',
  sql<string | null>`case when type = 'Event' then activity end`.as('event'),
] as const;

/** Where a page of messages starts. */
export interface OutboxPlace {
  at: Millis;
  id: Id;
}

interface WaitingRange {
  after: OutboxPlace;
  upTo: Millis;
  limit: number;
}

type PersonPlace = { applicationId: Id; integrationId: Id; recipient: string };

/**
 * Reads what belongs to a person. Nothing but the outbox and the feed knows all of it, so both are read page by page;
 * each statement reads one page of an index.
 */
export class PersonalData extends Repository {
  /** The next `limit` messages and webhook deliveries, oldest first. */
  outbox(applicationId: Id, after: OutboxPlace, limit: number): Promise<OutboxRow[]> {
    return this.db
      .selectFrom('outbox')
      .select(OUTBOX_ROW)
      .where('applicationId', '=', applicationId)
      .where(sql<boolean>`(created_at, id) > (${after.at}, ${after.id})`)
      .orderBy('createdAt')
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  /**
   * The next `limit` messages to these recipients that are queued or scheduled, and were accepted up to a time; oldest
   * first.
   */
  async waiting(
    applicationId: Id,
    recipients: readonly string[],
    { after, upTo, limit }: WaitingRange,
  ): Promise<OutboxRow[]> {
    if (recipients.length === 0) return [];
    const waiting = this.db
      .selectFrom('outbox')
      .select(OUTBOX_ROW)
      .where('applicationId', '=', applicationId)
      .where('recipient', 'in', recipients)
      .where('settledAt', 'in', [0, SCHEDULED])
      .where('state', 'in', ['queued', 'scheduled'])
      .where('type', '!=', 'Event')
      .where(sql<boolean>`(created_at, id) > (${after.at}, ${after.id})`)
      .where('createdAt', '<=', upTo)
      .orderBy('createdAt')
      .orderBy('id')
      .limit(limit);
    // Scheduled messages have an index of their own.
    const queued = await waiting.where('dueAt', 'is', null).execute();
    const scheduled = await waiting.where('dueAt', 'is not', null).execute();
    return [...queued, ...scheduled]
      .toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id)
      .slice(0, limit);
  }

  /** The routes of these messages. */
  async routes(
    applicationId: Id,
    messageIds: readonly Id[],
  ): Promise<Pick<MessageRoute, 'messageId' | 'integrationId' | 'recipient' | 'consentKey'>[]> {
    if (messageIds.length === 0) return [];
    return this.db
      .selectFrom('routes')
      .select(['messageId', 'integrationId', 'recipient', 'consentKey'])
      .where('applicationId', '=', applicationId)
      .where('messageId', 'in', messageIds)
      .execute();
  }

  /** The delivery reports on these messages. */
  async reports(applicationId: Id, messageIds: readonly Id[]): Promise<Part[]> {
    if (messageIds.length === 0) return [];
    return this.db
      .selectFrom('parts')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .where('messageId', 'in', messageIds)
      .execute();
  }

  /** The files that the person uploaded to a web chat, without their bytes. */
  chatFiles({ applicationId, integrationId, recipient }: PersonPlace) {
    return this.db
      .selectFrom('chatFiles')
      .select(['id', 'integrationId', 'name', 'mediaType', 'size', 'createdAt'])
      .where((eb) => eb.and({ applicationId, integrationId, visitor: recipient }))
      .execute();
  }

  /** The next `limit` messages on a phone of the sandbox, oldest first. */
  phone(
    { applicationId, integrationId, recipient }: PersonPlace,
    after: { at: Millis; id: Id },
    limit: number,
  ): Promise<SandboxMessage[]> {
    return this.db
      .selectFrom('sandboxMessages')
      .selectAll()
      .where((eb) => eb.and({ applicationId, integrationId, person: recipient }))
      .where(sql<boolean>`(created_at, id) > (${after.at}, ${after.id})`)
      .orderBy('createdAt')
      .orderBy('id')
      .limit(limit)
      .execute();
  }
}
