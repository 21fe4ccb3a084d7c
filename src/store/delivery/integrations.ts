import { randomBytes } from 'node:crypto';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import type { Sealer } from '../../lib/crypto/seal.ts';
import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import {
  CREDENTIALS,
  type CredentialName,
  type Credentials,
  ENDPOINT,
  type Integration,
  type IntegrationOutline,
} from '../../model/integration.ts';
import type { MessageOptions } from '../../model/sending/instructions.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import { recordChanges } from '../accounts/changes.ts';
import { isOneOf } from '../id-list.ts';
import { type IdempotencyRecord, recordAnswer } from '../messages/idempotency.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { removeMember } from '../pools/pools.ts';
import { SealedRepository } from '../repository.ts';
import type { IntegrationRow } from '../schema.ts';

const MAX_PER_STATEMENT = 500;

/** The webhook of an integration. */
export interface HookState {
  /** The random part of its URL. */
  random: string;
  registeredAt: Millis | null;
  /** When a request was last accepted. */
  receivedAt: Millis | null;
  /** When and why a request was last refused. */
  refused: { at: Millis; detail: string } | null;
}

/** A webhook request, and why it was refused. */
export interface HookRequestRecord {
  at: Millis;
  refusal?: string | undefined;
}

/** Every method takes the application: integrations of other applications are not found. */
export class Integrations extends SealedRepository {
  async get(applicationId: Id, id: Id): Promise<Integration | undefined> {
    const row = await this.db
      .selectFrom('integrations')
      .selectAll()
      .where((eb) => eb.and({ applicationId, id }))
      .where('name', '!=', ENDPOINT)
      .executeTakeFirst();
    return row && this.#open(row);
  }

  /** The integration of any application, if it has this channel. */
  async ofChannel(id: Id, name: string): Promise<Integration | undefined> {
    const row = await this.db
      .selectFrom('integrations')
      .selectAll()
      .where((eb) => eb.and({ id, name }))
      .executeTakeFirst();
    return row && this.#open(row);
  }

  async list(applicationId: Id, request: PageRequest): Promise<Page<Integration>> {
    const query = this.db
      .selectFrom('integrations')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .where('name', '!=', ENDPOINT);
    const { items, ...rest } = await page(query, request);
    return { items: items.map((row) => this.#open(row)), ...rest };
  }

  /** The outlines of all integrations of these applications, for routing. */
  async listOutlines(applicationIds: readonly Id[]): Promise<Map<Id, IntegrationOutline[]>> {
    const rows = await this.db
      .selectFrom('integrations')
      .select(['id', 'applicationId', 'name', 'state', 'mode', 'supplied', 'options'])
      .where(isOneOf(this.engine, 'applicationId', applicationIds))
      .where('name', '!=', ENDPOINT)
      .execute();
    const found = new Map<Id, IntegrationOutline[]>();
    for (const { id, applicationId, name, state, mode, supplied: names, options } of rows) {
      const supplied = names.split(' ') as CredentialName[];
      const outlines = found.get(applicationId) ?? [];
      outlines.push({ id, name, state, mode, supplied, options: readOptions(options) });
      found.set(applicationId, outlines);
    }
    return found;
  }

  /** The ids of the application's integrations with this channel. */
  async idsOf(applicationId: Id, name: string): Promise<Id[]> {
    const rows = await this.db
      .selectFrom('integrations')
      .select('id')
      .where((eb) => eb.and({ applicationId, name }))
      .execute();
    return rows.map(({ id }) => id);
  }

  /** The channels and modes of integrations of any applications. */
  async namesOf(ids: readonly Id[]): Promise<Map<Id, Pick<Integration, 'name' | 'mode'>>> {
    const names = new Map<Id, Pick<Integration, 'name' | 'mode'>>();
    for (let i = 0; i < ids.length; i += MAX_PER_STATEMENT) {
      const rows = await this.db
        .selectFrom('integrations')
        .select(['id', 'name', 'mode'])
        .where(isOneOf(this.engine, 'id', ids.slice(i, i + MAX_PER_STATEMENT)))
        .execute();
      for (const { id, name, mode } of rows) names.set(id, { name, mode });
    }
    return names;
  }

  async insert(
    integration: Integration,
    answer?: IdempotencyRecord,
    audit?: AuditEntry,
  ): Promise<void> {
    const sealed = this.#seal(integration.id, integration.credentials);
    await this.db.transaction().execute(async (trx) => {
      await recordAnswer(trx, answer);
      await trx
        .insertInto('integrations')
        .values({ ...integration, ...sealed, options: writeOptions(integration.options) })
        .execute();
      const { id: integrationId, applicationId } = integration;
      await trx
        .insertInto('ownerships')
        .values({ integrationId, applicationId, fence: 0 })
        .execute();
      await recordAudit(trx, audit);
      await recordChanges(trx, applicationId);
    });
  }

  /**
   * Changes an integration under a lock, because credentials change one by one but are sealed together. Ends a pause:
   * someone has corrected the integration. Returns whether the integration exists.
   */
  update(
    applicationId: Id,
    id: Id,
    change: (current: Integration) => Integration,
    audit?: AuditEntry,
  ): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      let query = trx
        .selectFrom('integrations')
        .selectAll()
        .where((eb) => eb.and({ applicationId, id }))
        .where('name', '!=', ENDPOINT);
      // SQLite needs no lock: a writing transaction has exclusive access.
      if (this.engine.name === 'postgres') query = query.forUpdate();
      const row = await query.executeTakeFirst();
      if (!row) return false;
      const changed = change(this.#open(row));
      const { name, state, mode, label, account, credentials, options, updatedAt } = changed;
      // The simulator's cursor and webhook are invalid at the vendor.
      const connection = mode === row.mode ? {} : { cursor: null, registeredAt: null };
      await trx
        .updateTable('integrations')
        .set({
          name,
          state,
          mode,
          ...connection,
          label,
          account,
          ...this.#seal(id, credentials),
          options: writeOptions(options),
          updatedAt,
        })
        .where((eb) => eb.and({ applicationId, id }))
        .execute();
      await trx
        .updateTable('ownerships')
        .set({ pausedReason: null, pausedDetail: null, pausedUntil: null })
        .where((eb) => eb.and({ applicationId, integrationId: id }))
        .where('pausedReason', 'is not', null)
        .execute();
      await recordAudit(trx, audit);
      await recordChanges(trx, applicationId);
      return true;
    });
  }

