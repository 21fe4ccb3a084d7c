import type { Kysely } from 'kysely';

import type { Key, Session } from '../model/account.ts';
import type { AuditEntry } from '../model/audit.ts';
import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import { recordAudit } from './audit.ts';
import type { Engine } from './engine.ts';
import type { Keys, Signer } from './keys.ts';
import type { Schema } from './schema.ts';

/** Sign-ins to the console. Each has a key of its own: whoever ends the key ends the session. */
export class Sessions {
  readonly #engine: Engine;
  readonly #keys: Keys;

  constructor(engine: Engine, keys: Keys) {
    this.#engine = engine;
    this.#keys = keys;
  }

  /** Begins one, in the place of another that the same browser had. */
  async begin(
    session: Session,
    key: Key,
    former: Session | undefined,
    audit?: AuditEntry,
  ): Promise<void> {
    await this.#engine.db.transaction().execute(async (trx) => {
      if (former) await end(trx, former);
      await this.#keys.insertIn(trx, key);
      await trx.insertInto('sessions').values(session).execute();
      await recordAudit(trx, audit);
    });
  }

  /** The session, and the key that says whether it still lasts. */
  async find(
    teamId: Id,
    hash: string,
  ): Promise<{ session: Session; signer: Signer | undefined } | undefined> {
    const session = await this.#engine.db
      .selectFrom('sessions')
      .selectAll()
      .where('teamId', '=', teamId)
      .where('hash', '=', hash)
      .executeTakeFirst();
    return session && { session, signer: await this.#keys.signer(session.keyId) };
  }

  async touch({ teamId, hash }: Session, seenAt: Millis): Promise<void> {
    await this.#engine.db
      .updateTable('sessions')
      .set({ seenAt })
      .where('teamId', '=', teamId)
      .where('hash', '=', hash)
      .execute();
  }

  async end(session: Session, audit?: AuditEntry): Promise<void> {
    await this.#engine.db.transaction().execute(async (trx) => {
      await end(trx, session);
      await recordAudit(trx, audit);
    });
  }

  /** Ends all sessions of a user, and every other sign-in. */
  async endAll(teamId: Id, userId: Id, audit?: AuditEntry): Promise<void> {
    await this.#engine.db.transaction().execute(async (trx) => {
      await endSignIns(trx, teamId, userId);
      await recordAudit(trx, audit);
    });
  }

  /** Ends those that nobody has used since then. */
  async endIdle(before: Millis): Promise<void> {
    const { db } = this.#engine;
    // Mostly there are none, and a transaction would keep all others waiting to find that out.
    const found = db.selectFrom('sessions').select('keyId').where('seenAt', '<', before).limit(1);
    if (!(await found.executeTakeFirst())) return;
    await db.transaction().execute(async (trx) => {
      const idle = await trx
        .deleteFrom('sessions')
        .where('seenAt', '<', before)
        .returning('keyId')
        .execute();
      const keys = idle.map(({ keyId }) => keyId);
      if (keys.length > 0) await trx.deleteFrom('keys').where('id', 'in', keys).execute();
    });
  }
}

async function end(trx: Kysely<Schema>, { teamId, hash, keyId }: Session): Promise<void> {
  await trx.deleteFrom('sessions').where('teamId', '=', teamId).where('hash', '=', hash).execute();
  await trx.deleteFrom('keys').where('id', '=', keyId).execute();
}

/** Ends the sessions of a user, and leaves their other sign-ins alone. */
export async function endSessions(trx: Kysely<Schema>, teamId: Id, userId: Id): Promise<void> {
  const ended = await trx
    .deleteFrom('sessions')
    .where('teamId', '=', teamId)
    .where('userId', '=', userId)
    .returning('keyId')
    .execute();
  const keys = ended.map(({ keyId }) => keyId);
  if (keys.length > 0) await trx.deleteFrom('keys').where('id', 'in', keys).execute();
}

/** Ends all that somebody was let in by, and the links that would let them in. */
export async function endSignIns(trx: Kysely<Schema>, teamId: Id, userId: Id): Promise<void> {
  await endSessions(trx, teamId, userId);
  await trx
    .deleteFrom('keys')
    .where('kind', '=', 'user')
    .where('resourceId', '=', userId)
    .where('purpose', '=', 'login')
    .execute();
  await trx.deleteFrom('signInLinks').where('userId', '=', userId).execute();
}
