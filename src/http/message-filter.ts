import { findChannel } from '../channels/index.ts';
import { type Id, parseId } from '../model/id.ts';
import { MESSAGE_STATES, type MessageState } from '../model/message.ts';
import { parseTimestamp } from '../model/timestamp.ts';
import type { MessageFilter } from '../store/message-filter.ts';
import type { Store } from '../store/store.ts';
import type { Parameter, Query } from './route.ts';

/* Which messages are meant, as a query or a body says it. */

export const FILTERS = [
  {
    name: 'state',
    description: 'Only messages in this state, or in one of several: `failed,expired`.',
    schema: { type: 'string', examples: ['failed', MESSAGE_STATES.join(',')] },
  },
  {
    name: 'channel',
    description: 'Only messages through integrations of this channel.',
    schema: { type: 'string', examples: ['telegram'] },
  },
  {
    name: 'integration_id',
    description: 'Only messages through this integration.',
    schema: { type: 'integer', format: 'int64' },
  },
  { name: 'to', description: 'Only messages to this recipient.', schema: { type: 'string' } },
  {
    name: 'id',
    description: 'Only the message of this id, and those whose id begins with it.',
    schema: { type: 'string', examples: ['4711'] },
  },
  {
    name: 'created_after',
    description: 'Only messages accepted later than this, UTC.',
    schema: { type: 'string', examples: ['2026-11-15T00:00:00'] },
  },
  {
    name: 'created_before',
    description: 'Only messages accepted earlier than this, UTC.',
    schema: { type: 'string', examples: ['2026-11-16T00:00:00'] },
  },
] as const satisfies readonly Parameter[];

/** Undefined when nothing can match, as where a part of it makes no sense. */
export async function readFilter(
  query: Query,
  store: Store,
  applicationId: Id,
): Promise<MessageFilter | undefined> {
  const { state, channel, integration_id, to, id, created_after, created_before } = query;
  const filter: MessageFilter = {};
  if (state !== undefined) {
    filter.states = statesIn(state);
    if (filter.states.length === 0) return undefined;
  }
  if (channel !== undefined || integration_id !== undefined) {
    filter.integrationIds = await integrationsOf(store, applicationId, channel, integration_id);
    if (filter.integrationIds.length === 0) return undefined;
  }
  if (to !== undefined) {
    if (to.includes('\0')) return undefined;
    filter.recipient = to;
  }
  if (id !== undefined) {
    if (!/^[1-9]\d{0,15}$/.test(id)) return undefined;
    filter.idPrefix = id;
  }
  if (created_after !== undefined) {
    const at = parseTimestamp(created_after);
    if (at === undefined) return undefined;
    filter.createdAfter = at;
  }
  if (created_before !== undefined) {
    const at = parseTimestamp(created_before);
    if (at === undefined) return undefined;
    filter.createdBefore = at;
  }
  return filter;
}

/** The states that are named; none when one of them is no state. */
function statesIn(text: string): MessageState[] {
  const names = text.split(',').map((name) => name.trim());
  const states = MESSAGE_STATES.filter((state) => names.includes(state));
  return names.every((name) => states.some((state) => state === name)) ? states : [];
}

async function integrationsOf(
  store: Store,
  applicationId: Id,
  channel: string | undefined,
  named: string | undefined,
): Promise<Id[]> {
  const id = named === undefined ? undefined : parseId(named);
  if (named !== undefined && !id) return [];
  if (channel === undefined) return id ? [id] : [];
  const name = findChannel(channel)?.name;
  const ids = name === undefined ? [] : await store.integrations.idsOf(applicationId, name);
  return id ? ids.filter((one) => one === id) : ids;
}
