import type { Kysely } from 'kysely';

import type { Sealer } from '../lib/seal.ts';
import type { Key, KeyInfo, KeyKind, Principal } from '../model/account.ts';
import type { AuditEntry } from '../model/audit.ts';
import type { Id } from '../model/id.ts';
import type { State } from '../model/state.ts';
import type { Millis } from '../model/timestamp.ts';
import { recordAudit } from './audit.ts';
import type { Engine } from './engine.ts';
import { type IdempotencyRecord, recordAnswer } from './idempotency.ts';
import { type Page, type PageRequest, page } from './paging.ts';
import type { Schema } from './schema.ts';

/** What is needed to judge a token: the key that is said to have signed it, and whose it is. */
export interface Signer {
  secret: string;
  state: State;
  expiresAt: Millis | null;
  principal: Principal;
}

const INFO = [
  'id',
  'kind',
  'resourceId',
  'teamId',
  'purpose',
  'state',
  'expiresAt',
  'lastUsedAt',
  'createdAt',
  'updatedAt',
] as const;

export class Keys {
  readonly #engine: Engine;
  readonly #sealer: Sealer;

  constructor(engine: Engine, sealer: Sealer) {
    this.#engine = engine;
    this.#sealer = sealer;
  }

  async insert(key: Key, answer?: IdempotencyRecord, audit?: AuditEntry): Promise<void> {
    await this.#engine.db.transaction().execute(async (trx) => {
      await recordAnswer(trx, answer);
      await this.insertIn(trx, key);
      await recordAudit(trx, audit);
    });
  }

  async insertIn(trx: Kysely<Schema>, key: Key): Promise<void> {
    const secret = this.#sealer.seal(key.secret, placeOf(key.id));
    await trx
      .insertInto('keys')
      .values({ ...key, secret })
      .execute();
  }

  get(kind: KeyKind, id: Id): Promise<KeyInfo | undefined> {
    return this.#engine.db
      .selectFrom('keys')
      .select(INFO)
      .where('kind', '=', kind)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** The keys of a team's users or applications, or of one of them. */
  list(
    teamId: Id,
    kind: KeyKind,
    resourceId: Id | undefined,
    request: PageRequest,
  ): Promise<Page<KeyInfo>> {
    const query = this.#engine.db
      .selectFrom('keys')
      .select(INFO)
      .where('teamId', '=', teamId)
      .where('kind', '=', kind)
      .$if(resourceId !== undefined, (some) => some.where('resourceId', '=', resourceId ?? 0));
    return page(query, request);
  }

  async delete(id: Id, audit?: AuditEntry): Promise<void> {
    await this.#engine.db.transaction().execute(async (trx) => {
      await trx.deleteFrom('keys').where('id', '=', id).execute();
      await recordAudit(trx, audit);
    });
  }

  async deleteExpired(before: Millis): Promise<void> {
    await this.#engine.db.deleteFrom('keys').where('expiresAt', '<', before).execute();
  }

  async touch(id: Id, lastUsedAt: Millis): Promise<void> {
    await this.#engine.db.updateTable('keys').set({ lastUsedAt }).where('id', '=', id).execute();
  }

  /** When these users last called, those of them who have. */
  async lastUses(userIds: readonly Id[]): Promise<Map<Id, Millis>> {
    if (userIds.length === 0) return new Map();
    const rows = await this.#engine.db
      .selectFrom('keys')
      .select(['resourceId', ({ fn }) => fn.max('lastUsedAt').as('lastUsedAt')])
      .where('kind', '=', 'user')
      .where('resourceId', 'in', userIds)
      .where('lastUsedAt', 'is not', null)
      .groupBy('resourceId')
      .execute();
    return new Map(rows.map(({ resourceId, lastUsedAt }) => [resourceId, Number(lastUsedAt)]));
  }

  async signer(id: Id): Promise<Signer | undefined> {
    const key = await this.#engine.db
      .selectFrom('keys')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    const principal = key && (await this.#principal(key));
    if (!principal) return undefined;
    const { state, expiresAt } = key;
    return { secret: this.#sealer.open(key.secret, placeOf(id)), state, expiresAt, principal };
  }

  async #principal({ id: keyId, kind, resourceId }: Key): Promise<Principal | undefined> {
    const { db } = this.#engine;
    if (kind === 'user') {
      const user = await db
        .selectFrom('users')
        .innerJoin('teams', 'teams.id', 'users.teamId')
        .select(['users.id', 'users.teamId', 'users.state', 'teams.ownerId'])
        .where('users.id', '=', resourceId)
        .executeTakeFirst();
      if (!user) return undefined;
      const { id: userId, teamId, state, ownerId } = user;
      return { kind, keyId, userId, teamId, state, ownsTeam: ownerId === userId };
    }
    const application = await db
      .selectFrom('applications')
      .select(['id', 'teamId', 'state'])
      .where('id', '=', resourceId)
      .executeTakeFirst();
    if (!application) return undefined;
    const { id: applicationId, teamId, state } = application;
    return { kind, keyId, applicationId, teamId, state };
  }
}

export const placeOf = (id: Id) => ({ table: 'keys', row: id, field: 'secret' });
