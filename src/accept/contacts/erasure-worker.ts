import { isDeepStrictEqual } from 'node:util';

import { consentAddressOf } from '../../channels/consent-address.ts';
import { findChannel } from '../../channels/index.ts';
import type { Id } from '../../model/id.ts';
import type { IntegrationOutline } from '../../model/integration.ts';
import { consentKey } from '../../model/sending/consent.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { OpenErasure, Subject } from '../../store/people/erasures.ts';
import type { Store } from '../../store/store.ts';
import { type FoundPersonalData, findIn } from './find-personal-data.ts';
import { type Place, notationsOf } from './recognize.ts';

/** Erasures that make a step in one round. */
const MAX_OPEN = 10;
/**
 * Wait until all requests that were accepted before their node noticed the erasure are stored. Caches notice changes
 * within 0.9 s.
 */
const GRACE_MS = 3_000;
/** Nodes may have different clocks. */
const MAX_CLOCK_SKEW_MS = 60_000;
const PLACES_PER_STEP = 20;
const MAX_ROWS = 500;
/** Blocks of imports; each has up to 128 KB. */
const BLOCKS_PER_STEP = 4;
/** Pages of vendor ids, or of idempotency keys, per step. */
const PAGES_PER_STEP = 20;

type RemovePage = (
  erasure: OpenErasure,
  integrationId: Id,
  after: string,
  isNamed: (text: string) => boolean,
) => Promise<string | undefined>;

/** Erases people in small steps, each of which can be repeated. */
export class ErasureWorker {
  readonly #store: Store;
  /** Called when the feed of an application has a new event. */
  readonly #changed: (applicationId: Id) => void;
  /** The position of a search by text. Not stored, since it contains names of people. */
  readonly #places = new Map<string, { scope: string; key: string }>();

  constructor(store: Store, changed: (applicationId: Id) => void) {
    this.#store = store;
    this.#changed = changed;
  }

  /** Makes a step of each erasure; returns whether there is more to do at once. */
  async run(now: Millis): Promise<boolean> {
    let hasMore = false;
    for (const erasure of await this.#store.erasures.open(MAX_OPEN)) {
      if (await this.#step(erasure, now)) hasMore = true;
    }
    return hasMore;
  }

  /** Returns whether the next step can follow at once. */
  async #step(erasure: OpenErasure, now: Millis): Promise<boolean> {
    const { erasures } = this.#store;
    switch (erasure.phase) {
      case 'imports':
        return this.#imports(erasure);
      case 'waiting':
        if (now < erasure.createdAt + GRACE_MS) return false;
        await erasures.skip(erasure, { phase: 'messages' });
        return true;
      case 'messages':
      case 'deliveries':
        return this.#messages(erasure, erasure.phase, now);
      case 'events':
        return this.#events(erasure);
      case 'places':
        return this.#placeRows(erasure);
      case 'keys':
        return this.#receivedKeys(erasure);
      case 'requests':
        return this.#requests(erasure);
      case 'errors':
        return this.#importErrors(erasure);
      case 'consents':
        if (await erasures.removeConsents(erasure, MAX_ROWS)) return true;
        await erasures.finish(erasure, now);
        this.#changed(erasure.applicationId);
        return true;
      case 'done':
        return false;
    }
  }

