import type { QueryValues } from '../api/client.ts';
import type { MessageState } from '../api/types.ts';
import { type SearchText, compact, numberIn } from '../frame/search.ts';
import { STATES } from './state.tsx';

/** Filter of the message log, kept in the URL. */
export interface MessageFilter {
  /** Comma-separated states. */
  state?: string;
  channel?: string;
  integration?: number;
  to?: string;
  id?: string;
  since?: Since;
  /** UTC, in the API's format. */
  after?: string;
  before?: string;
}

export interface MessageSearch extends MessageFilter {
  /** Shows new messages automatically. */
  live?: true;
}

export const SINCE = {
  '15m': { label: 'Last 15 minutes', millis: 15 * 60_000 },
  '1h': { label: 'Last hour', millis: 3_600_000 },
  '24h': { label: 'Last 24 hours', millis: 24 * 3_600_000 },
  '7d': { label: 'Last 7 days', millis: 7 * 24 * 3_600_000 },
  '30d': { label: 'Last 30 days', millis: 30 * 24 * 3_600_000 },
} as const;

export type Since = keyof typeof SINCE;

const isSince = (text: string | undefined): text is Since =>
  text !== undefined && Object.hasOwn(SINCE, text);

const isState = (text: string): text is MessageState => Object.hasOwn(STATES, text);

export const statesOf = ({ state = '' }: MessageFilter): MessageState[] =>
  state.split(',').filter(isState);

const FAILURES: ReadonlySet<MessageState> = new Set(['failed', 'uncertain', 'expired']);

/** Whether the filter selects failures only. */
export function selectsOnlyFailures(filter: MessageFilter): boolean {
  const states = statesOf(filter);
  return states.length > 0 && states.every((state) => FAILURES.has(state));
}

const TIME_FORMAT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;
const timeIn = (text: string | undefined) =>
  text !== undefined && TIME_FORMAT.test(text) ? text : undefined;

/** A time range: the last N hours, or between two times. */
export interface TimeRange {
  since?: Since | undefined;
  /** UTC, in the API's format. */
  after?: string | undefined;
  before?: string | undefined;
}

/** Reads a time range from the URL. */
export const rangeIn = ({ since, after, before }: SearchText): Required<TimeRange> => ({
  since: isSince(since) ? since : undefined,
  after: timeIn(after),
  before: timeIn(before),
});

export function readSearch(search: SearchText): MessageSearch {
  const { state, channel, to, id } = search;
  return compact({
    state: statesOf({ state: state ?? '' }).join(','),
    channel,
    integration: numberIn(search, 'integration'),
    to,
    id,
    ...rangeIn(search),
    live: search['live'] === 'true' ? (true as const) : undefined,
  });
}

export const isFiltered = ({ live: _live, ...filter }: MessageSearch) =>
  Object.keys(filter).length > 0;

/** A time in the API's format: UTC, to the second. */
export const apiTime = (millis: number) => new Date(millis).toISOString().slice(0, 19);

/** A time as the value of a `datetime-local` input: local time without a zone. */
export const localInputTime = (millis: number) =>
  apiTime(millis - new Date(millis).getTimezoneOffset() * 60_000);

/** A time range as API query parameters. */
export const rangeQuery = ({ since, after, before }: TimeRange): QueryValues => ({
  created_after: since === undefined ? after : apiTime(Date.now() - SINCE[since].millis),
  created_before: since === undefined ? before : undefined,
});

/** The filter as API query parameters. */
export function filterQuery(filter: MessageFilter): QueryValues {
  const { state, channel, integration, to, id } = filter;
  return {
    state,
    channel,
    integration_id: integration,
    to,
    id,
    ...rangeQuery(filter),
  };
}
