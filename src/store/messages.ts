import { sql } from 'kysely';

import { indexKey } from '../lib/index-key.ts';
import type { Id } from '../model/id.ts';
import type { Message } from '../model/message.ts';
import type { Accepted, Engine, Submission } from './engine.ts';
import { type MessageFilter, matching } from './message-filter.ts';
import { type Page, type PageRequest, isBackwards, mergePages, page } from './paging.ts';
import { allRecentFirst, recentFirst } from './recent.ts';

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

  get(applicationId: Id, id: Id): Promise<Message | undefined> {
    return recentFirst(this.#engine, (where) =>
      this.#engine.db
        .selectFrom('messages')
        .selectAll()
        .where('applicationId', '=', applicationId)
        .where('id', '=', id)
        .where('type', '!=', 'Event')
        .where(where)
        .executeTakeFirst(),
    );
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
  async getAll(applicationId: Id, ids: readonly Id[]): Promise<Message[]> {
    const found = await allRecentFirst(this.#engine, ids, (some, where) =>
      this.#engine.db
        .selectFrom('messages')
        .selectAll()
        .where('applicationId', '=', applicationId)
        .where('id', 'in', some)
        .where(where)
        .execute(),
    );
    return found.toSorted((a, b) => a.id - b.id);
  }

  /** A page holds fewer messages than its limit when they are very large. */
  async list(
    applicationId: Id,
    filter: MessageFilter,
    request: PageRequest,
  ): Promise<Page<Message>> {
    const all = this.#engine.db
      .selectFrom('messages')
      .select(['id', 'createdAt', sql<number>`octet_length(activity)`.as('size')])
      .where('applicationId', '=', applicationId)
      .where('type', '!=', 'Event');
    const states = filter.states ?? [undefined];
    const pages = states.map((state) => page(all, request, matching(all, filter, state)));
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
}

/** Those whose activities fit into PAGE_BYTES, and at least one; the ones next to the cursor first. */
function withinBytes<Sized extends { size: number }>(items: Sized[], backwards: boolean): Sized[] {
  const nearest = backwards ? items.toReversed() : items;
  let bytes = 0;
  const end = nearest.findIndex(({ size }, i) => (bytes += size) > PAGE_BYTES && i > 0);
  if (end === -1) return items;
  return backwards ? items.slice(-end) : items.slice(0, end);
}
