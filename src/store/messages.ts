import { sql } from 'kysely';

import { indexKey } from '../lib/index-key.ts';
import type { Id } from '../model/id.ts';
import { type CountedMessage, type Message, type MessageState, isSent } from '../model/message.ts';
import { countAttempts } from './attempts.ts';
import { byIds } from './by-ids.ts';
import type { Accepted, Engine, Submission } from './engine.ts';
import { type MessageFilter, matching } from './message-filter.ts';
import {
  type Page,
  type PageRequest,
  type Windows,
  isBackwards,
  mergePages,
  page,
} from './paging.ts';
import { allRecentFirst, recentFirst } from './recent.ts';
import type { Schema } from './schema.ts';

type Place = Pick<Message, 'applicationId' | 'integrationId' | 'recipient'>;

/** How much of activities one page holds at the most, whatever its limit. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** Every call names the application: a message of another one is as good as none. */
export class Messages {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Stores all of them in one durable commit; see Engine. */
  accept(submissions: readonly Submission[]): Promise<Accepted[]> {
    return this.#engine.accept(submissions);
  }

  async get(applicationId: Id, id: Id): Promise<CountedMessage | undefined> {
    const found = await recentFirst(this.#engine, (where) =>
      this.#engine.db
        .selectFrom('messages')
        .selectAll()
        .where('applicationId', '=', applicationId)
        .where('id', '=', id)
        .where('type', '!=', 'Event')
        .where(where)
        .executeTakeFirst(),
    );
    const [counted] = await countAttempts(this.#engine, found ? [found] : []);
    return counted;
  }

  /** The last message to that recipient that the caller called so, whatever has changed it since. */
  findByObject(
    { applicationId, integrationId, recipient }: Place,
    objectId: string,
  ): Promise<Pick<Message, 'id' | 'state'> | undefined> {
    return this.#engine.db
      .selectFrom('messages')
      .select(['id', 'state'])
      .where('applicationId', '=', applicationId)
      .where('integrationId', '=', integrationId)
      .where('recipient', '=', recipient)
      .where('objectId', '=', indexKey(objectId))
      .where('type', '=', 'Create')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
  }

  /** Those of the ids that there are, oldest first. */
  async getAll(applicationId: Id, ids: readonly Id[]): Promise<CountedMessage[]> {
    const found = await allRecentFirst(this.#engine, ids, (some, where) =>
      this.#engine.db
        .selectFrom('messages')
        .selectAll()
        .where(byIds(this.#engine, applicationId, some))
        .where(where)
        .execute(),
    );
    const counted = await countAttempts(this.#engine, found);
    return counted.toSorted((a, b) => a.id - b.id);
  }

  /** A page holds fewer messages than its limit when they are very large. */
  async list(
    applicationId: Id,
    filter: MessageFilter,
    request: PageRequest,
  ): Promise<Page<CountedMessage>> {
    const all = this.#engine.db
      .selectFrom('messages')
      .select(['id', 'createdAt', sql<number>`octet_length(activity)`.as('size')])
      .where('applicationId', '=', applicationId)
      .where('type', '!=', 'Event');
    const states = filter.states ?? [undefined];
    const pages = states.map((state) => {
      const windows = this.#windows(applicationId, filter, state);
      const { createdAfter: _, createdBefore: __, ...rest } = filter;
      const wanted = matching(this.#engine, all, windows ? rest : filter, state);
      return page(all, request, wanted, windows);
    });
    const found = mergePages(await Promise.all(pages), request);
    const backwards = isBackwards(request);
    const kept = withinBytes(found.items, backwards);
    const cut = kept.length < found.items.length;
    const messages = await this.getAll(
      applicationId,
      kept.map(({ id }) => id),
    );
    const byId = new Map(messages.map((message) => [message.id, message]));
    return {
      items: kept.flatMap(({ id }) => byId.get(id) ?? []),
      older: found.older || (cut && !backwards),
      newer: found.newer || (cut && backwards),
    };
  }

  /** Undefined where an index leads to what is wanted, or where a long statement holds nobody up. */
  #windows(
    applicationId: Id,
    { recipient, createdAfter, createdBefore }: MessageFilter,
    state: MessageState | undefined,
  ): Windows<Schema, 'messages'> | undefined {
    const isIndexed = recipient !== undefined || (state !== undefined && !isSent(state));
    if (isIndexed || this.#engine.name === 'postgres') return undefined;
    const rows = this.#engine.db
      .selectFrom('messages')
      .select(['id', 'createdAt'])
      .where('applicationId', '=', applicationId);
    return { rows, size: WINDOW, createdAfter, createdBefore };
  }
}

/** How many messages one statement goes through for those that a filter means. */
const WINDOW = 2_000;

/** Those whose activities fit into PAGE_BYTES, and at least one; the ones next to the cursor first. */
function withinBytes<Sized extends { size: number }>(items: Sized[], backwards: boolean): Sized[] {
  const nearest = backwards ? items.toReversed() : items;
  let bytes = 0;
  const end = nearest.findIndex(({ size }, i) => (bytes += size) > PAGE_BYTES && i > 0);
  if (end === -1) return items;
  return backwards ? items.slice(-end) : items.slice(0, end);
}
