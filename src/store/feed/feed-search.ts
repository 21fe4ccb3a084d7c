import type { Kysely } from 'kysely';

import type { Event, EventType } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { Engine } from '../engine.ts';
import type { Schema } from '../schema.ts';
import { lastOf, withinSize } from './events.ts';

/** Limits of one search: events scanned in total, and per statement. */
const MAX_SCANNED = 50_000;
const WINDOW_ROWS = 5_000;

/** Event types to find; undefined finds all. No index contains the type. */
export type Wanted = readonly EventType[] | undefined;

interface Window {
  from: number;
  to: number;
}

/** Finds events by type, by scanning the feed in windows. */
export class FeedSearch {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Up to `limit` matching events after this one, oldest first, and how far the search came. */
  async onward(
    applicationId: Id,
    after: number,
    limit: number,
    wanted: Wanted,
  ): Promise<{ events: Event[]; upTo: number }> {
    if (wanted?.length === 0) return { events: [], upTo: after };
    const { db } = this.#engine;
    const end = Math.min(await lastOf(db, applicationId), after + MAX_SCANNED);
    for (let at = after; at < end;) {
      const window = { from: at + 1, to: Math.min(end, at + WINDOW_ROWS) };
      const rows = inWindow(db, applicationId, window, wanted).orderBy('id').limit(limit);
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
    wanted: Wanted,
  ): Promise<{ events: Event[]; goOn: number | undefined }> {
    if (wanted?.length === 0) return { events: [], goOn: undefined };
    const { db } = this.#engine;
    const start = Math.min(before ?? Infinity, (await lastOf(db, applicationId)) + 1);
    const oldest = await oldestOf(db, applicationId);
    if (oldest === undefined) return { events: [], goOn: undefined };
    const end = Math.max(oldest, start - MAX_SCANNED);
    const more = (at: number) => (at > oldest ? at : undefined);
    for (let at = start; at > end;) {
      const window = { from: Math.max(end, at - WINDOW_ROWS), to: at - 1 };
      const rows = inWindow(db, applicationId, window, wanted).orderBy('id', 'desc').limit(limit);
      const events = withinSize(await rows.execute());
      if (events.length > 0) return { events, goOn: more(events.at(-1)?.id ?? window.from) };
      at = window.from;
    }
    return { events: [], goOn: more(end) };
  }
}

function inWindow(db: Kysely<Schema>, applicationId: Id, { from, to }: Window, wanted: Wanted) {
  const query = db
    .selectFrom('events')
    .selectAll()
    .where('applicationId', '=', applicationId)
    .where('id', '>=', from)
    .where('id', '<=', to);
  return wanted === undefined ? query : query.where('type', 'in', wanted);
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
