import { recipientFor } from '../../accept/contacts/address.ts';
import { consentAddressOf } from '../../channels/consent-address.ts';
import { findChannel } from '../../channels/index.ts';
import { currentWindow } from '../../compose/current-window.ts';
import { readHtml, readMarkdown } from '../../lib/rich-text/readers.ts';
import { charactersOf } from '../../lib/rich-text/rich-text.ts';
import { type ActivityObject, markupOf } from '../../model/activity.ts';
import type { Event } from '../../model/event.ts';
import { type Id, parseId } from '../../model/id.ts';
import type { IntegrationOutline } from '../../model/integration.ts';
import type { Message } from '../../model/message.ts';
import { ANY_INTEGRATION, type Address, type Contact } from '../../model/people/contact.ts';
import type { Conversation } from '../../model/people/conversation.ts';
import { type Millis, timestamp } from '../../model/timestamp.ts';
import type { Store } from '../../store/store.ts';

/** Characters shown of the last message. */
const PREVIEW_LENGTH = 200;
/** Characters of a text with markup that are parsed. */
const MAX_READ_LENGTH = 2_000;

/** Conversations as the API shows them. Each kind of detail is read for all of them at once. */
export async function conversationViews(
  store: Store,
  applicationId: Id,
  conversations: readonly Conversation[],
  now: Millis,
) {
  const integrations = await integrationsOf(store, applicationId);
  const [contacts, lasts] = await Promise.all([
    contactsOf(store, applicationId, conversations, integrations),
    lastMessages(store, applicationId, conversations),
  ]);
  return Promise.all(
    conversations.map(async (conversation) => {
      const { id, createdAt, integrationId, recipient, name, unread, lastAt } = conversation;
      const integration = integrations.get(integrationId);
      return {
        id,
        created_at: timestamp(createdAt),
        integration_id: integrationId,
        channel: integration?.name ?? 'unknown',
        to: recipient,
        name,
        contact: contacts.get(id) ?? null,
        unread,
        last_at: timestamp(lastAt),
        last: lasts.get(id) ?? null,
        window: integration ? await windowOf(store, conversation, integration, now) : null,
      };
    }),
  );
}

async function integrationsOf(
  store: Store,
  applicationId: Id,
): Promise<ReadonlyMap<Id, IntegrationOutline>> {
  const found = await store.integrations.listOutlines([applicationId]);
  return new Map((found.get(applicationId) ?? []).map((one) => [one.id, one]));
}

/** The conversations of a contact, the newest message first. */
export async function conversationsOf(store: Store, applicationId: Id, text: string) {
  const id = parseId(text);
  const person = id && (await store.contacts.get(applicationId, id));
  if (!person) return [];
  const pairs = await pairsOf(store, applicationId, person.addresses);
  return newestFirst(await store.conversations.at(applicationId, pairs));
}

/** Contacts whose conversations a search finds. */
const MAX_FOUND_CONTACTS = 50;
/** Pairs of integration and recipient that a search looks up. */
const MAX_PAIRS = 5_000;

/**
 * Up to `limit` conversations, the newest message first: those whose recipient or name begins with the prefix, and those
 * of contacts that a search for the prefix finds.
 */
export async function searchConversations(
  store: Store,
  applicationId: Id,
  prefix: string,
  limit: number,
): Promise<Conversation[]> {
  const [own, { items: people }] = await Promise.all([
    store.conversations.search(applicationId, prefix, limit),
    store.contacts.search(applicationId, prefix, { limit: MAX_FOUND_CONTACTS }),
  ]);
  const addresses = people.flatMap((person) => person.addresses);
  const pairs = await pairsOf(store, applicationId, addresses);
  const theirs = await store.conversations.at(applicationId, pairs.slice(0, MAX_PAIRS));
  const all = new Map([...own, ...theirs].map((one) => [one.id, one]));
  return newestFirst([...all.values()]).slice(0, limit);
}

const newestFirst = (conversations: readonly Conversation[]) =>
  conversations.toSorted((a, b) => b.lastAt - a.lastAt || b.id - a.id);

