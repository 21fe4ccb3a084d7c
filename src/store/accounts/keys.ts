import type { Kysely } from 'kysely';

import { chunksOf } from '../../lib/runtime/chunks.ts';
import type { Key, KeyInfo, KeyKind, KeyPurpose, Principal } from '../../model/account.ts';
import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import type { State } from '../../model/state.ts';
import type { Millis } from '../../model/timestamp.ts';
import { isOneOf } from '../id-list.ts';
import { type IdempotencyRecord, recordAnswer } from '../messages/idempotency.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { SealedRepository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { recordAudit } from './audit.ts';
import { recordChanges } from './changes.ts';

/** The data that verifying a token needs: the key that it names, and the owner of the key. */
export interface Signer {
  secret: string;
  state: State;
  purpose: KeyPurpose;
  expiresAt: Millis | null;
  principal: Principal;
}

const MAX_IDS_PER_STATEMENT = 500;

const INFO = [
  'id',
  'kind',
  'resourceId',
  'teamId',
  'purpose',
  'state',
  'expiresAt',
  'lastUsedAt',
  'createdBy',
  'label',
  'createdAt',
  'updatedAt',
] as const;

/** Selects keys of a team by user or application, and by creator. */
export interface KeyFilter {
  resourceId?: Id | undefined;
  createdBy?: Id | undefined;
}

export class Keys extends SealedRepository {
  async insert(key: Key, answer?: IdempotencyRecord, audit?: AuditEntry): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await recordAnswer(trx, answer);
      await this.insertIn(trx, key);
      await recordAudit(trx, audit);
    });
  }

  async insertIn(trx: Kysely<Schema>, key: Key): Promise<void> {
    const secret = this.sealer.seal(key.secret, placeOf(key.id));
    await trx
      .insertInto('keys')
      .values({ ...key, secret })
      .execute();
  }

  get(kind: KeyKind, id: Id): Promise<KeyInfo | undefined> {
    return this.db
      .selectFrom('keys')
      .select(INFO)
      .where((eb) => eb.and({ kind, id }))
      .executeTakeFirst();
  }

  /** The keys of a team's users or applications, filtered. */
  list(
    teamId: Id,
    kind: KeyKind,
    { resourceId, createdBy }: KeyFilter,
    request: PageRequest,
  ): Promise<Page<KeyInfo>> {
    const query = this.db
      .selectFrom('keys')
      .select(INFO)
      .where((eb) => eb.and({ teamId, kind }))
      .$if(resourceId !== undefined, (some) => some.where('resourceId', '=', resourceId ?? 0))
      .$if(createdBy !== undefined, (some) => some.where('createdBy', '=', createdBy ?? 0));
    return page(query, request);
  }

  async delete(id: Id, audit?: AuditEntry): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await trx.deleteFrom('keys').where('id', '=', id).execute();
      await recordAudit(trx, audit);
      await recordChanges(trx, id);
    });
  }

  async deleteExpired(before: Millis): Promise<void> {
    await this.db.deleteFrom('keys').where('expiresAt', '<', before).execute();
  }

  async touch(ids: readonly Id[], lastUsedAt: Millis): Promise<void> {
    const own = isOneOf(this.engine, 'id', ids);
    await this.db.updateTable('keys').set({ lastUsedAt }).where(own).execute();
  }

  /** When these users last made a request, for those who did. */
  async lastUses(userIds: readonly Id[]): Promise<Map<Id, Millis>> {
    if (userIds.length === 0) return new Map();
    const rows = await this.db
      .selectFrom('keys')
      .select(['resourceId', ({ fn }) => fn.max('lastUsedAt').as('lastUsedAt')])
      .where('kind', '=', 'user')
      .where('resourceId', 'in', userIds)
      .where('lastUsedAt', 'is not', null)
      .groupBy('resourceId')
      .execute();
    return new Map(rows.map(({ resourceId, lastUsedAt }) => [resourceId, Number(lastUsedAt)]));
  }

  /** The team of each of these keys that is enabled, not expired, and has an enabled owner. */
  async listValid(ids: ReadonlySet<Id>, now: Millis): Promise<Map<Id, Id>> {
    const teams = new Map<Id, Id>();
    for (const chunk of chunksOf([...ids], MAX_IDS_PER_STATEMENT)) {
      const rows = await this.db
        .selectFrom('keys')
        .leftJoin('users', (join) =>
          join.onRef('users.id', '=', 'keys.resourceId').on('keys.kind', '=', 'user'),
        )
        .leftJoin('applications', (join) =>
          join.onRef('applications.id', '=', 'keys.resourceId').on('keys.kind', '=', 'application'),
        )
        .select(['keys.id', 'keys.teamId'])
        .where(isOneOf(this.engine, 'keys.id', chunk))
        .where('keys.state', '=', 'enable')
        .where(({ or, eb }) =>
          or([eb('keys.expiresAt', 'is', null), eb('keys.expiresAt', '>', now)]),
        )
        .where(({ or, eb }) =>
          or([eb('users.state', '=', 'enable'), eb('applications.state', '=', 'enable')]),
        )
        .execute();
      for (const { id, teamId } of rows) teams.set(id, teamId);
    }
    return teams;
  }

  async signer(id: Id): Promise<Signer | undefined> {
    return (await this.signers([id])).get(id);
  }

  /** The keys that exist and have an owner. Secrets are decrypted on access. */
  async signers(ids: readonly Id[]): Promise<Map<Id, Signer>> {
    const rows = await this.db
      .selectFrom('keys as k')
      .leftJoin('users as u', (join) =>
        join.onRef('u.id', '=', 'k.resourceId').on('k.kind', '=', 'user'),
      )
      .leftJoin('teams as t', 't.id', 'u.teamId')
      .leftJoin('applications as a', (join) =>
        join.onRef('a.id', '=', 'k.resourceId').on('k.kind', '=', 'application'),
      )
      .select(['k.id', 'k.resourceId', 'k.secret as sealed', 'k.state', 'k.purpose', 'k.expiresAt'])
      .select(['u.teamId as userTeamId', 'u.state as userState', 't.ownerId'])
      .select(['a.teamId', 'a.state as applicationState'])
      .where(isOneOf(this.engine, 'k.id', ids))
      .execute();
    const sealer = this.sealer;
    const found = new Map<Id, Signer>();
    for (const { id, sealed, state, purpose, expiresAt, ...owner } of rows) {
      const principal = principalOf(id, owner);
      if (!principal) continue;
      found.set(id, {
        get secret() {
          return sealer.open(sealed, placeOf(id));
        },
        state,
        purpose,
        expiresAt,
        principal,
      });
    }
    return found;
  }
}

/** The owner of a key, as found: a user with a team, an application, or none. */
interface KeyOwner {
  resourceId: Id;
  userTeamId: Id | null;
  userState: State | null;
  ownerId: Id | null;
  teamId: Id | null;
  applicationState: State | null;
}

function principalOf(keyId: Id, owner: KeyOwner): Principal | undefined {
  const { resourceId, userTeamId, userState, ownerId, teamId, applicationState } = owner;
  if (userTeamId !== null && userState !== null && ownerId !== null) {
    const ownsTeam = ownerId === resourceId;
    const user = { userId: resourceId, teamId: userTeamId, state: userState, ownsTeam };
    return { kind: 'user', keyId, ...user };
  }
  if (teamId === null || applicationState === null) return undefined;
  return { kind: 'application', keyId, applicationId: resourceId, teamId, state: applicationState };
}

export const placeOf = (id: Id) => ({ table: 'keys', row: id, field: 'secret' });
