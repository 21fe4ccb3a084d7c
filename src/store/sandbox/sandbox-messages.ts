import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Integration } from '../../model/integration.ts';
import type { Millis } from '../../model/timestamp.ts';
import { type Page, type PageRequest, cutToBytes, page } from '../paging.ts';
import { Repository } from '../repository.ts';
import type { SandboxMessage, Schema } from '../schema.ts';

/** A sandbox integration. */
export interface SandboxPlace {
  applicationId: Id;
  integrationId: Id;
}

/** Messages kept per integration. */
export const MAX_SANDBOX_MESSAGES = 1_000;
/** Bytes of their bodies kept per integration. */
export const MAX_SANDBOX_BODY_BYTES = 20 * 1024 * 1024;
/** MAX_SANDBOX_MESSAGES bodies of this length, with up to four bytes per character, cannot exceed the byte limit. */
const SMALL_BODY_LENGTH = MAX_SANDBOX_BODY_BYTES / MAX_SANDBOX_MESSAGES / 4;
/** Bytes of the bodies on a page. */
const PAGE_BYTES = 4 * 1024 * 1024;
const MAX_PEOPLE = 100;

/**
 * Replaces the standing faults if they are still `before`. Several nodes may change them: a node with an outdated
 * `before` reads them again.
 */
