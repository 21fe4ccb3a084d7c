import { sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import {
  type CountedMessage,
  type Message,
  type MessageState,
  isSent,
} from '../../model/message.ts';
import { byIds } from '../by-ids.ts';
import type { Accepted, Submission } from '../engine.ts';
import {
  type Page,
  type PageRequest,
  type Windows,
  cutToBytes,
  mergePages,
  page,
} from '../paging.ts';
import { Repository } from '../repository.ts';
import { type Creation, findCreation } from '../routes/object-history.ts';
import type { Schema } from '../schema.ts';
import { countAttempts, findCounted } from './attempts.ts';
import { type MessageFilter, matching, partsOf } from './message-filter.ts';
import { allRecentFirst } from './recent-first.ts';

type LaneKey = Pick<Message, 'applicationId' | 'integrationId' | 'recipient'>;

/** Maximum bytes of activities per page, whatever its limit. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** Every method takes the application: messages of other applications are not found. */
export class Messages extends Repository {
  /** Stores all submissions in one durable commit; see Engine. */
  accept(submissions: readonly Submission[]): Promise<Accepted[]> {
    return this.engine.accept(submissions);
  }

  get(applicationId: Id, id: Id): Promise<CountedMessage | undefined> {
    return findCounted(this.engine, 'messages', applicationId, id);
  }

  /** The last message to this recipient with this `object.id`, regardless of later edits. */
  findByObject(place: LaneKey, objectId: string): Promise<Creation | undefined> {
    return findCreation(this.db, place, objectId);
  }

  /** The existing messages with these ids, oldest first. */
  async getAll(applicationId: Id, ids: readonly Id[]): Promise<CountedMessage[]> {
    const found = await allRecentFirst(this.engine, ids, (chunk, where) =>
      this.db
        .selectFrom('messages')
        .selectAll()
        .where(byIds(this.engine, applicationId, chunk))
        .where(where)
        .execute(),
    );
    const counted = await countAttempts(this.engine, found);
    return counted.toSorted((a, b) => a.id - b.id);
  }

  /** A page may have fewer messages than its limit if they are very large. */
  async list(
    applicationId: Id,
    filter: MessageFilter,
    request: PageRequest,
  ): Promise<Page<CountedMessage>> {
    const all = this.db
      .selectFrom('messages')
      .select(['id', 'createdAt', sql<number>`octet_length(activity)`.as('size')])
      .where('applicationId', '=', applicationId);
    const pages = partsOf(this.engine, filter).map((part) => {
      const windows = this.#windows(applicationId, filter, part.state);
      const { createdAfter: _, createdBefore: __, ...rest } = filter;
      const wanted = matching(this.engine, all, windows ? rest : filter, part);
      return page(all, request, wanted, windows);
    });
    const found = cutToBytes(mergePages(await Promise.all(pages), request), request, PAGE_BYTES);
    const messages = await this.getAll(
      applicationId,
      found.items.map(({ id }) => id),
    );
    const byId = new Map(messages.map((message) => [message.id, message]));
    return { ...found, items: found.items.flatMap(({ id }) => byId.get(id) ?? []) };
  }

  /** Undefined if an index serves the filter, or if a long statement blocks no others. */
  #windows(
    applicationId: Id,
    { recipient, createdAfter, createdBefore }: MessageFilter,
    state: MessageState | undefined,
  ): Windows<Schema, 'outbox'> | undefined {
    const isIndexed = recipient !== undefined || (state !== undefined && !isSent(state));
    if (isIndexed || this.engine.name === 'postgres') return undefined;
    // Webhook deliveries may end a window too: without a condition on the type, the index alone serves this.
    const rows = this.db
      .selectFrom('outbox')
      .select(['id', 'createdAt'])
      .where('applicationId', '=', applicationId);
    return { rows, size: WINDOW_ROWS, createdAfter, createdBefore };
  }
}

/** Messages scanned per statement for a filter. */
const WINDOW_ROWS = 2_000;
