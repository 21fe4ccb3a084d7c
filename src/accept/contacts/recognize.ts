import { consentAddressOf } from '../../channels/consent-address.ts';
import { findChannel } from '../../channels/index.ts';
import { ACTIVITY_EVENTS, type Event } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { IntegrationMode, IntegrationOutline } from '../../model/integration.ts';
import type { Message } from '../../model/message.ts';
import { ANY_INTEGRATION, type AddressKey } from '../../model/people/contact.ts';
import { consentKey } from '../../model/sending/consent.ts';
import { readInstructions } from '../../model/sending/instructions.ts';

/** A contact, with the addresses by which messages and events name the person. */
export interface Identity {
  /** Including the contacts that were merged into it. */
  contactIds: readonly Id[];
  addresses: readonly AddressKey[];
}

/** The address that a message was sent to, or came from. */
export interface Place {
  integrationId: Id;
  /** In the notation of the channel. */
  recipient: string;
}

/** `channel` and `mode` are known if the event names them: its integration may be deleted. */
type NamedPlace = Place & { channel?: string | undefined; mode?: IntegrationMode };

export type OwnedMessage = Pick<
  Message,
  'integrationId' | 'recipient' | 'consentKey' | 'instructions'
>;

/** Recognizes the messages and events of a person, in every notation of the address. */
export class PersonFilter {
  readonly #contactIds: ReadonlySet<Id>;
  /** The integrations that can use an address, by its key. */
  readonly #integrationsOf: ReadonlyMap<string, ReadonlySet<Id>>;
  /** Addresses that belong to no integration, as channels write them, in lower case. */
  readonly #notations: ReadonlySet<string>;
  readonly #integrations: ReadonlyMap<Id, IntegrationOutline>;

  constructor(
    { contactIds, addresses }: Identity,
    integrations: ReadonlyMap<Id, IntegrationOutline>,
  ) {
    this.#contactIds = new Set(contactIds);
    this.#integrations = integrations;
    const keyed = Map.groupBy(addresses, (address) => consentKey(address));
    this.#integrationsOf = new Map(
      [...keyed].map(([key, group]) => [key, new Set(group.map((one) => one.integrationId))]),
    );
    const shared = addresses.filter(({ integrationId }) => integrationId === ANY_INTEGRATION);
    this.#notations = new Set(shared.flatMap(notationsOf).map((one) => one.toLowerCase()));
  }

  /** Whether messages to this place reach the person. */
  isAt({ integrationId, recipient, channel: named, mode = 'live' }: NamedPlace): boolean {
    const integration = this.#integrations.get(integrationId);
    const channel = findChannel(integration?.name ?? named ?? '');
    // The integration is deleted.
    if (!channel) return this.#notations.has(recipient.toLowerCase());
    const address = consentAddressOf(channel, recipient, integration?.mode ?? mode);
    return this.#owns(consentKey(address), integrationId);
  }

  isRecipient({ integrationId, recipient, consentKey: key, instructions }: OwnedMessage): boolean {
    if (this.isAt({ integrationId, recipient })) return true;
    if (key !== null && this.#owns(key, integrationId)) return true;
    return this.#contactIds.has(readInstructions(instructions).contact?.contactId ?? 0);
  }

  /** Whether the event is about the person, or contains what they wrote. */
  isIn(event: Pick<Event, 'type' | 'data'>): boolean {
    const named = namesIn(event);
    return (
      named.contactIds.some((id) => this.#contactIds.has(id)) ||
      named.keys.some((key) => this.#owns(key, ANY_INTEGRATION)) ||
      named.places.some((place) => this.isAt(place))
    );
  }

  /** The places in an event at which messages reach the person. */
  placesIn(event: Pick<Event, 'type' | 'data'>): Place[] {
    return namesIn(event)
      .places.filter((place) => this.isAt(place))
      .map(({ integrationId, recipient }) => ({ integrationId, recipient }));
  }

  #owns(key: string, integrationId: Id): boolean {
    const integrations = this.#integrationsOf.get(key);
    if (!integrations) return false;
    return (
      integrationId === ANY_INTEGRATION ||
      integrations.has(ANY_INTEGRATION) ||
      integrations.has(integrationId)
    );
  }
}

/** The ways in which channels write an address: `+49…`, `49…`, `whatsapp:+49…`. */
export function notationsOf({ family, address }: Pick<AddressKey, 'family' | 'address'>): string[] {
  const network = family.replace(/^sandbox\./, '');
  const digits = address.replace(/^\+/, '');
  return [...new Set([address, digits, `${network}:${address}`, `${network}:${digits}`])];
}

interface NamedPeople {
  places: NamedPlace[];
  /** Keys of addresses. */
  keys: string[];
  contactIds: Id[];
}

interface PersonReference {
  type?: string;
  id?: unknown;
  alsoKnownAs?: unknown;
}

/** All members of event data that can name a person. */
interface EventData {
  contact_id?: Id;
  integration_id?: Id;
  channel?: string;
  sandbox?: boolean;
  to?: unknown;
  sender?: unknown;
  from?: { integration_id?: Id; to?: unknown };
  previous?: PersonReference;
  current?: PersonReference;
  contact?: PersonReference;
  generator?: { id?: string; name?: string };
  actor?: PersonReference;
  object?: PersonReference & { attributedTo?: PersonReference };
  family?: string;
  address?: string;
}

function namesIn({ type, data: json }: Pick<Event, 'type' | 'data'>): NamedPeople {
  const data = JSON.parse(json) as EventData;
  // The report of the erasure itself stays.
  const isNamed = data.contact_id !== undefined && type !== 'contact.erased';
  const contactIds = isNamed ? [data.contact_id ?? 0] : [];
  const mode = data.sandbox ? 'sandbox' : 'live';
  if (ACTIVITY_EVENTS.has(type)) {
    const { generator, actor, object } = data;
    const people = [actor, object?.attributedTo, ...(object?.type === 'Person' ? [object] : [])];
    const place = { integrationId: Number(generator?.id), channel: generator?.name, mode } as const;
    const places = people.flatMap(idsOf).map((recipient) => Object.assign({ recipient }, place));
    return { places, keys: [], contactIds };
  }
  const { family, address, from, channel, integration_id: integrationId = 0 } = data;
  const isKey = typeof family === 'string' && typeof address === 'string';
  const people = [data.previous, data.current, data.contact].flatMap(idsOf);
  const recipients = [data.to, data.sender, ...people].filter(isText);
  const places: NamedPlace[] = recipients.map((recipient) => ({
    integrationId,
    channel,
    mode,
    recipient,
  }));
  if (isText(from?.to)) {
    places.push({ integrationId: from.integration_id ?? 0, mode, recipient: from.to });
  }
  return { places, keys: isKey ? [consentKey({ family, address })] : [], contactIds };
}

const isText = (value: unknown): value is string => typeof value === 'string';

function idsOf(reference: PersonReference | undefined): string[] {
  if (!reference) return [];
  const { id, alsoKnownAs } = reference;
  const others: readonly unknown[] = Array.isArray(alsoKnownAs) ? alsoKnownAs : [];
  return [id, ...others].filter(isText);
}
