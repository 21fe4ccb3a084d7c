import type { Sealer } from '../lib/seal.ts';
import type { Id } from '../model/id.ts';
import {
  CREDENTIALS,
  type Credentials,
  type Integration,
  type IntegrationOutline,
} from '../model/integration.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import { type IdempotencyRecord, recordAnswer } from './idempotency.ts';
import { type Page, type PageRequest, page } from './paging.ts';
import type { Schema } from './schema.ts';

/** Every call names the application: an integration of another one is as good as none. */
export class Integrations {
  readonly #engine: Engine;
  readonly #sealer: Sealer;

  constructor(engine: Engine, sealer: Sealer) {
    this.#engine = engine;
    this.#sealer = sealer;
  }

  async get(applicationId: Id, id: Id): Promise<Integration | undefined> {
    const row = await this.#engine.db
      .selectFrom('integrations')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && this.#open(row);
  }

  async list(applicationId: Id, request: PageRequest): Promise<Page<Integration>> {
    const query = this.#engine.db
      .selectFrom('integrations')
      .selectAll()
      .where('applicationId', '=', applicationId);
    const { items, ...rest } = await page(query, request);
    return { items: items.map((row) => this.#open(row)), ...rest };
  }

  /** What routing needs to know of all integrations of an application. */
  async outlines(applicationId: Id): Promise<IntegrationOutline[]> {
    const rows = await this.#engine.db
      .selectFrom('integrations')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .execute();
    return rows.map((row) => {
      const { id, name, state, credentials } = this.#open(row);
      return {
        id,
        name,
        state,
        supplied: CREDENTIALS.filter((field) => credentials[field] !== undefined),
      };
    });
  }

  async insert(integration: Integration, answer?: IdempotencyRecord): Promise<void> {
    const credentials = this.#seal(integration.id, integration.credentials);
    await this.#engine.db.transaction().execute(async (trx) => {
      await recordAnswer(trx, answer);
      await trx
        .insertInto('integrations')
        .values({ ...integration, credentials })
        .execute();
      const { id: integrationId, applicationId } = integration;
      await trx
        .insertInto('ownerships')
        .values({ integrationId, applicationId, fence: 0 })
        .execute();
    });
  }

  /**
   * Changes an integration under a lock, since its credentials are changed one by one but sealed
   * together. If it was paused, it is no longer: somebody has seen to it. Answers whether there was such
   * an integration.
   */
  update(
    applicationId: Id,
    id: Id,
    change: (current: Integration) => Integration,
  ): Promise<boolean> {
    return this.#engine.db.transaction().execute(async (trx) => {
      let query = trx
        .selectFrom('integrations')
        .selectAll()
        .where('applicationId', '=', applicationId)
        .where('id', '=', id);
      // In SQLite, a transaction that writes is alone as it is.
      if (this.#engine.name === 'postgres') query = query.forUpdate();
      const row = await query.executeTakeFirst();
      if (!row) return false;
      const { name, state, credentials, updatedAt } = change(this.#open(row));
      await trx
        .updateTable('integrations')
        .set({ name, state, credentials: this.#seal(id, credentials), updatedAt })
        .where('id', '=', id)
        .execute();
      await trx
        .updateTable('ownerships')
        .set({ pausedReason: null, pausedDetail: null, pausedUntil: null })
        .where('integrationId', '=', id)
        .where('pausedReason', 'is not', null)
        .execute();
      return true;
    });
  }

  /**
   * Puts credentials that the channel has replaced in the place of those that it was asked with, unless
   * somebody else has changed them meanwhile. Answers how they are stored now.
   */
  renew(
    id: Id,
    before: Credentials,
    changed: Credentials,
  ): Promise<{ credentials: Credentials; sealed: string } | undefined> {
    return this.#engine.db.transaction().execute(async (trx) => {
      let query = trx.selectFrom('integrations').selectAll().where('id', '=', id);
      if (this.#engine.name === 'postgres') query = query.forUpdate();
      const row = await query.executeTakeFirst();
      if (!row) return undefined;
      const current = this.#open(row).credentials;
      const names = CREDENTIALS.filter((name) => changed[name] !== undefined);
      if (names.some((name) => current[name] !== before[name])) return undefined;
      const credentials = { ...current, ...changed };
      const sealed = this.#seal(id, credentials);
      await trx
        .updateTable('integrations')
        .set({ credentials: sealed })
        .where('id', '=', id)
        .execute();
      return { credentials, sealed };
    });
  }

  /** Deletes it, and leaves word that its waiting messages are to be canceled. */
  delete(applicationId: Id, id: Id, now: Millis): Promise<boolean> {
    return this.#engine.db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('integrations')
        .where('applicationId', '=', applicationId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      await trx
        .insertInto('purges')
        .values({ kind: 'integration', resourceId: id, applicationId, createdAt: now })
        .execute();
      return true;
    });
  }

  #seal(id: Id, credentials: Credentials): string {
    return this.#sealer.seal(JSON.stringify(credentials), placeOf(id));
  }

  #open(row: Schema['integrations']): Integration {
    return { ...row, credentials: openCredentials(this.#sealer, row.id, row.credentials) };
  }
}

export function openCredentials(sealer: Sealer, id: Id, sealed: string): Credentials {
  return JSON.parse(sealer.open(sealed, placeOf(id))) as Credentials;
}

export const placeOf = (id: Id) => ({ table: 'integrations', row: id, field: 'credentials' });
