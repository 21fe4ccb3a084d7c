import { AFTER_ALL_IDS, BEFORE_ALL_IDS, parseCursor } from '../model/id.ts';
import type { Page, PageRequest } from '../store/paging.ts';
import type { Answer, Call, Parameter, Query } from './server/route.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

export const PAGING: readonly Parameter[] = [
  {
    name: 'limit',
    description: 'Maximum number of items. Values out of range are clamped.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
  },
  {
    name: 'starting_after',
    description: 'An item id: list items older than it.',
    schema: { type: 'integer', format: 'int64' },
  },
  {
    name: 'ending_before',
    description: 'An item id: list items newer than it.',
    schema: { type: 'integer', format: 'int64' },
  },
];

/**
 * Lists never fail: an invalid limit is clamped, an empty cursor counts as absent, and a cursor that is not an
 * int64 gives an empty page.
 */
export function pageRequest(query: Query): PageRequest {
  const request: PageRequest = { limit: readLimit(query['limit']) };
  const { starting_after: after = '', ending_before: before = '' } = query;
  if (after !== '') request.startingAfter = parseCursor(after) ?? BEFORE_ALL_IDS;
  else if (before !== '') request.endingBefore = parseCursor(before) ?? AFTER_ALL_IDS;
  return request;
}

function readLimit(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_LIMIT;
  const limit = Number(text);
  if (Number.isNaN(limit)) return DEFAULT_LIMIT;
  return Math.min(MAX_LIMIT, Math.max(1, Math.trunc(limit)));
}

/** `{ data: [...] }` with items serialized by `write`, and links to the adjacent pages (RFC 8288). */
export function listAnswer<Item extends { id: number }>(
  call: Pick<Call<unknown, unknown>, 'query' | 'baseUrl'>,
  path: string,
  { items, older, newer }: Page<Item>,
  write: (item: Item) => string,
): Answer {
  const links: string[] = [];
  const link = (
    rel: string,
    cursor: 'starting_after' | 'ending_before',
    id: number | undefined,
  ) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(call.query)) {
      if (value !== undefined && name !== 'starting_after' && name !== 'ending_before') {
        query.set(name, value);
      }
    }
    query.set(cursor, String(id));
    links.push(`<${call.baseUrl()}${path}?${query.toString()}>; rel="${rel}"`);
  };
  if (older) link('next', 'starting_after', items.at(-1)?.id);
  if (newer) link('prev', 'ending_before', items[0]?.id);
  const answer: Answer = { status: 200, text: `{"data":[${items.map(write).join(',')}]}` };
  return links.length > 0 ? { ...answer, headers: { link: links.join(', ') } } : answer;
}
