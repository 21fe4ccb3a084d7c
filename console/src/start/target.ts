import { queryOptions, useQuery } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import type { Channel, FeedEvent, Integration, Message, Sandbox } from '../api/types.ts';
import { channelsQuery, integrationsQuery } from '../integrations/queries.ts';
import { sandboxQuery } from '../sandbox/queries.ts';
import { isTestChat } from './chat.ts';
import { VISITOR } from './identity.ts';

/* Where the guided start sends its message: to a simulated person, or to the visitor of a web chat. */

export interface Target {
  integration: Integration;
  channel: Channel | undefined;
  /** Undefined for a web chat, which has a page of its own instead of a simulated phone. */
  sandbox: Sandbox | undefined;
  /** The recipient; undefined until it is loaded. */
  to: string | undefined;
  /** Whether people can answer. */
  canAnswer: boolean;
}

const isUsable = (integration: Integration) =>
  integration.state === 'enable' && (integration.mode === 'sandbox' || isTestChat(integration));

/** The chosen integration, or the first one that the guided start can use. */
export function useTarget(
  application: number | undefined,
  chosen: number | undefined,
  person: string | undefined,
): { target: Target | undefined; isPending: boolean } {
  const { data: integrations, isPending } = useQuery({
    ...integrationsQuery(application ?? 0),
    enabled: application !== undefined,
  });
  const usable = integrations?.filter(isUsable);
  const integration = usable?.find(({ id }) => id === chosen) ?? usable?.at(-1);
  const { data: channels } = useQuery(channelsQuery);
  const isSandbox = integration?.mode === 'sandbox';
  const { data: sandbox } = useQuery({
    ...sandboxQuery(application ?? 0, integration?.id ?? 0),
    enabled: isSandbox,
  });
  const target = integration && {
    integration,
    channel: channels?.find(({ name }) => name === integration.name),
    sandbox: isSandbox ? sandbox : undefined,
    to: isSandbox
      ? (person ?? sandbox?.people.find((each) => !each.only_in_rooms)?.address)
      : VISITOR,
    canAnswer: !isSandbox || sandbox?.actions.includes('message') !== false,
  };
  return { target, isPending: application !== undefined && isPending };
}

/** An answer of the recipient, as its event arrived. */
export interface Answer {
  event: FeedEvent;
  text: string;
}

/** Undefined for other events. */
export function answerIn(event: FeedEvent, integration: number, to: string): Answer | undefined {
  if (event.type !== 'message.received') return undefined;
  const { actor, object, generator } = (event.data ?? {}) as {
    actor?: { id?: unknown };
    object?: { content?: unknown; type?: unknown };
    generator?: { id?: unknown };
  };
  if (String(generator?.id) !== String(integration) || actor?.id !== to) return undefined;
  const { content, type } = object ?? {};
  return { event, text: typeof content === 'string' ? content : String(type) };
}

/** The progress of an earlier visit: the last message to the recipient, and the last answer. */
const earlierQuery = (application: number, integration: number, to: string) =>
  queryOptions({
    queryKey: ['application', application, 'earlier-steps', integration, to],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const ask = { application, signal };
      const [messages, events] = await Promise.all([
        api.list<Message>('/1/messages', {
          ...ask,
          query: { integration_id: integration, to, limit: 1 },
        }),
        api.list<FeedEvent>('/1/events', {
          ...ask,
          query: { order: 'desc', type: 'message.received', limit: 10 },
        }),
      ]);
      const answers = events.items.map((event) => answerIn(event, integration, to));
      return { sent: messages.items[0]?.id, answer: answers.find(Boolean) };
    },
  });

export function useEarlierSteps(application: number | undefined, target: Target | undefined) {
  const { data } = useQuery({
    ...earlierQuery(application ?? 0, target?.integration.id ?? 0, target?.to ?? ''),
    enabled: application !== undefined && target?.to !== undefined,
  });
  return data;
}
