import { findChannel } from '../../channels/index.ts';
import { type Id, parseId } from '../../model/id.ts';
import type { Message, NewMessage } from '../../model/message.ts';
import type { AddressChoice, SkippedAddress } from '../../model/people/address-choice.ts';
import { type Address, ANY_INTEGRATION } from '../../model/people/contact.ts';
import { Problem } from '../../model/problem.ts';
import { readInstructions } from '../../model/sending/instructions.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Person } from '../../store/people/contacts.ts';
import type { Store } from '../../store/store.ts';
import { consentOf } from '../consent/consent.ts';
import type { Draft, RouteRequest } from '../draft.ts';
import { type Candidate, route } from '../routing.ts';
import { windowOf } from '../window-check.ts';
import { readdress } from './address-changes.ts';
import { recipientFor } from './address.ts';

/* `to.id` may name a contact instead of an address: `contact:42` or `contact:external:ID`, on every channel. */

const CONTACT = 'contact:';
const EXTERNAL = 'contact:external:';

/** Whether the message or one of its routes names a contact. */
export const namesContact = ({ activity, routes }: Draft): boolean =>
  isContact(activity.to.id) || (routes?.some(({ to }) => isContact(to)) ?? false);

const isContact = (id: unknown): boolean => typeof id === 'string' && id.startsWith(CONTACT);

export interface ResolveContext {
  store: Store;
  applicationId: Id;
  integrations: readonly Candidate[];
  now: Millis;
  /** Whether the message will be sent. Dry runs change nothing. */
  willSend: boolean;
}

/** An address and the integration that reaches it. */
interface DeliveryTarget {
  address: Address;
  integration: Candidate;
  recipient: string;
}

/**
 * The draft to the address of the contact that it names. With a `generator`, the address for that integration; without,
 * the best usable one. Throws a Problem if there is none. A draft with routes gets the people whom it names: each route
 * has another address.
 */
export async function resolveContact(draft: Draft, context: ResolveContext): Promise<Draft> {
  if (draft.routes) return { ...draft, people: await peopleIn(draft, draft.routes, context) };
  const at = `${draft.pointer}/to/id`;
  const person = await findPerson(String(draft.activity.to.id), at, context);
  const { activity, pointer } = draft;
  const { generator } = activity;
  const isRouted = generator.id !== undefined || (generator.name ?? '').trim() !== '';
  const usable = person.addresses.filter(({ state }) => state === 'active').toSorted(byPreference);
  if (isRouted) {
    const integration = route(activity, context.integrations, pointer);
    const targets = usable.flatMap((address) => targetsOf(address, [integration]));
    const [target] = targets;
    if (!target) throw noAddress(pointer);
    const ordered = await targetInOrder(person, target, targets, context);
    const because = ordered ? 'order' : 'generator';
    return draftTo(draft, person, ordered ?? target, { because, skipped: [] });
  }
  const skipped: SkippedAddress[] = person.addresses
    .filter(({ state }) => state !== 'active')
    .map(({ id }) => ({ addressId: id, because: 'disabled' }));
  const targets: DeliveryTarget[] = [];
  for (const address of usable) {
    const target = await bestTarget(draft, address, context);
    if ('because' in target) skipped.push(target);
    else targets.push(target);
  }
  const [first, second] = targets;
  if (!first) throw noAddress(pointer);
  const ordered = await targetInOrder(person, first, targets, context);
  const because = ordered ? 'order' : reasonFor(first, second);
  return draftTo(draft, person, ordered ?? first, { because, skipped });
}

/** The people whom the message or its routes name, by the name. */
async function peopleIn(
  { activity, pointer, base = '' }: Draft,
  routes: readonly RouteRequest[],
  context: ResolveContext,
): Promise<ReadonlyMap<string, Person>> {
  const people = new Map<string, Person>();
  const names = [
    { name: activity.to.id, at: `${pointer}/to/id` },
    ...routes.map(({ to }, i) => ({ name: to, at: `${base}/routes/${i}/to` })),
  ];
  for (const { name, at } of names) {
    if (typeof name !== 'string' || !isContact(name) || people.has(name)) continue;
    people.set(name, await findPerson(name, at, context));
  }
  return people;
}

