import { type Event, envelopeJson } from '../../model/event.ts';
import { parseId } from '../../model/id.ts';
import type { CountedMessage } from '../../model/message.ts';
import type { Conversation } from '../../model/people/conversation.ts';
import { type Millis, timestamp } from '../../model/timestamp.ts';
import type { Store } from '../../store/store.ts';
import type { Query } from '../server/route.ts';
import { messageJson } from './views.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** A place in a timeline. Of entries with the same time, received ones count as older than sent ones. */
interface Place {
  at: Millis;
  kind: 'event' | 'message';
  id: number;
}

type Entry = Place & { json: string };

const END: Place = { at: Number.MAX_SAFE_INTEGER, kind: 'message', id: Number.MAX_SAFE_INTEGER };

/** A page of both directions, newest first, as JSON; `next` continues it. */
export async function timelineOf(
  store: Store,
  conversation: Conversation,
  query: Query,
  baseUrl: string,
): Promise<{ items: string[]; next: string | undefined }> {
  const limit = limitOf(query['limit']);
  const from = await placeOf(store, conversation, query['starting_after'] ?? '');
  if (!from) return { items: [], next: undefined };
  const { at, kind, id } = from;
  const [received, sent] = await Promise.all([
    store.conversations.received(
      conversation,
      { at, id: kind === 'event' ? id : Number.MAX_SAFE_INTEGER },
      limit + 1,
    ),
    store.conversations.sent(conversation, { at, id: kind === 'message' ? id : 0 }, limit + 1),
  ]);
  const messages = await store.messages.getAll(
    conversation.applicationId,
    sent.map((message) => message.id),
  );
  const all = [
    ...received.map((event) => eventEntry(event, baseUrl)),
    ...messages.map(messageEntry),
  ].toSorted(
    (a, b) => b.at - a.at || (a.kind === b.kind ? b.id - a.id : a.kind === 'message' ? -1 : 1),
  );
  const items = all.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map(({ json }) => json),
    next: last && all.length > limit ? `${last.kind}:${last.id}` : undefined,
  };
}

function limitOf(text = ''): number {
  const limit = text === '' ? Number.NaN : Math.trunc(Number(text));
  return Number.isNaN(limit) ? DEFAULT_LIMIT : Math.min(MAX_LIMIT, Math.max(1, limit));
}

/** Undefined for a cursor that names no entry. */
async function placeOf(
  store: Store,
  { applicationId }: Conversation,
  cursor: string,
): Promise<Place | undefined> {
  if (cursor === '') return END;
  const [, kind, digits] = /^(event|message):(\d{1,19})$/.exec(cursor) ?? [];
  const id = parseId(digits);
  if (!id) return undefined;
  if (kind === 'event') {
    const event = await store.events.get(applicationId, id);
    return event && { at: event.createdAt, kind: 'event', id };
  }
  const message = await store.messages.get(applicationId, id);
  return message && { at: message.createdAt, kind: 'message', id };
}

function eventEntry(event: Event, baseUrl: string): Entry {
  const { id, createdAt: at } = event;
  const head = JSON.stringify({ id: `event:${id}`, direction: 'in', at: timestamp(at) });
  return {
    at,
    kind: 'event',
    id,
    json: `${head.slice(0, -1)},"event":${envelopeJson(event, baseUrl)}}`,
  };
}

function messageEntry(message: CountedMessage): Entry {
  const { id, createdAt: at } = message;
  const head = JSON.stringify({ id: `message:${id}`, direction: 'out', at: timestamp(at) });
  return {
    at,
    kind: 'message',
    id,
    json: `${head.slice(0, -1)},"message":${messageJson(message)}}`,
  };
}
