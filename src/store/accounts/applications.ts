import { type Kysely, type SqlBool, sql } from 'kysely';

import { newWebhookSecret } from '../../lib/crypto/standard-webhooks.ts';
import { chunksOf } from '../../lib/runtime/chunks.ts';
import type { Application } from '../../model/application.ts';
import type { AuditEntry } from '../../model/audit.ts';
import { type Id, parseId } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import type { Endpoints } from '../feed/endpoints.ts';
import { isOneOf } from '../id-list.ts';
import { type IdempotencyRecord, recordAnswer } from '../messages/idempotency.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { recordAudit } from './audit.ts';
import { recordChanges } from './changes.ts';

const MAX_IDS_PER_STATEMENT = 500;
/** Names that one statement of a search compares. */
const ROWS_PER_SEARCH = 2_000;

/** Every method except `get` takes the team: applications of other teams are not found. */
export class Applications extends Repository {
  readonly #endpoints: Endpoints;

  constructor(engine: Engine, endpoints: Endpoints) {
    super(engine);
    this.#endpoints = endpoints;
  }

  get(id: Id): Promise<Application | undefined> {
    return this.db.selectFrom('applications').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** The team of each enabled application. */
  async enabled(ids: ReadonlySet<Id>): Promise<Map<Id, Id>> {
    const teams = new Map<Id, Id>();
    for (const chunk of chunksOf([...ids], MAX_IDS_PER_STATEMENT)) {
      const rows = await this.db
        .selectFrom('applications')
        .select(['id', 'teamId'])
        .where(isOneOf(this.engine, 'id', chunk))
        .where('state', '=', 'enable')
        .execute();
      for (const { id, teamId } of rows) teams.set(id, teamId);
    }
    return teams;
  }

  /** Applications whose name contains `search` or whose id equals it; `#17` is only an id. An empty text matches all. */
  list(teamId: Id, request: PageRequest, search = ''): Promise<Page<Application>> {
    const all = this.db.selectFrom('applications').selectAll().where('teamId', '=', teamId);
    if (search === '') return page(all, request);
    const pattern = `%${search.replaceAll(/[%_!]/g, '!$&')}%`;
    const matches = sql<SqlBool>`lower(name) like lower(${pattern}) escape '!'`;
    const id = parseId(search.replace(/^#(?=\d)/, ''));
    if (id !== undefined && search.startsWith('#')) {
      return page(all, request, all.where('id', '=', id));
    }
    const matching = all.where((eb) =>
      id === undefined ? matches : eb.or([matches, eb('id', '=', id)]),
    );
    return page(all, request, matching, { rows: all, size: ROWS_PER_SEARCH });
  }

  async insert(
    application: Application,
    answer?: IdempotencyRecord,
    audit?: AuditEntry,
  ): Promise<void> {
    const endpoint = await this.#newEndpoint();
    await this.db.transaction().execute(async (trx) => {
      await recordAnswer(trx, answer);
      await trx.insertInto('applications').values(application).execute();
      const { id: applicationId, webhookUrl, createdAt } = application;
      await trx.insertInto('feeds').values({ applicationId, last: 0, lastAt: 0 }).execute();
      await this.#endpoints.set(trx, applicationId, webhookUrl, endpoint, createdAt);
      await recordAudit(trx, audit);
    });
  }

  /** Returns whether the application exists. */
  async update(
    teamId: Id,
    id: Id,
    change: Partial<Pick<Application, 'name' | 'state' | 'webhookUrl' | 'uncertain'>> &
      Pick<Application, 'updatedAt'>,
    audit?: AuditEntry,
  ): Promise<boolean> {
    const { webhookUrl, updatedAt } = change;
    const endpoint = await this.#newEndpoint();
    return this.db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('applications')
        .set(change)
        .where((eb) => eb.and({ teamId, id }))
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      if (webhookUrl !== undefined) {
        await this.#endpoints.set(trx, id, webhookUrl, endpoint, updatedAt);
      }
      await recordAudit(trx, audit);
      await recordChanges(trx, id);
      return true;
    });
  }

  /** The id and secret for a new endpoint. */
  async #newEndpoint(): Promise<{ id: Id; secret: string }> {
    return { id: await this.engine.nextId(), secret: newWebhookSecret() };
  }

  /**
   * Deletes the application with its keys and integrations, and schedules the purge of its messages. Returns whether
   * the application existed.
   */
  delete(teamId: Id, id: Id, now: Millis, audit?: AuditEntry): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('applications')
        .where((eb) => eb.and({ teamId, id }))
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      await deleteBelongings(trx, id);
      await trx
        .insertInto('purges')
        .values({ kind: 'application', resourceId: id, applicationId: id, createdAt: now })
        .execute();
      await recordAudit(trx, audit);
      await recordChanges(trx, id);
      return true;
    });
  }
}

/** Deletes keys, integrations, pools and templates. The purge finds those created during the deletion. */
export async function deleteBelongings(trx: Kysely<Schema>, applicationId: Id): Promise<void> {
  // The endpoint before its integration: the lock order of all changes to endpoints.
  await trx.deleteFrom('endpoints').where('applicationId', '=', applicationId).execute();
  await trx.deleteFrom('integrations').where('applicationId', '=', applicationId).execute();
  await trx.deleteFrom('jobs').where('applicationId', '=', applicationId).execute();
  await trx.deleteFrom('contactImports').where('applicationId', '=', applicationId).execute();
  await trx.deleteFrom('poolMembers').where('applicationId', '=', applicationId).execute();
  await trx.deleteFrom('pools').where('applicationId', '=', applicationId).execute();
  await trx.deleteFrom('templateVersions').where('applicationId', '=', applicationId).execute();
  await trx.deleteFrom('templates').where('applicationId', '=', applicationId).execute();
  await trx.deleteFrom('retentions').where('applicationId', '=', applicationId).execute();
  await trx.deleteFrom('feeds').where('applicationId', '=', applicationId).execute();
  await trx
    .deleteFrom('keys')
    .where((eb) => eb.and({ kind: 'application', resourceId: applicationId }))
    .execute();
}
