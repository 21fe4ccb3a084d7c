import type { Kysely } from 'kysely';

import type { Event, EventType } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { lastEventId, withinSize } from './events.ts';

/** Limits of one search: events scanned in total, and per statement. */
const MAX_SCANNED = 50_000;
const WINDOW_ROWS = 5_000;

/** Event types to find; undefined finds all. No index contains the type. */
export type TypeFilter = readonly EventType[] | undefined;

interface Window {
  from: number;
  to: number;
}

/** Finds events by type, by scanning the feed in windows. */
export class FeedSearch extends Repository {
  /** Up to `limit` matching events after this one, oldest first, and how far the search came. */
  async forward(
    applicationId: Id,
    after: number,
    limit: number,
    types: TypeFilter,
  ): Promise<{ events: Event[]; upTo: number }> {
    if (types?.length === 0) return { events: [], upTo: after };
    const end = Math.min(await lastEventId(this.db, applicationId), after + MAX_SCANNED);
    for (let at = after; at < end;) {
      const window = { from: at + 1, to: Math.min(end, at + WINDOW_ROWS) };
      const rows = inWindow(this.db, applicationId, window, types).orderBy('id').limit(limit);
      const events = withinSize(await rows.execute());
      // With matches, the next search continues after the last of them.
      if (events.length > 0) return { events, upTo: events.at(-1)?.id ?? window.to };
      at = window.to;
    }
    return { events: [], upTo: Math.max(after, end) };
  }

  /**
   * Up to `limit` matching events before this one, or the last ones, newest first; and where to continue, if there is
   * more.
   */
  async backward(
    applicationId: Id,
    before: number | undefined,
    limit: number,
    types: TypeFilter,
  ): Promise<{ events: Event[]; next: number | undefined }> {
    if (types?.length === 0) return { events: [], next: undefined };
    const start = Math.min(before ?? Infinity, (await lastEventId(this.db, applicationId)) + 1);
    const oldest = await oldestOf(this.db, applicationId);
    if (oldest === undefined) return { events: [], next: undefined };
    const end = Math.max(oldest, start - MAX_SCANNED);
    const more = (at: number) => (at > oldest ? at : undefined);
    for (let at = start; at > end;) {
      const window = { from: Math.max(end, at - WINDOW_ROWS), to: at - 1 };
      const rows = inWindow(this.db, applicationId, window, types)
        .orderBy('id', 'desc')
        .limit(limit);
      const events = withinSize(await rows.execute());
      if (events.length > 0) return { events, next: more(events.at(-1)?.id ?? window.from) };
      at = window.from;
    }
    return { events: [], next: more(end) };
  }
}

function inWindow(db: Kysely<Schema>, applicationId: Id, { from, to }: Window, types: TypeFilter) {
  const query = db
    .selectFrom('events')
    .selectAll()
    .where('applicationId', '=', applicationId)
    .where('id', '>=', from)
    .where('id', '<=', to);
  return types === undefined ? query : query.where('type', 'in', types);
}

async function oldestOf(db: Kysely<Schema>, applicationId: Id): Promise<number | undefined> {
  const oldest = await db
    .selectFrom('events')
    .select('id')
    .where('applicationId', '=', applicationId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return oldest?.id;
}