  /**
   * Replaces credentials that the channel has rotated, unless someone else changed them meanwhile. Returns the stored
   * form.
   */
  renew(
    { applicationId, id }: Pick<Integration, 'applicationId' | 'id'>,
    before: Credentials,
    changed: Credentials,
  ): Promise<{ credentials: Credentials; sealed: string } | undefined> {
    return this.db.transaction().execute(async (trx) => {
      let query = trx
        .selectFrom('integrations')
        .selectAll()
        .where('applicationId', '=', applicationId)
        .where('id', '=', id);
      if (this.engine.name === 'postgres') query = query.forUpdate();
      const row = await query.executeTakeFirst();
      if (!row) return undefined;
      const current = this.#open(row).credentials;
      const names = CREDENTIALS.filter((name) => changed[name] !== undefined);
      if (names.some((name) => current[name] !== before[name])) return undefined;
      const credentials = { ...current, ...changed };
      const sealed = this.#seal(id, credentials);
      await trx
        .updateTable('integrations')
        .set(sealed)
        .where((eb) => eb.and({ applicationId, id }))
        .execute();
      await recordChanges(trx, applicationId);
      return { credentials, sealed: sealed.credentials };
    });
  }

  /** Deletes the integration and schedules the cancellation of its queued messages. */
  delete(applicationId: Id, id: Id, now: Millis, audit?: AuditEntry): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('integrations')
        .where((eb) => eb.and({ applicationId, id }))
        .where('name', '!=', ENDPOINT)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      await removeMember(trx, applicationId, id);
      await trx
        .insertInto('purges')
        .values({ kind: 'integration', resourceId: id, applicationId, createdAt: now })
        .execute();
      await recordAudit(trx, audit);
      await recordChanges(trx, applicationId);
      return true;
    });
  }

  /** The integration whose webhook URL ends with this random part. */
  async findByHook(id: Id, random: string): Promise<Integration | undefined> {
    const row = await this.db
      .selectFrom('integrations')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row || row.hook === null) return undefined;
    return equalInConstantTime(this.sealer.open(row.hook, hookPlaceOf(id)), random)
      ? this.#open(row)
      : undefined;
  }

  /** The random part of the webhook URL, created on first use, and when it was registered with the vendor. */
  async hookOf(applicationId: Id, id: Id): Promise<HookState | undefined> {
    const find = () =>
      this.db
        .selectFrom('integrations')
        .select(['hook', 'registeredAt', 'hookReceivedAt', 'hookRefusedAt', 'hookRefusal'])
        .where((eb) => eb.and({ applicationId, id }))
        .where('name', '!=', ENDPOINT)
        .executeTakeFirst();
    let row = await find();
    if (row?.hook === null) {
      const random = randomBytes(16).toString('base64url');
      // A concurrent request may have created it first.
      await this.db
        .updateTable('integrations')
        .set({ hook: this.sealer.seal(random, hookPlaceOf(id)) })
        .where((eb) => eb.and({ applicationId, id }))
        .where('hook', 'is', null)
        .execute();
      row = await find();
    }
    if (!row || row.hook === null) return undefined;
    const { hook, registeredAt, hookReceivedAt, hookRefusedAt, hookRefusal } = row;
    return {
      random: this.sealer.open(hook, hookPlaceOf(id)),
      registeredAt,
      receivedAt: hookReceivedAt,
      refused: hookRefusedAt === null ? null : { at: hookRefusedAt, detail: hookRefusal ?? '' },
    };
  }

  async setRegistered(
    { applicationId, id }: Pick<Integration, 'applicationId' | 'id'>,
    registeredAt: Millis | null,
  ): Promise<void> {
    await this.db
      .updateTable('integrations')
      .set({ registeredAt })
      .where((eb) => eb.and({ applicationId, id }))
      .execute();
  }

  /** Records the last webhook request; an earlier one changes nothing. */
  async setHookRequest(
    { applicationId, id }: Pick<Integration, 'applicationId' | 'id'>,
    { at, refusal }: HookRequestRecord,
  ): Promise<void> {
    const column = refusal === undefined ? 'hookReceivedAt' : 'hookRefusedAt';
    await this.engine.db
      .updateTable('integrations')
      .set(
        refusal === undefined
          ? { hookReceivedAt: at }
          : { hookRefusedAt: at, hookRefusal: refusal },
      )
      .where((eb) => eb.and({ applicationId, id }))
      .where((eb) => eb.or([eb(column, 'is', null), eb(column, '<', at)]))
      .execute();
  }

  /** Stores the account that a check found, unless the integration was changed meanwhile. */
  async setAccount(
    { applicationId, id, updatedAt }: Pick<Integration, 'applicationId' | 'id' | 'updatedAt'>,
    account: string | null,
  ): Promise<void> {
    await this.engine.db
      .updateTable('integrations')
      .set({ account })
      .where('applicationId', '=', applicationId)
      .where('id', '=', id)
      .where('updatedAt', '=', updatedAt)
      .execute();
  }

  /** The position from which listening continues. */
  async cursorOf(applicationId: Id, id: Id): Promise<string | undefined> {
    const row = await this.db
      .selectFrom('integrations')
      .select('cursor')
      .where((eb) => eb.and({ applicationId, id }))
      .executeTakeFirst();
    return row?.cursor ?? undefined;
  }

  #seal(id: Id, credentials: Credentials): { credentials: string; supplied: string } {
    const supplied = CREDENTIALS.filter((field) => credentials[field] !== undefined).join(' ');
    return { credentials: this.sealer.seal(JSON.stringify(credentials), placeOf(id)), supplied };
  }

  #open({
    id,
    applicationId,
    name,
    state,
    mode,
    label,
    account,
    credentials,
    options,
    createdAt,
    updatedAt,
  }: IntegrationRow): Integration {
    return {
      id,
      applicationId,
      name,
      state,
      mode,
      label,
      account,
      credentials: openCredentials(this.sealer, id, credentials),
      options: readOptions(options),
      createdAt,
      updatedAt,
    };
  }
}

function readOptions(stored: string | null): MessageOptions {
  return stored === null ? {} : (JSON.parse(stored) as MessageOptions);
}

function writeOptions(options: MessageOptions): string | null {
  return Object.keys(options).length === 0 ? null : JSON.stringify(options);
}

export function openCredentials(sealer: Sealer, id: Id, sealed: string): Credentials {
  return JSON.parse(sealer.open(sealed, placeOf(id))) as Credentials;
}

export const hookPlaceOf = (id: Id) => ({ table: 'integrations', row: id, field: 'hook' });

export const placeOf = (id: Id) => ({ table: 'integrations', row: id, field: 'credentials' });
