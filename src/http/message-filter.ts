import Type, { type Static, type TSchema } from 'typebox';

import { findChannel } from '../channels/index.ts';
import { type Id, parseId } from '../model/id.ts';
import { MESSAGE_STATES, type MessageState } from '../model/message.ts';
import { invalidFields } from '../model/problem.ts';
import { type Millis, parseTimestamp } from '../model/timestamp.ts';
import type { MessageFilter } from '../store/messages/message-filter.ts';
import { RESENDABLE } from '../store/messages/resending.ts';
import type { Store } from '../store/store.ts';
import { Int64 } from './openapi/schemas.ts';
import type { Parameter, Query } from './server/route.ts';

/* Message filters in queries and bodies. */

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
    description: 'Only the message with this id, and messages whose id starts with it.',
    schema: { type: 'string', examples: ['4711'] },
  },
  {
    name: 'created_after',
    description: 'Only messages accepted after this time, UTC.',
    schema: { type: 'string', examples: ['2026-11-15T00:00:00'] },
  },
  {
    name: 'created_before',
    description: 'Only messages accepted before this time, UTC.',
    schema: { type: 'string', examples: ['2026-11-16T00:00:00'] },
  },
] as const satisfies readonly Parameter[];

type FilterName = (typeof FILTERS)[number]['name'];

const Text = Type.String({ minLength: 1, maxLength: 1000 });

/** The filter in a body. Unknown fields are refused: a typo must not select all messages. */
export const FilterSchema = Type.Object(
  {
    state: Type.Optional(Text),
    channel: Type.Optional(Text),
    integration_id: Type.Optional(Int64),
    to: Type.Optional(Text),
    id: Type.Optional(Text),
    created_after: Type.Optional(Text),
    created_before: Type.Optional(Text),
  } satisfies Record<FilterName, TSchema>,
  {
    title: 'MessageFilter',
    description: 'Same as in the query of `GET /1/messages`.',
    additionalProperties: false,
  },
);

interface ReadFilter {
  filter: MessageFilter;
  /** Filters that can match nothing, for example because they are malformed. */
  unmatchable: FilterName[];
}

export async function readFilter(
  query: Query,
  store: Store,
  applicationId: Id,
): Promise<ReadFilter> {
  const { state, channel, integration_id, to, id, created_after, created_before } = query;
  const filter: MessageFilter = {};
  const unmatchable: FilterName[] = [];
  if (state !== undefined) {
    filter.states = statesIn(state);
    if (filter.states.length === 0) unmatchable.push('state');
  }
  if (channel !== undefined || integration_id !== undefined) {
    filter.integrationIds = await integrationsOf(store, applicationId, channel, integration_id);
    if (filter.integrationIds.length === 0) {
      unmatchable.push(channel === undefined ? 'integration_id' : 'channel');
    }
  }
  if (to !== undefined) filter.recipient = to;
  if (id !== undefined) {
    filter.idPrefix = id;
    if (!/^[1-9]\d{0,15}$/.test(id)) unmatchable.push('id');
  }
  if (created_after !== undefined) {
    const at = parseTimestamp(created_after);
    if (at === undefined) unmatchable.push('created_after');
    else filter.createdAfter = at;
  }
  if (created_before !== undefined) {
    const at = parseTimestamp(created_before);
    if (at === undefined) unmatchable.push('created_before');
    else filter.createdBefore = at;
  }
  return { filter, unmatchable };
}

/** The filter of a bulk resend, limited to resendable messages accepted before now. */
export async function readResendFilter(
  given: Static<typeof FilterSchema>,
  store: Store,
  applicationId: Id,
  now: Millis,
): Promise<MessageFilter> {
  const query = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, String(value)]),
  );
  const { filter, unmatchable } = await readFilter(query, store, applicationId);
  const errors = unmatchable.map((name) =>
    fieldError(name, 'is invalid or names no resource of yours'),
  );
  const { states = RESENDABLE } = filter;
  if (!states.every((state) => RESENDABLE.includes(state))) {
    errors.push(fieldError('state', `only ${RESENDABLE.join(', ')} messages can be resent`));
  }
  if (errors.length > 0) throw invalidFields(...errors);
  const createdBefore = Math.min(filter.createdBefore ?? Infinity, now + 1);
  return { ...filter, states, createdBefore };
}

const fieldError = (name: FilterName, detail: string) => ({ pointer: `/filter/${name}`, detail });

/** Parses a list of states; empty if one of them is unknown. */
export function statesIn(text: string): MessageState[] {
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