/** The address of a person for a route through this integration; throws a Problem if there is none. */
export function addressVia(
  person: Person,
  integration: Candidate,
  pointer: string,
): { recipient: string; contact: AddressChoice } {
  const usable = person.addresses.filter(({ state }) => state === 'active').toSorted(byPreference);
  const [target] = usable.flatMap((address) => targetsOf(address, [integration]));
  if (!target) {
    const detail = `names a contact without an address on ${integration.name}`;
    throw new Problem('no_address', `the route ${detail}`, { errors: [{ pointer, detail }] });
  }
  const { recipient, address } = target;
  const contactId = person.id;
  const contact = { contactId, addressId: address.id, because: 'route', skipped: [] } as const;
  return { recipient, contact };
}

/**
 * The target on which earlier messages to the person wait, if it is not `first`: later messages must not overtake them.
 * Messages that wait at other or former addresses of the person move to the chosen lane.
 */
async function targetInOrder(
  person: Person,
  first: DeliveryTarget,
  usable: readonly DeliveryTarget[],
  { store, applicationId, now, willSend }: ResolveContext,
): Promise<DeliveryTarget | undefined> {
  const { integration } = first;
  const all = person.addresses.flatMap((address) => targetsOf(address, [integration]));
  const recipients = [...new Set(all.map(({ recipient }) => recipient))];
  if (recipients.length < 2) return undefined;
  const contactIds = async () => [
    person.id,
    ...(await store.merges.list(applicationId, person.id)).map(({ mergedId }) => mergedId),
  ];
  const place = { applicationId, integrationId: integration.id };
  const [last, ...others] = await store.addressMoves.lanesOf(place, recipients, contactIds);
  if (last === undefined) return undefined;
  const isLast = (target: DeliveryTarget) =>
    target.recipient === last && target.integration.id === integration.id;
  const target = usable.find(isLast) ?? first;
  const joining = [last, ...others].filter((recipient) => recipient !== target.recipient);
  const ids = willSend && joining.length > 0 ? await contactIds() : [];
  for (const former of willSend ? joining : []) {
    const move = {
      applicationId,
      integration,
      former,
      recipient: target.recipient,
      contactIds: ids,
    };
    const result = await readdress(store, move, now);
    // Until they can move, the new message waits with them.
    if (result === 'busy' && former === last) return all.find(isLast);
  }
  return target === first ? undefined : target;
}

/**
 * Moves messages whose address the contact has lost in the meantime. Called before the response, so that messages sent
 * after it cannot overtake them.
 */
export async function checkAddresses(
  messages: readonly NewMessage[],
  contacts: readonly ({ contactId: Id } | undefined)[],
  context: Omit<ResolveContext, 'willSend'>,
): Promise<void> {
  for (const [i, message] of messages.entries()) {
    const contact = contacts[i];
    const isQueued = (message.dueAt ?? null) === null;
    if (contact && isQueued) await checkAddress(contact.contactId, message, context);
  }
}

async function checkAddress(
  contactId: Id,
  { integrationId, recipient: former }: Pick<NewMessage, 'integrationId' | 'recipient'>,
  { store, applicationId, integrations, now }: Omit<ResolveContext, 'willSend'>,
): Promise<void> {
  const integration = integrations.find(({ id }) => id === integrationId);
  const person = integration && (await findById(store, applicationId, contactId));
  if (!person) return;
  const usable = person.addresses.filter(({ state }) => state === 'active').toSorted(byPreference);
  const targets = usable.flatMap((address) => targetsOf(address, [integration]));
  const [first] = targets;
  if (!first || targets.some(({ recipient }) => recipient === former)) return;
  const { recipient } = first;
  const move = { applicationId, integration, former, recipient, contactIds: [contactId] };
  await readdress(store, move, now);
}

/** Whether the contact still has the address that was chosen for a message. */
export async function isUsable(store: Store, message: Message): Promise<boolean> {
  const { applicationId, integrationId, recipient, instructions } = message;
  const { contact } = readInstructions(instructions);
  const person = contact && (await findById(store, applicationId, contact.contactId));
  const integration = await store.integrations.get(applicationId, integrationId);
  const channel = integration && findChannel(integration.name);
  if (!person || !channel) return !person;
  return person.addresses.some(
    (address) =>
      address.state === 'active' && recipientFor(channel, integration.mode, address) === recipient,
  );
}

