import Type from 'typebox';

import type { ApplicationPrincipal } from '../../model/account.ts';
import { EVENT_TYPES, type Event, envelopeJson } from '../../model/event.ts';
import type { TypeFilter } from '../../store/feed/feed-search.ts';
import { EventSchema } from '../openapi/event-schemas.ts';
import { listOf } from '../openapi/schemas.ts';
import { fileAnswer } from '../server/file-response.ts';
import {
  type Answer,
  type Call,
  type Parameter,
  type Route,
  applicationRoute,
  notFound,
  pathNumber,
} from '../server/route.ts';
import type { Services } from '../services.ts';

const RealtimeSchema = Type.Object(
  {
    url: Type.String(),
    last: Type.Integer({
      minimum: 0,
      description:
        'Id of the last event, 0 if there is none. Open the URL with it as `after` to miss no event.',
    }),
  },
  { title: 'Realtime' },
);

const DEFAULT_LIMIT = 100;
const MAX_EVENTS = 1000;
const MAX_WAIT_SECONDS = 60;

const FEED_QUERY: readonly Parameter[] = [
  {
    name: 'after',
    description: 'Id of the last known event: list events after it.',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  {
    name: 'limit',
    description: 'Maximum number of events.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_EVENTS, default: DEFAULT_LIMIT },
  },
  {
    name: 'wait',
    description: 'Seconds to wait for an event when there is none.',
    schema: { type: 'number', minimum: 0, maximum: MAX_WAIT_SECONDS, default: 0 },
  },
  {
    name: 'type',
    description:
      'Only events of this type, or of one of several: `message.failed,message.expired`.',
    schema: { type: 'string', examples: ['message.received'] },
  },
  {
    name: 'order',
    description: 'With `desc`, newest first, without waiting.',
    schema: { type: 'string', enum: ['asc', 'desc'], default: 'asc' },
  },
  {
    name: 'before',
    description: 'With `order=desc`, an event id: list events before it.',
    schema: { type: 'integer', minimum: 1 },
  },
];

const tag = 'Events';

export function eventRoutes({ store, clock, feed, files }: Services): Route[] {
  async function readForward(call: FeedCall, limit: number, types: TypeFilter): Promise<Answer> {
    const { applicationId } = call.caller;
    const wait = clamped(call.query['wait'], 0, MAX_WAIT_SECONDS, 0) * 1000;
    const deadline = clock.elapsed() + wait;
    let after = Math.trunc(clamped(call.query['after'], 0, Number.MAX_SAFE_INTEGER, 0));
    for (;;) {
      const remaining = deadline - clock.elapsed();
      const hasMore = wait > 0 && (await feed.wait(applicationId, after, remaining, call.signal));
      const { events, upTo } =
        types === undefined
          ? await store.events.next(applicationId, after, limit)
          : await store.feedSearch.forward(applicationId, after, limit, types);
      // The remaining events may be of other types.
      if (events.length > 0 || !hasMore || upTo === after || remaining <= 0) {
        return feedAnswer(call, events, { after: upTo, limit });
      }
      after = upTo;
    }
  }

  async function readBackward(call: FeedCall, limit: number, types: TypeFilter): Promise<Answer> {
    const { query, caller } = call;
    const before = clamped(query['before'], 1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    const { events, next } = await store.feedSearch.backward(
      caller.applicationId,
      Math.trunc(before),
      limit,
      types,
    );
    return feedAnswer(call, events, next === undefined ? undefined : { before: next, limit });
  }

  return [
    applicationRoute({
      method: 'GET',
      path: '/1/events',
      operationId: 'listEvents',
      tag,
      summary: 'Read the feed',
      description:
        'All events of the application in one order, oldest first. `Link` with `rel="next"` continues after this page, even if no event matched yet.',
      query: FEED_QUERY,
      evenDisabled: true,
      success: { status: 200, description: 'A page of events.', schema: listOf(EventSchema) },
      async handle(call) {
        const { query } = call;
        const limit = Math.trunc(clamped(query['limit'], 1, MAX_EVENTS, DEFAULT_LIMIT));
        const types = typesIn(query['type']);
        return query['order'] === 'desc'
          ? readBackward(call, limit, types)
          : readForward(call, limit, types);
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/events/:id',
      operationId: 'getEvent',
      tag,
      summary: 'Get an event',
      evenDisabled: true,
      success: { status: 200, description: 'The event.', schema: EventSchema },
      problems: ['not_found'],
      async handle(call) {
        const event = await store.events.get(call.caller.applicationId, pathNumber(call, 'id'));
        if (!event) throw notFound('the event');
        return { status: 200, text: envelopeJson(event, call.baseUrl()) };
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/events/:id/media/:number',
      operationId: 'getEventMedia',
      tag,
      summary: 'Get a received file',
      description:
        'Fetched from the channel on request and not stored. Received media carry this URL in `url`.',
      evenDisabled: true,
      success: { status: 200, description: 'The file.', type: '*/*' },
      problems: ['not_found', 'vendor_unavailable'],
      query: [
        {
          name: 'application',
          description:
            'Id of the application that received the file. The file is not found if the token belongs to another application.',
          schema: { type: 'integer', minimum: 1 },
        },
      ],
      async handle(call) {
        const { applicationId } = call.caller;
        const { application = String(applicationId) } = call.query;
        if (application !== String(applicationId)) throw notFound('the file');
        const place = {
          applicationId,
          event: pathNumber(call, 'id'),
          number: pathNumber(call, 'number'),
        };
        const reference = await files.find(place);
        if (!reference) throw notFound('the file');
        return fileAnswer(await files.fetch(applicationId, reference, call.signal));
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/realtime',
      operationId: 'openRealtime',
      tag,
      summary: 'Get a URL for streaming events',
      description:
        'A WebSocket URL, for one connection within 30 seconds. It streams the feed: received messages, edits and deletions as bare activities, other events in their envelope; with `envelopes=true`, everything in its envelope. Add `after` with the id of the last known event to continue after it; otherwise the stream starts with the next event. The id of an activity ends with the id of its event.',
      success: {
        status: 200,
        description: 'The URL.',
        schema: RealtimeSchema,
      },
      async handle(call) {
        const last = await store.events.last(call.caller.applicationId);
        const ticket = feed.ticket(call.caller);
        const url = new URL(`/1/realtime/${ticket}`, call.baseUrl());
        url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
        return { status: 200, body: { url: url.href, last } };
      },
    }),
  ];
}

type FeedCall = Call<ApplicationPrincipal, unknown>;

/** A page of events, with the link to the next one. */
function feedAnswer(
  call: FeedCall,
  events: readonly Event[],
  next: Record<string, number> | undefined,
): Answer {
  const items = events.map((event) => envelopeJson(event, call.baseUrl()));
  const answer = { status: 200, text: `{"data":[${items.join(',')}]}` };
  if (!next) return answer;
  const link = new URL('/1/events', call.baseUrl());
  for (const name of ['type', 'order']) {
    const value = call.query[name];
    if (value !== undefined) link.searchParams.set(name, value);
  }
  for (const [name, value] of Object.entries(next)) link.searchParams.set(name, String(value));
  return { ...answer, headers: { link: `<${link.href}>; rel="next"` } };
}

/** Parses event types. Lists never fail: an unknown type matches no event. */
function typesIn(text: string | undefined): TypeFilter {
  if (text === undefined || text === '') return undefined;
  const names = new Set(text.split(',').map((name) => name.trim()));
  return EVENT_TYPES.filter((type) => names.has(type));
}

/** Lists never fail: invalid numbers are clamped. */
function clamped(text: string | undefined, min: number, max: number, fallback: number): number {
  const number = text === undefined || text === '' ? fallback : Number(text);
  return Number.isNaN(number) ? fallback : Math.min(max, Math.max(min, number));
}
