import { type Id, parseId } from '../../model/id.ts';
import type { AddressChoice, SkippedAddress } from '../../model/people/choice.ts';
import { type Address, ANY_INTEGRATION } from '../../model/people/contact.ts';
import { Problem, invalidFields } from '../../model/problem.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Person } from '../../store/people/contacts.ts';
import type { Store } from '../../store/store.ts';
import { consentOf } from '../consent/consent.ts';
import type { Draft } from '../draft.ts';
import { type Candidate, route } from '../routing.ts';
import { windowOf } from '../window-check.ts';
import { recipientFor } from './address.ts';

/* `to.id` may name a contact instead of an address: `contact:42` or `contact:external:ID`, on every channel. */

const CONTACT = 'contact:';
const EXTERNAL = 'contact:external:';

/** Also if only a route does. */
export const namesContact = ({ activity, routes = [] }: Draft): boolean =>
  [activity.to.id, ...routes.map(({ to }) => to)].some((id) => String(id).startsWith(CONTACT));

export interface ResolveContext {
  store: Store;
  applicationId: Id;
  integrations: readonly Candidate[];
  now: Millis;
}

/** An address and the integration that reaches it. */
interface Way {
  address: Address;
  integration: Candidate;
  recipient: string;
}

/**
 * The draft to the address of the contact that it names. With a `generator`, the address for that integration; without,
 * the best usable one. Throws a Problem if there is none.
 */
export async function resolveContact(draft: Draft, context: ResolveContext): Promise<Draft> {
  if (draft.routes) throw noRoutes(draft);
  const person = await findPerson(draft, context);
  const { activity, pointer } = draft;
  const { generator } = activity;
  const isRouted = generator.id !== undefined || (generator.name ?? '').trim() !== '';
  const usable = person.addresses.filter(({ state }) => state === 'active').toSorted(byPreference);
  if (isRouted) {
    const integration = route(activity, context.integrations, pointer);
    const [way] = usable.flatMap((address) => waysTo(address, [integration]));
    if (!way) throw noAddress(pointer);
    return chosen(draft, person, way, { because: 'generator', skipped: [] });
  }
  const skipped: SkippedAddress[] = person.addresses
    .filter(({ state }) => state !== 'active')
    .map(({ id }) => ({ addressId: id, because: 'disabled' }));
  const ways: Way[] = [];
  for (const address of usable) {
    const way = await bestWay(draft, address, context);
    if ('because' in way) skipped.push(way);
    else ways.push(way);
  }
  const [first, second] = ways;
  if (!first) throw noAddress(pointer);
  return chosen(draft, person, first, { because: reasonFor(first, second), skipped });
}

async function findPerson(
  { activity, pointer }: Draft,
  { store, applicationId }: ResolveContext,
): Promise<Person> {
  const text = String(activity.to.id);
  const isExternal = text.startsWith(EXTERNAL);
  const id = isExternal ? undefined : parseId(text.slice(CONTACT.length));
  const person = isExternal
    ? await store.contacts.byExternalId(applicationId, text.slice(EXTERNAL.length))
    : id && (await store.contacts.get(applicationId, id));
  if (person) return person;
  throw problem('unknown_contact', pointer, 'names no contact of the application');
}

/** The oldest integration that can send to the address now, or why none can. */
async function bestWay(
  draft: Draft,
  address: Address,
  { store, applicationId, integrations, now }: ResolveContext,
): Promise<Way | SkippedAddress> {
  const enabled = integrations.filter(
    ({ state, missing }) => state === 'enable' && !missing.length,
  );
  const ways = waysTo(address, enabled).toSorted((a, b) => a.integration.id - b.integration.id);
  let because: SkippedAddress['because'] = 'no_integration';
  for (const way of ways) {
    const sent = withRecipient(draft, way);
    const consent = await consentOf(store, applicationId, way.integration, sent);
    const isFree = !draft.template && !draft.outsideWindow;
    const window = isFree
      ? await windowOf(store, applicationId, way.integration, sent, now)
      : undefined;
    if (consent?.because) because = 'suppressed';
    else if (window?.state === 'closed') because = 'window_closed';
    else return way;
  }
  return { addressId: address.id, because };
}

function waysTo(address: Address, integrations: readonly Candidate[]): Way[] {
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

function reasonFor({ address }: Way, second: Way | undefined): AddressChoice['because'] {
  if (!second) return 'only_usable';
  if (address.preference !== second.address.preference) return 'preference';
  return address.lastInboundAt === second.address.lastInboundAt ? 'first_added' : 'last_inbound';
}

function withRecipient(draft: Draft, { integration, recipient }: Way): Draft {
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
function chosen(
  draft: Draft,
  { id }: Person,
  way: Way,
  why: Pick<AddressChoice, 'because' | 'skipped'>,
): Draft {
  const contact = { contactId: id, addressId: way.address.id, ...why };
  return { ...withRecipient(draft, way), contact };
}

const noRoutes = ({ base = '' }: Draft) =>
  invalidFields({
    pointer: `${base}/routes`,
    detail: 'is not for messages to contacts; give each route the address in `to`',
  });

const noAddress = (pointer: string) =>
  problem('no_address', pointer, 'names a contact without a usable address');

function problem(code: 'unknown_contact' | 'no_address', pointer: string, detail: string): Problem {
  return new Problem(code, `to.id ${detail}`, {
    errors: [{ pointer: `${pointer}/to/id`, detail }],
  });
}