async function findPerson(
  text: string,
  pointer: string,
  { store, applicationId }: ResolveContext,
): Promise<Person> {
  const isExternal = text.startsWith(EXTERNAL);
  const id = isExternal ? undefined : parseId(text.slice(CONTACT.length));
  const person = isExternal
    ? await store.contacts.byExternalId(applicationId, text.slice(EXTERNAL.length))
    : id && (await findById(store, applicationId, id));
  if (person) return person;
  throw problem('unknown_contact', pointer, 'names no contact of the application');
}

/** A contact that was merged is part of another one. */
async function findById(store: Store, applicationId: Id, id: Id): Promise<Person | undefined> {
  const found = await store.contacts.get(applicationId, id);
  if (found) return found;
  const contactId = await store.merges.contactOf(applicationId, id);
  return contactId === undefined ? undefined : store.contacts.get(applicationId, contactId);
}

/** The oldest integration that can send to the address now, or why none can. */
async function bestTarget(
  draft: Draft,
  address: Address,
  { store, applicationId, integrations, now }: ResolveContext,
): Promise<DeliveryTarget | SkippedAddress> {
  const enabled = integrations.filter(
    ({ state, missing }) => state === 'enable' && !missing.length,
  );
  const targets = targetsOf(address, enabled).toSorted(
    (a, b) => a.integration.id - b.integration.id,
  );
  let because: SkippedAddress['because'] = 'no_integration';
  for (const target of targets) {
    const sent = withRecipient(draft, target);
    const consent = await consentOf(store, applicationId, target.integration, sent);
    const isFree = !draft.template && !draft.outsideWindow;
    const window = isFree
      ? await windowOf(store, applicationId, target.integration, sent, now)
      : undefined;
    if (consent?.because) because = 'suppressed';
    else if (window?.state === 'closed') because = 'window_closed';
    else return target;
  }
  return { addressId: address.id, because };
}

function targetsOf(address: Address, integrations: readonly Candidate[]): DeliveryTarget[] {
  const { integrationId } = address;
  return integrations.flatMap((integration) => {
    const { id, channel, mode } = integration;
    if (!channel || (integrationId !== ANY_INTEGRATION && integrationId !== id)) return [];
    const recipient = recipientFor(channel, mode, address);
    return recipient === undefined ? [] : [{ address, integration, recipient }];
  });
}

/** The preferred one, then the one that the person last wrote from. */
const byPreference = (a: Address, b: Address) =>
  a.preference - b.preference || (b.lastInboundAt ?? 0) - (a.lastInboundAt ?? 0) || a.id - b.id;

function reasonFor(
  { address }: DeliveryTarget,
  second: DeliveryTarget | undefined,
): AddressChoice['because'] {
  if (!second) return 'only_usable';
  if (address.preference !== second.address.preference) return 'preference';
  return address.lastInboundAt === second.address.lastInboundAt ? 'first_added' : 'last_inbound';
}

function withRecipient(draft: Draft, { integration, recipient }: DeliveryTarget): Draft {
  const { activity } = draft;
  return {
    ...draft,
    activity: {
      ...activity,
      generator: { ...activity.generator, id: integration.id },
      to: { ...activity.to, id: recipient },
    },
  };
}

/** The text stays as it was written. */
function draftTo(
  draft: Draft,
  { id, timezone }: Person,
  target: DeliveryTarget,
  why: Pick<AddressChoice, 'because' | 'skipped'>,
): Draft {
  const zone = timezone === null ? {} : { zone: timezone };
  const contact = { contactId: id, addressId: target.address.id, ...zone, ...why };
  return { ...withRecipient(draft, target), contact };
}

const noAddress = (pointer: string) =>
  problem('no_address', `${pointer}/to/id`, 'names a contact without a usable address');

const problem = (code: 'unknown_contact' | 'no_address', pointer: string, detail: string) =>
  new Problem(code, `to.id ${detail}`, { errors: [{ pointer, detail }] });