export async function replaceBehaviours(
  db: Kysely<Schema>,
  { applicationId, id }: Pick<Integration, 'applicationId' | 'id'>,
  before: string | null,
  after: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('integrations')
    .set({ behaviours: after })
    .where((eb) => eb.and({ applicationId, id }))
    .where('behaviours', 'is not distinct from', before)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The entries on the phones of simulated people. */
export class SandboxMessages extends Repository {
  /** Adds a message, and drops the oldest ones beyond the limits. */
  async insert(message: SandboxMessage): Promise<void> {
    await this.db.insertInto('sandboxMessages').values(message).execute();
    const { applicationId, integrationId } = message;
    await sql`delete from sandbox_messages
      where application_id = ${applicationId} and integration_id = ${integrationId}
        and id <= (select id from sandbox_messages
          where application_id = ${applicationId} and integration_id = ${integrationId}
          order by id desc limit 1 offset ${MAX_SANDBOX_MESSAGES})`.execute(this.db);
    await this.#dropLarge(message, message.body);
  }

  /** Drops the oldest messages beyond the limit of bytes, which only large ones can exceed. */
  async #dropLarge({ applicationId, integrationId }: SandboxPlace, body: string): Promise<void> {
    if (body.length <= SMALL_BODY_LENGTH) return;
    await sql`delete from sandbox_messages
      where application_id = ${applicationId} and integration_id = ${integrationId}
        and id in (select id from (
          select id, sum(octet_length(body)) over (order by id desc) as total from sandbox_messages
          where application_id = ${applicationId} and integration_id = ${integrationId}) as sized
          where total > ${MAX_SANDBOX_BODY_BYTES})`.execute(this.db);
  }

  get({ applicationId, integrationId }: SandboxPlace, id: Id): Promise<SandboxMessage | undefined> {
    return this.db
      .selectFrom('sandboxMessages')
      .selectAll()
      .where((eb) => eb.and({ applicationId, integrationId, id }))
      .executeTakeFirst();
  }

  /** The newest message with this id of the vendor. */
  findByVendorId(
    { applicationId, integrationId }: SandboxPlace,
    vendorId: string,
  ): Promise<SandboxMessage | undefined> {
    return this.db
      .selectFrom('sandboxMessages')
      .selectAll()
      .where((eb) => eb.and({ applicationId, integrationId, vendorId }))
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
  }

  async update(
    { applicationId, integrationId }: SandboxPlace,
    id: Id,
    body: string,
    updatedAt: Millis,
  ): Promise<void> {
    await this.db
      .updateTable('sandboxMessages')
      .set({ body, updatedAt })
      .where((eb) => eb.and({ applicationId, integrationId, id }))
      .execute();
    await this.#dropLarge({ applicationId, integrationId }, body);
  }

  /** Newest first. A page may have fewer entries than its limit if they are very large. */
  async list(
    { applicationId, integrationId }: SandboxPlace,
    request: PageRequest,
    person?: string,
  ): Promise<Page<SandboxMessage>> {
    const ofIntegration = this.db
      .selectFrom('sandboxMessages')
      .where('applicationId', '=', applicationId)
      .where('integrationId', '=', integrationId);
    const all = ofIntegration.select([
      'id',
      'createdAt',
      sql<number>`octet_length(body)`.as('size'),
    ]);
    const ofPerson = person === undefined ? all : all.where('person', '=', person);
    const found = cutToBytes(await page(all, request, ofPerson), request, PAGE_BYTES);
    if (found.items.length === 0) return { ...found, items: [] };
    const ids = found.items.map(({ id }) => id);
    const rows = await ofIntegration.selectAll().where('id', 'in', ids).execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    return { ...found, items: ids.flatMap((id) => byId.get(id) ?? []) };
  }

  /** Messages and actions of people after the entry with this id, oldest first. */
  byPeopleAfter(
    { applicationId, integrationId }: SandboxPlace,
    id: Id,
    limit: number,
  ): Promise<SandboxMessage[]> {
    return this.db
      .selectFrom('sandboxMessages')
      .selectAll()
      .where((eb) => eb.and({ applicationId, integrationId, author: 'person' }))
      .where('id', '>', id)
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  /** When the person last wrote or did something. */
  async lastAction(
    { applicationId, integrationId }: SandboxPlace,
    person: string,
  ): Promise<Millis | undefined> {
    const row = await this.db
      .selectFrom('sandboxMessages')
      .select('createdAt')
      .where((eb) => eb.and({ applicationId, integrationId, person, author: 'person' }))
      .orderBy('createdAt', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.createdAt;
  }

  /** How many messages the person got since they last wrote or did something; undefined if they never did. */
  async sentSinceAction(
    { applicationId, integrationId }: SandboxPlace,
    person: string,
  ): Promise<number | undefined> {
    const ofPerson = this.db
      .selectFrom('sandboxMessages')
      .where((eb) => eb.and({ applicationId, integrationId, person }));
    const last = await ofPerson
      .select('id')
      .where('author', '=', 'person')
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (!last) return undefined;
    const sent = await ofPerson
      .select('id')
      .where('author', '=', 'application')
      .where('id', '>', last.id)
      .execute();
    return sent.length;
  }

  /** The people with messages, most recent first. */
  async people({ applicationId, integrationId }: SandboxPlace): Promise<string[]> {
    const rows = await this.db
      .selectFrom('sandboxMessages')
      .select(['person', ({ fn }) => fn.max('createdAt').as('last')])
      .where((eb) => eb.and({ applicationId, integrationId }))
      .groupBy('person')
      .execute();
    // Sorted here: without an index, SQLite would sort a copy.
    return rows
      .toSorted((a, b) => b.last - a.last)
      .slice(0, MAX_PEOPLE)
      .map(({ person }) => person);
  }

  /** The standing faults, as JSON; null if there are none, undefined if there is no such sandbox integration. */
  async behaviours({
    applicationId,
    id,
  }: Pick<Integration, 'applicationId' | 'id'>): Promise<string | null | undefined> {
    const row = await this.db
      .selectFrom('integrations')
      .select('behaviours')
      .where((eb) => eb.and({ applicationId, id, mode: 'sandbox' }))
      .executeTakeFirst();
    return row?.behaviours;
  }

  /** Replaces the standing faults if they are still `before`; returns whether they were. */
  replaceBehaviours(
    { applicationId, id }: Pick<Integration, 'applicationId' | 'id'>,
    before: string | null,
    after: string | null,
  ): Promise<boolean> {
    return replaceBehaviours(this.db, { applicationId, id }, before, after);
  }

  /** The next id of a message on a phone. */
  nextId(): Promise<Id> {
    return this.engine.nextId();
  }
}
