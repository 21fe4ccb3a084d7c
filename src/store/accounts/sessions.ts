import type { Kysely } from 'kysely';

import type { Key, Session } from '../../model/account.ts';
import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { recordAudit } from './audit.ts';
import { recordChanges } from './changes.ts';
import type { Keys, Signer } from './keys.ts';

/** Sign-ins to the console. Each has its own key, and deleting the key ends the session. */
export class Sessions extends Repository {
  readonly #keys: Keys;

  constructor(engine: Engine, keys: Keys) {
    super(engine);
    this.#keys = keys;
  }

  /** Starts a session, replacing the previous one of the same browser. */
  async begin(
    session: Session,
    key: Key,
    previous: Session | undefined,
    audit?: AuditEntry,
  ): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      if (previous) await end(trx, previous);
      await this.#keys.insertIn(trx, key);
      await trx.insertInto('sessions').values(session).execute();
      await recordAudit(trx, audit);
      if (previous) await recordChanges(trx, previous.keyId);
    });
  }

  /** The session, and its key, which decides whether the session is still valid. */
  async find(
    teamId: Id,
    hash: string,
  ): Promise<{ session: Session; signer: Signer | undefined } | undefined> {
    const session = await this.db
      .selectFrom('sessions')
      .selectAll()
      .where((eb) => eb.and({ teamId, hash }))
      .executeTakeFirst();
    return session && { session, signer: await this.#keys.signer(session.keyId) };
  }

  async touch({ teamId, hash }: Session, seenAt: Millis): Promise<void> {
    await this.db
      .updateTable('sessions')
      .set({ seenAt })
      .where((eb) => eb.and({ teamId, hash }))
      .execute();
  }

  async end(session: Session, audit?: AuditEntry): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await end(trx, session);
      await recordAudit(trx, audit);
      await recordChanges(trx, session.keyId);
    });
  }

  /** Ends all sessions and other sign-ins of a user. */
  async endAll(teamId: Id, userId: Id, audit?: AuditEntry): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await endSignIns(trx, teamId, userId);
      await recordAudit(trx, audit);
      await recordChanges(trx, userId);
    });
  }

  /** Ends sessions that were last used before this time. */
  async endIdle(before: Millis): Promise<void> {
    // Check first without a transaction: usually there are none, and a transaction would block other writers.
    const anyIdle = this.db
      .selectFrom('sessions')
      .select('keyId')
      .where('seenAt', '<', before)
      .limit(1);
    if (!(await anyIdle.executeTakeFirst())) return;
    await this.db.transaction().execute(async (trx) => {
      const idle = await trx
        .deleteFrom('sessions')
        .where('seenAt', '<', before)
        .returning('keyId')
        .execute();
      const keys = idle.map(({ keyId }) => keyId);
      if (keys.length === 0) return;
      await trx.deleteFrom('keys').where('id', 'in', keys).execute();
      await recordChanges(trx, ...keys);
    });
  }
}

async function end(trx: Kysely<Schema>, { teamId, hash, keyId }: Session): Promise<void> {
  await trx.deleteFrom('sessions').where('teamId', '=', teamId).where('hash', '=', hash).execute();
  await trx.deleteFrom('keys').where('id', '=', keyId).execute();
}

/** Ends the sessions of a user, but not their other sign-ins. The caller records the change of the user. */
export async function endSessions(trx: Kysely<Schema>, teamId: Id, userId: Id): Promise<void> {
  const ended = await trx
    .deleteFrom('sessions')
    .where((eb) => eb.and({ teamId, userId }))
    .returning('keyId')
    .execute();
  const keys = ended.map(({ keyId }) => keyId);
  if (keys.length > 0) await trx.deleteFrom('keys').where('id', 'in', keys).execute();
}

/** Ends all sign-ins of a user, and deletes their sign-in links. The caller records the change of the user. */
export async function endSignIns(trx: Kysely<Schema>, teamId: Id, userId: Id): Promise<void> {
  await endSessions(trx, teamId, userId);
  await trx
    .deleteFrom('keys')
    .where((eb) => eb.and({ kind: 'user', resourceId: userId, purpose: 'login' }))
    .execute();
  await trx.deleteFrom('signInLinks').where('userId', '=', userId).execute();
}