  /** Rows of files that are not imported yet: they would make a contact of the person again. */
  async #imports(erasure: OpenErasure): Promise<boolean> {
    const { erasures } = this.#store;
    const after = { importId: erasure.afterId, number: erasure.afterAt - 1 };
    const next = await erasures.removeImported(erasure, after, BLOCKS_PER_STEP);
    await erasures.skip(
      erasure,
      next
        ? { phase: 'imports', afterId: next.importId, afterAt: next.number + 1 }
        : { phase: 'waiting' },
    );
    return true;
  }

  async #importErrors(erasure: OpenErasure): Promise<boolean> {
    const { erasures } = this.#store;
    const { externalIds } = erasure.subject;
    const isNamed = await this.#personMatcher(erasure, externalIds);
    const after = { importId: erasure.afterId, number: erasure.afterAt };
    const next = await erasures.removeImportErrors(erasure, after, isNamed, MAX_ROWS);
    await erasures.skip(
      erasure,
      next
        ? { phase: 'errors', afterId: next.importId, afterAt: next.number }
        : { phase: 'consents' },
    );
    return true;
  }

  async #messages(
    erasure: OpenErasure,
    phase: 'messages' | 'deliveries',
    now: Millis,
  ): Promise<boolean> {
    const { erasures } = this.#store;
    const { afterAt: at, afterId: id } = erasure;
    const found = await this.#find(erasure);
    const { rows, next } = await found.messagesAfter({ at, id });
    const after = next && { phase, afterAt: next.at, afterId: next.id };
    const end = { phase: phase === 'messages' ? ('events' as const) : ('places' as const) };
    const progress = { ...(after ?? end), ...subjectWith(erasure, found) };
    if (rows.length > 0) return erasures.removeMessages(erasure, rows, progress, now);
    await erasures.skip(erasure, progress);
    return true;
  }

  async #events(erasure: OpenErasure): Promise<boolean> {
    const found = await this.#find(erasure);
    const { events, next } = await found.eventsAfter(erasure.afterId);
    // Includes events that were copied for webhooks since the erasure began.
    const late = { afterAt: Math.max(0, erasure.createdAt - MAX_CLOCK_SKEW_MS), afterId: 0 };
    const after = { afterId: next ?? 0 };
    const progress =
      next === undefined
        ? ({ phase: 'deliveries', ...late } as const)
        : ({ phase: 'events', ...after } as const);
    const ids = events.map(({ id }) => id);
    const whole = { ...progress, ...subjectWith(erasure, found) };
    await this.#store.erasures.removeEvents(erasure, ids, whole);
    return true;
  }

  /** Erases what is stored by address: conversations, windows, chats and the like. */
  async #placeRows(erasure: OpenErasure): Promise<boolean> {
    const { erasures } = this.#store;
    const first = erasure.afterId;
    const integrations = await this.#integrations(erasure.applicationId);
    const all = (await this.#find(erasure)).places();
    for (const place of all.slice(first, first + PLACES_PER_STEP)) {
      const windowAddress = windowAddressOf(place, integrations);
      if (await erasures.removePlace(erasure, { ...place, windowAddress }, MAX_ROWS)) return true;
    }
    const next = first + PLACES_PER_STEP;
    await erasures.skip(
      erasure,
      next < all.length ? { phase: 'places', afterId: next } : { phase: 'keys' },
    );
    return true;
  }

  /** Removes event ids of vendors that contain the address of the person, and reports on messages of other senders. */
  async #receivedKeys(erasure: OpenErasure): Promise<boolean> {
    const { erasures } = this.#store;
    const { applicationId, afterId } = erasure;
    const ids = [...(await this.#integrations(applicationId)).keys()].toSorted((a, b) => a - b);
    const integrationId = ids.find((id) => id > afterId);
    if (integrationId === undefined) {
      await erasures.skip(erasure, { phase: 'requests' });
      return true;
    }
    const isNamed = await this.#personMatcher(erasure);
    const place = `${applicationId} ${erasure.id} ${integrationId}`;
    let { scope, key } = this.#places.get(place) ?? { scope: 'received', key: '' };
    for (let page = 0; page < PAGES_PER_STEP; page++) {
      const remove = scope === 'received' ? this.#removeReceived : this.#removeReports;
      const next = await remove(erasure, integrationId, key, isNamed);
      if (next === undefined && scope === 'reports') {
        this.#places.delete(place);
        await erasures.skip(erasure, { phase: 'keys', afterId: integrationId });
        return true;
      }
      if (next === undefined) [scope, key] = ['reports', ''];
      else key = next;
    }
    this.#places.set(place, { scope, key });
    return true;
  }

  /** Removes a page; returns where to continue. */
  readonly #removeReceived: RemovePage = async (erasure, integrationId, after, isNamed) => {
    const { erasures } = this.#store;
    const { applicationId } = erasure;
    const rows = await erasures.receivedKeys(applicationId, integrationId, after, MAX_ROWS);
    const own = rows.map(({ key }) => key).filter(isNamed);
    await erasures.removeReceivedKeys(erasure, integrationId, own);
    return rows.length < MAX_ROWS ? undefined : rows.at(-1)?.key;
  };

  readonly #removeReports: RemovePage = async (erasure, integrationId, after, isNamed) => {
    const { erasures } = this.#store;
    const { applicationId } = erasure;
    const rows = await erasures.parts(applicationId, integrationId, after, MAX_ROWS);
    const own = rows.filter(
      ({ messageId, channelId, detail }) =>
        messageId === null && (isNamed(channelId) || isNamed(detail ?? '')),
    );
    const ids = own.map(({ channelId }) => channelId);
    await erasures.removeParts(erasure, integrationId, ids);
    return rows.length < MAX_ROWS ? undefined : rows.at(-1)?.channelId;
  };

  /** Responses to repeated requests, filters of jobs, and error texts. */
  async #requests(erasure: OpenErasure): Promise<boolean> {
    const { idempotency, erasures } = this.#store;
    const { applicationId, id, subject } = erasure;
    const isNamed = await this.#personMatcher(erasure);
    const isAbout = (answer: string) => isNamed(answer) || isAnswerAbout(answer, subject);
    const place = `${applicationId} ${id}`;
    let after = this.#places.get(place) ?? { scope: '', key: '' };
    for (let page = 0; page < PAGES_PER_STEP; page++) {
      const next = await idempotency.forgetPerson(applicationId, after, isAbout, MAX_ROWS);
      if (!next) {
        this.#places.delete(place);
        await erasures.removeMentions(erasure, isNamed, { phase: 'errors' });
        return true;
      }
      after = next;
    }
    this.#places.set(place, after);
    return true;
  }

  #find({ applicationId, subject }: OpenErasure): Promise<FoundPersonalData> {
    return findIn(this.#store, applicationId, subject, subject.places);
  }

  async #integrations(applicationId: Id): Promise<ReadonlyMap<Id, IntegrationOutline>> {
    const found = await this.#store.integrations.listOutlines([applicationId]);
    return new Map((found.get(applicationId) ?? []).map((one) => [one.id, one]));
  }

  /** A function that returns whether a text names one of the addresses of the person, or one of `others`. */
  async #personMatcher(
    erasure: OpenErasure,
    others: readonly string[] = [],
  ): Promise<(text: string) => boolean> {
    const places = (await this.#find(erasure)).places();
    const names = [
      ...others,
      ...erasure.subject.addresses.flatMap(notationsOf),
      ...places.map(({ recipient }) => recipient),
    ].map((name) => name.toLowerCase());
    const short = new Set(names);
    // Short ones may be part of anything, such as a number in another number.
    const long = names.filter(({ length }) => length >= MIN_DISTINCT_LENGTH);
    return (text) => {
      const lower = text.toLowerCase();
      if (long.some((name) => lower.includes(name))) return true;
      return lower.split(/[^\p{L}\p{N}+@._-]+/u).some((word) => short.has(word));
    };
  }
}

const MIN_DISTINCT_LENGTH = 8;

/** The change of the subject, if the person was found in a new notation. */
function subjectWith({ subject }: OpenErasure, found: FoundPersonalData): { subject?: Subject } {
  const places = found.places();
  return isDeepStrictEqual(places, subject.places) ? {} : { subject: { ...subject, places } };
}

function windowAddressOf(
  { integrationId, recipient }: Place,
  integrations: ReadonlyMap<Id, IntegrationOutline>,
): string {
  const integration = integrations.get(integrationId);
  const channel = integration && findChannel(integration.name);
  return channel ? consentKey(consentAddressOf(channel, recipient, integration.mode)) : '';
}

/** Whether a stored response is the contact, or one that was merged into it. */
function isAnswerAbout(answer: string, { contactIds }: Subject): boolean {
  const { body } = JSON.parse(answer) as { body?: { id?: unknown; addresses?: unknown } };
  return contactIds.some((id) => body?.id === id) && Array.isArray(body?.addresses);
}
