import Type from 'typebox';

import type { ApplicationPrincipal } from '../../model/account.ts';
import { EVENT_TYPES, type Event, envelopeJson } from '../../model/event.ts';
import type { Wanted } from '../../store/feed-search.ts';
import { EventSchema } from '../event-schemas.ts';
import { fileAnswer } from '../file-answer.ts';
import {
  type Answer,
  type Call,
  type Parameter,
  type Route,
  applicationRoute,
  notFound,
} from '../route.ts';
import { listOf } from '../schemas.ts';
import type { Services } from '../services.ts';

const RealtimeSchema = Type.Object(
  {
    url: Type.String(),
    last: Type.Integer({
      minimum: 0,
      description:
        'The id of the last event so far, 0 when there is none: whoever opens the address with it as `after` misses nothing from now on.',
    }),
  },
  { title: 'Realtime' },
);

const DEFAULT_LIMIT = 100;
const MOST = 1000;
const LONGEST_WAIT = 60;

const FEED_QUERY: readonly Parameter[] = [
  {
    name: 'after',
    description: 'The id of the last event that is known; the list goes on after it.',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  {
    name: 'limit',
    description: 'How many events at the most.',
    schema: { type: 'integer', minimum: 1, maximum: MOST, default: DEFAULT_LIMIT },
  },
  {
    name: 'wait',
    description: 'For how many seconds to wait for an event when there is none.',
    schema: { type: 'number', minimum: 0, maximum: LONGEST_WAIT, default: 0 },
  },
  {
    name: 'type',
    description:
      'Only events of this type, or of one of several: `message.failed,message.expired`.',
    schema: { type: 'string', examples: ['message.received'] },
  },
  {
    name: 'order',
    description: 'With `desc` the newest come first, and nothing is waited for.',
    schema: { type: 'string', enum: ['asc', 'desc'], default: 'asc' },
  },
  {
    name: 'before',
    description: 'With `order=desc`, the id of an event; the list goes on with those before it.',
    schema: { type: 'integer', minimum: 1 },
  },
];

const tag = 'Events';

export function eventRoutes({ store, clock, feed, files }: Services): Route[] {
  async function readOnward(call: FeedCall, limit: number, types: Wanted): Promise<Answer> {
    const { applicationId } = call.caller;
    const wait = within(call.query['wait'], 0, LONGEST_WAIT, 0) * 1000;
    const patience = clock.elapsed() + wait;
    let after = Math.trunc(within(call.query['after'], 0, Number.MAX_SAFE_INTEGER, 0));
    for (;;) {
      const left = patience - clock.elapsed();
      const isMore = wait > 0 && (await feed.wait(applicationId, after, left, call.signal));
      const { events, upTo } =
        types === undefined
          ? await store.events.next(applicationId, after, limit)
          : await store.feedSearch.onward(applicationId, after, limit, types);
      // What there is more of may be of other types.
      if (events.length > 0 || !isMore || upTo === after || left <= 0) {
        return feedAnswer(call, events, { after: upTo, limit });
      }
      after = upTo;
    }
  }

  async function readBackward(call: FeedCall, limit: number, types: Wanted): Promise<Answer> {
    const { query, caller } = call;
    const before = within(query['before'], 1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    const { events, goOn } = await store.feedSearch.backward(
      caller.applicationId,
      Math.trunc(before),
      limit,
      types,
    );
    return feedAnswer(call, events, goOn === undefined ? undefined : { before: goOn, limit });
  }

  return [
    applicationRoute({
      method: 'GET',
      path: '/1/events',
      operationId: 'listEvents',
      tag,
      summary: 'Read the feed',
      description:
        'Everything that the application is told, in one order, the oldest first. `Link` with `rel="next"` goes on where this ends, also where there is nothing of the wanted types yet.',
      query: FEED_QUERY,
      evenDisabled: true,
      success: { status: 200, description: 'Some of it.', schema: listOf(EventSchema) },
      async handle(call) {
        const { query } = call;
        const limit = Math.trunc(within(query['limit'], 1, MOST, DEFAULT_LIMIT));
        const types = typesIn(query['type']);
        return query['order'] === 'desc'
          ? readBackward(call, limit, types)
          : readOnward(call, limit, types);
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
        const event = await store.events.get(call.caller.applicationId, numberIn(call, 'id'));
        if (!event) throw notFound('the event');
        return { status: 200, text: envelopeJson(event, call.baseUrl()) };
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/events/:id/media/:number',
      operationId: 'getEventMedia',
      tag,
      summary: 'Get a file that somebody sent',
      description:
        'It is fetched from the channel at the moment of the call, and not kept. The addresses are those in the `url` of received media.',
      evenDisabled: true,
      success: { status: 200, description: 'The file.', type: '*/*' },
      problems: ['not_found', 'vendor_unavailable'],
      query: [
        {
          name: 'application',
          description: 'Whose file it is: where it is another than the caller, nothing is found.',
          schema: { type: 'integer', minimum: 1 },
        },
      ],
      async handle(call) {
        const { applicationId } = call.caller;
        const { application = String(applicationId) } = call.query;
        if (application !== String(applicationId)) throw notFound('the file');
        const place = {
          applicationId,
          event: numberIn(call, 'id'),
          number: numberIn(call, 'number'),
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
      summary: 'Get an address to listen at',
      description:
        'A WebSocket address, to be opened once, within 30 seconds. It streams the feed: received messages, their edits and deletions as bare activities, everything else in its envelope; with `envelopes=true` added to it, everything in its envelope. Add `after` with the id of the last event that is known, to go on after it; without, it begins with what happens next. The id of an activity ends with that of its event.',
      success: {
        status: 200,
        description: 'The address.',
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

/** Some of the feed, and with which query it goes on, where it does. */
function feedAnswer(
  call: FeedCall,
  events: readonly Event[],
  goOn: Record<string, number> | undefined,
): Answer {
  const items = events.map((event) => envelopeJson(event, call.baseUrl()));
  const answer = { status: 200, text: `{"data":[${items.join(',')}]}` };
  if (!goOn) return answer;
  const next = new URL('/1/events', call.baseUrl());
  for (const name of ['type', 'order']) {
    const given = call.query[name];
    if (given !== undefined) next.searchParams.set(name, given);
  }
  for (const [name, value] of Object.entries(goOn)) next.searchParams.set(name, String(value));
  return { ...answer, headers: { link: `<${next.href}>; rel="next"` } };
}

/** The types that are named. Lists never err: one that is none is that of no event. */
function typesIn(text: string | undefined): Wanted {
  if (text === undefined || text === '') return undefined;
  const names = new Set(text.split(',').map((name) => name.trim()));
  return EVENT_TYPES.filter((type) => names.has(type));
}

/** Lists never err: what makes no sense is the nearest that does. */
function within(text: string | undefined, least: number, most: number, usual: number): number {
  const number = text === undefined || text === '' ? usual : Number(text);
  return Number.isNaN(number) ? usual : Math.min(most, Math.max(least, number));
}

function numberIn({ params }: Pick<Call<unknown, unknown>, 'params'>, name: string): number {
  const text = params[name] ?? '';
  if (!/^\d{1,15}$/.test(text)) throw notFound();
  return Number(text);
}