/** The conversations that these addresses can have: each through each integration that reaches it. */
async function pairsOf(store: Store, applicationId: Id, addresses: readonly Address[]) {
  if (addresses.length === 0) return [];
  const integrations = await integrationsOf(store, applicationId);
  return addresses.flatMap((address) =>
    [...integrations.values()].flatMap(({ id: integrationId, name, mode }) => {
      const channel = findChannel(name);
      const isOwn = [ANY_INTEGRATION, integrationId].includes(address.integrationId);
      const recipient = channel && isOwn && recipientFor(channel, mode, address);
      return recipient
        ? [{ integrationId, recipient: channel.recipient.normalize?.(recipient) ?? recipient }]
        : [];
    }),
  );
}

const contactView = ({ id, name, externalId }: Contact) => ({ id, name, external_id: externalId });

async function contactsOf(
  store: Store,
  applicationId: Id,
  conversations: readonly Conversation[],
  integrations: ReadonlyMap<Id, IntegrationOutline>,
) {
  const keys = conversations.flatMap(({ id, integrationId, recipient }) => {
    const integration = integrations.get(integrationId);
    const channel = integration && findChannel(integration.name);
    if (!channel) return [];
    const address = consentAddressOf(channel, recipient, integration.mode);
    return [{ id, key: { ...address, integrationId } }];
  });
  const found = await store.contacts.ofAddresses(
    applicationId,
    keys.map(({ key }) => key),
  );
  return new Map(
    keys.flatMap(({ id }, i) => {
      const contact = found[i];
      return contact ? [[id, contactView(contact)] as const] : [];
    }),
  );
}

async function lastMessages(
  store: Store,
  applicationId: Id,
  conversations: readonly Conversation[],
) {
  const [events, messages] = await Promise.all([
    store.events.getAll(
      applicationId,
      conversations.flatMap(({ lastEvent }) => lastEvent ?? []),
    ),
    store.messages.getAll(
      applicationId,
      conversations.flatMap(({ lastMessage }) => lastMessage ?? []),
    ),
  ]);
  const eventById = new Map(events.map((event) => [event.id, event]));
  const messageById = new Map(messages.map((message) => [message.id, message]));
  return new Map(
    conversations.map(({ id, lastEvent, lastMessage }) => {
      const event = lastEvent === null ? undefined : eventById.get(lastEvent);
      const message = lastMessage === null ? undefined : messageById.get(lastMessage);
      return [id, newest(event, message)] as const;
    }),
  );
}

function newest(event: Event | undefined, message: Message | undefined) {
  if (event && (!message || event.createdAt > message.createdAt)) {
    return { direction: 'in', at: timestamp(event.createdAt), text: textOf(event.data) };
  }
  if (!message) return undefined;
  const { createdAt, state, activity } = message;
  return { direction: 'out', at: timestamp(createdAt), state, text: textOf(activity) };
}

function textOf(activity: string): string | null {
  const { object } = JSON.parse(activity) as { object?: ActivityObject };
  const { content, name } = object ?? {};
  const written: unknown = content ?? name;
  if (!object || typeof written !== 'string') return null;
  const text = withoutMarkup(object, written.slice(0, MAX_READ_LENGTH));
  return text === '' ? null : text.slice(0, PREVIEW_LENGTH).toWellFormed();
}

/** Markup is not part of what people read. */
function withoutMarkup(object: ActivityObject, text: string): string {
  const isTyped = typeof object.mediaType === 'string';
  const markup = isTyped ? markupOf(object) : undefined;
  if (markup === undefined) return text;
  return charactersOf(markup === 'html' ? readHtml(text) : readMarkdown(text)).trim();
}

async function windowOf(
  store: Store,
  { applicationId, integrationId, recipient }: Conversation,
  { name, mode, supplied }: IntegrationOutline,
  now: Millis,
) {
  const channel = findChannel(name);
  const window =
    channel &&
    (await currentWindow(
      channel,
      { recipient, mode, supplied, options: {} },
      (address) => store.windows.find({ applicationId, integrationId }, address),
      now,
    ));
  if (!window) return null;
  return { state: window.state, until: window.until === null ? null : timestamp(window.until) };
}
