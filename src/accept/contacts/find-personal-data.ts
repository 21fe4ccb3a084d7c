import { findChannel } from '../../channels/index.ts';
import type { Event } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { IntegrationOutline } from '../../model/integration.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { OutboxPlace, OutboxRow } from '../../store/people/personal-data.ts';
import type { Store } from '../../store/store.ts';
import { type Identity, PersonFilter, type Place, notationsOf } from './recognize.ts';

/** Rows of the outbox, and events, per statement. */
const OUTBOX_PAGE = 1_000;
const EVENT_PAGE = 500;
/** An address has few notations. */
const MAX_PLACES = 1_000;

/** The messages and events of a person, page by page. */
export class FoundPersonalData {
  readonly #store: Store;
  readonly #applicationId: Id;
  readonly #filter: PersonFilter;
  /** Addresses of the person in messages and events, by integration and notation. */
  readonly #places: Map<string, Place>;

  constructor(store: Store, applicationId: Id, filter: PersonFilter, places: readonly Place[]) {
    this.#store = store;
    this.#applicationId = applicationId;
    this.#filter = filter;
    this.#places = new Map(places.map((place) => [keyOf(place), place]));
  }

  /** The messages to the person, oldest first. */
  async *messages(): AsyncGenerator<OutboxRow[]> {
    let after = { at: 0, id: 0 };
    for (;;) {
      const { rows, next } = await this.messagesAfter(after);
      const messages = rows.filter(({ type }) => type !== 'Event');
      if (messages.length > 0) yield messages;
      if (!next) return;
      after = next;
    }
  }

  /** The person's messages and webhook deliveries in the next page of the outbox, and where to continue. */
  async messagesAfter(after: OutboxPlace, limit = OUTBOX_PAGE) {
    const page = await this.#store.personalData.outbox(this.#applicationId, after, limit);
    const routed = page.flatMap(({ id, route }) => (route === null ? [] : [id]));
    const routes = await this.#store.personalData.routes(this.#applicationId, routed);
    const byRoute = new Set(
      routes
        .filter((route) => this.#filter.isRecipient({ ...route, instructions: null }))
        .map(({ messageId }) => messageId),
    );
    const rows = page.filter((row) =>
      row.event === null
        ? this.#filter.isRecipient(row) || byRoute.has(row.id)
        : this.#filter.isIn(eventIn(row.event)),
    );
    for (const row of rows) if (row.event === null) this.#note([row]);
    return { rows, next: placeAfter(page, limit) };
  }

  /**
   * Messages to the known addresses of the person that are queued or scheduled, and were accepted up to a time: the
   * next page, and where to continue.
   */
  async waitingMessages(after: OutboxPlace, upTo: Millis, limit: number) {
    const recipients = [...new Set(this.places().map(({ recipient }) => recipient))];
    const range = { after, upTo, limit };
    const page = await this.#store.personalData.waiting(this.#applicationId, recipients, range);
    return {
      rows: page.filter((row) => this.#filter.isRecipient(row)),
      next: placeAfter(page, limit),
    };
  }

  /** The events about the person, and those with what the person wrote, oldest first. */
  async *events(): AsyncGenerator<Event[]> {
    for (let after = 0; ;) {
      const { events, next } = await this.eventsAfter(after);
      if (events.length > 0) yield events;
      if (next === undefined) return;
      after = next;
    }
  }

  /** The person's events in the next page of the feed, and where to continue. */
  async eventsAfter(after: number, limit = EVENT_PAGE) {
    const page = await this.#store.events.list(this.#applicationId, after, limit);
    const events = page.filter((event) => this.#filter.isIn(event));
    for (const event of events) this.#note(this.#filter.placesIn(event));
    return { events, next: page.at(-1)?.id };
  }

  /** Addresses found so far. */
  places(): Place[] {
    return [...this.#places.values()];
  }

  #note(places: readonly Place[]): void {
    for (const { integrationId, recipient } of places) {
      const place = { integrationId, recipient };
      if (this.#places.size >= MAX_PLACES || !this.#filter.isAt(place)) continue;
      this.#places.set(keyOf(place), place);
    }
  }
}

/** Finds the messages and events of a person in an application. `places` are those where the person was found before. */
export async function findIn(
  store: Store,
  applicationId: Id,
  identity: Identity,
  places: readonly Place[] = [],
): Promise<FoundPersonalData> {
  const found = await store.integrations.listOutlines([applicationId]);
  const outlines = found.get(applicationId) ?? [];
  const filter = new PersonFilter(identity, new Map(outlines.map((one) => [one.id, one])));
  const identityPlaces = placesOf(identity, outlines).filter((place) => filter.isAt(place));
  return new FoundPersonalData(store, applicationId, filter, [...places, ...identityPlaces]);
}

/** Each address in each notation, through each integration. */
function placesOf({ addresses }: Identity, integrations: readonly IntegrationOutline[]): Place[] {
  return integrations.flatMap(({ id: integrationId, name }) => {
    const normalize = findChannel(name)?.recipient.normalize;
    const notations = addresses.flatMap(notationsOf);
    const written = notations.flatMap((one) => (normalize ? [one, normalize(one)] : [one]));
    return [...new Set(written)].map((recipient) => ({ integrationId, recipient }));
  });
}

const keyOf = ({ integrationId, recipient }: Place) => `${integrationId} ${recipient}`;

/** The event that a webhook delivery contains. */
function eventIn(body: string): Pick<Event, 'type' | 'data'> {
  const { type, data } = JSON.parse(body) as { type: Event['type']; data: unknown };
  return { type, data: JSON.stringify(data) };
}

/** Where to continue in the outbox after a page; undefined after the last one. */
function placeAfter(page: readonly OutboxRow[], limit: number): OutboxPlace | undefined {
  const last = page.at(-1);
  return last && page.length === limit ? { at: last.createdAt, id: last.id } : undefined;
}
