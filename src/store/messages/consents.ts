import { type Kysely, sql } from 'kysely';

import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { chunksOf } from '../../lib/runtime/chunks.ts';
import type { AuditEntry } from '../../model/audit.ts';
import type { NewEvent } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import { consentEvents } from '../../model/sending/consent-event.ts';
import {
  type Consent,
  type ConsentChange,
  type ConsentSettings,
  type ConsentSettingsChange,
  type KeywordAnswers,
  isErasedKey,
} from '../../model/sending/consent.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import type { Engine } from '../engine.ts';
import { appendEvents } from '../feed/events.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import type { ConsentDigests } from '../people/consent-digests.ts';
import { Repository } from '../repository.ts';
import type { ConsentChangeRow, Schema } from '../schema.ts';

/** Number of shown changes of an address. */
const MAX_CHANGES = 100;

/** A change for an application, with the time it was made. */
export type DatedChange = ConsentChange & { applicationId: Id; at: Millis };

/** Consents of people. Every method takes the application: consents of other applications are not found. */
export class Consents extends Repository {
  readonly #digests: ConsentDigests;

  constructor(engine: Engine, digests: ConsentDigests) {
    super(engine);
    this.#digests = digests;
  }

  /**
   * Stores changes with their proof and their events; the last one of an address and scope counts. Returns the
   * consents that changed.
   */
  change(changes: readonly DatedChange[], audit?: AuditEntry): Promise<Consent[]> {
    return this.db.transaction().execute(async (trx) => {
      const applied = await applyChanges(this.engine, trx, changes, this.#digests);
      await appendEvents(trx, eventsOf(applied));
      await recordAudit(trx, audit);
      return applied.map(({ consent }) => consent);
    });
  }

  get(applicationId: Id, id: Id): Promise<Consent | undefined> {
    return this.#all(applicationId).where('id', '=', id).executeTakeFirst();
  }

  /** All consents of an address. Those of an erased person come last. */
  of(applicationId: Id, key: string): Promise<Consent[]> {
    return this.ofAll(applicationId, [key]);
  }

  /** All consents of several addresses. */
  async ofAll(applicationId: Id, keys: readonly string[]): Promise<Consent[]> {
    const digests = await this.#digests.find(applicationId, keys);
    return this.#all(applicationId)
      .where('key', 'in', [...keys, ...digests.values()])
      .orderBy('key')
      .orderBy('scope')
      .execute();
  }

  /**
   * The addresses among these that must not be granted in bulk: the vendor refuses them (`vendor`), or their owner was
   * erased after revoking (`erased`).
   */
  async blocked(
    applicationId: Id,
    keys: readonly string[],
  ): Promise<Map<string, 'vendor' | 'erased'>> {
    if (keys.length === 0) return new Map();
    const digests = await this.#digests.find(applicationId, keys);
    const rows = await this.#all(applicationId)
      .where('key', 'in', [...keys, ...digests.values()])
      .where('state', '=', 'revoked')
      .execute();
    const keysByDigest = new Map([...digests].map(([key, digest]) => [digest, key]));
    const blocked = new Map<string, 'vendor' | 'erased'>();
    for (const { key, scope } of rows) {
      if (isErasedKey(key)) blocked.set(keysByDigest.get(key) ?? key, 'erased');
      else if (scope === 'vendor') blocked.set(key, 'vendor');
    }
    return blocked;
  }

  /** Up to `limit` consents in the order of their addresses, starting after this one. */
  inOrder(
    applicationId: Id,
    after: Pick<Consent, 'key' | 'scope'> | undefined,
    limit: number,
  ): Promise<Consent[]> {
    const { key = '', scope = '' } = after ?? {};
    return this.#all(applicationId)
      .where(sql<boolean>`(key, scope) > (${key}, ${scope})`)
      .orderBy('key')
      .orderBy('scope')
      .limit(limit)
      .execute();
  }

  list(applicationId: Id, request: PageRequest): Promise<Page<Consent>> {
    return page(this.#all(applicationId), request);
  }

  /** The changes stay. */
  async delete({ applicationId, key, scope }: Consent): Promise<void> {
    await this.db
      .deleteFrom('consents')
      .where((eb) => eb.and({ applicationId, key, scope }))
      .execute();
  }

  /** The changes of an address, newest first. */
  changes(applicationId: Id, key: string): Promise<ConsentChangeRow[]> {
    return this.db
      .selectFrom('consentChanges')
      .selectAll()
      .where((eb) => eb.and({ applicationId, key }))
      .orderBy('id', 'desc')
      .limit(MAX_CHANGES)
      .execute();
  }

  async settings(applicationId: Id): Promise<ConsentSettings | undefined> {
    const row = await this.db
      .selectFrom('applications')
      .select(['allowTransactional', 'doubleOptIn', 'stopAnswer', 'startAnswer', 'helpAnswer'])
      .where('id', '=', applicationId)
      .executeTakeFirst();
    return (
      row && {
        allowTransactional: row.allowTransactional === 1,
        doubleOptIn: row.doubleOptIn === 1,
        answers: { stop: row.stopAnswer, start: row.startAnswer, help: row.helpAnswer },
      }
    );
  }

  /** Changes the given settings; returns whether the application exists. */
  setSettings(
    applicationId: Id,
    { allowTransactional, doubleOptIn, answers = {} }: ConsentSettingsChange,
    audit?: AuditEntry,
  ): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('applications')
        .set({
          id: applicationId,
          ...omitUndefined({
            allowTransactional: flag(allowTransactional),
            doubleOptIn: flag(doubleOptIn),
            stopAnswer: answers.stop,
            startAnswer: answers.start,
            helpAnswer: answers.help,
          }),
        })
        .where('id', '=', applicationId)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await recordAudit(trx, audit);
      return true;
    });
  }

  #all(applicationId: Id) {
    return this.db.selectFrom('consents').selectAll().where('applicationId', '=', applicationId);
  }
}

/** A change that took effect, and the consent as it is now. */
export interface AppliedChange {
  change: DatedChange;
  consent: Consent;
}

/**
 * Applies changes in a transaction, in key order, so that two nodes cannot deadlock; returns those that took effect. A
 * change to the current state is recorded as proof, but changes nothing. A vendor only lifts blocks: it grants nothing
 * on behalf of a person.
 */
export async function applyChanges(
  engine: Engine,
  trx: Kysely<Schema>,
  changes: readonly DatedChange[],
  digests: ConsentDigests,
): Promise<AppliedChange[]> {
  if (changes.length === 0) return [];
  const { changes: redirected, originalOf } = await digests.redirect(trx, changes);
  const ordered = redirected.toSorted(
    (a, b) => a.applicationId - b.applicationId || compare(a.key, b.key),
  );
  const applied: AppliedChange[] = [];
  for (const wave of wavesOf(ordered)) {
    for (const chunk of chunksOf(wave, MAX_PER_STATEMENT)) {
      applied.push(...(await applyWave(engine, trx, chunk)));
    }
  }
  return applied.map(({ change, consent }) => ({ change: originalOf(change), consent }));
}

/** Rows per statement. */
const MAX_PER_STATEMENT = 500;

/** In each wave, every address and scope is changed once: a statement cannot change a row twice. */
function wavesOf(changes: readonly DatedChange[]): DatedChange[][] {
  const waves: DatedChange[][] = [];
  const counts = new Map<string, number>();
  for (const change of changes) {
    const place = placeOf(change);
    const count = counts.get(place) ?? 0;
    counts.set(place, count + 1);
    (waves[count] ??= []).push(change);
  }
  return waves;
}

const placeOf = ({ applicationId, key, scope }: Pick<Consent, 'applicationId' | 'key' | 'scope'>) =>
  `${applicationId} ${scope} ${key}`;

async function applyWave(
  engine: Engine,
  trx: Kysely<Schema>,
  changes: readonly DatedChange[],
): Promise<AppliedChange[]> {
  const ids = await engine.allocateSequences(trx, changes.length);
  const numbered = changes.map((change, i) => ({ change, id: ids[i] ?? 0 }));
  const puts = numbered.filter(({ change }) => !isLift(change));
  const rows = puts.length === 0 ? [] : await put(trx, puts);
  for (const { change } of numbered) if (isLift(change)) rows.push(...(await lift(trx, change)));
  const byPlace = new Map(rows.map((row) => [placeOf(row), row]));
  const proven = numbered.filter(({ change }) => !isLift(change) || byPlace.has(placeOf(change)));
  if (proven.length > 0) {
    const proofs = proven.map(({ change: { at: createdAt, ...change }, id }) =>
      Object.assign(change, { id, createdAt }),
    );
    await trx.insertInto('consentChanges').values(proofs).execute();
  }
  return numbered.flatMap(({ change }) => {
    const consent = byPlace.get(placeOf(change));
    return consent ? [{ change, consent }] : [];
  });
}

const isLift = ({ scope, state }: DatedChange) => scope === 'vendor' && state === 'granted';

/** The consents that changed. */
function put(
  trx: Kysely<Schema>,
  numbered: readonly { change: DatedChange; id: Id }[],
): Promise<Consent[]> {
  const rows = numbered.map(({ change: { at, ...change }, id }) =>
    Object.assign(change, { id, createdAt: at, updatedAt: at }),
  );
  return trx
    .insertInto('consents')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['applicationId', 'key', 'scope'])
        .doUpdateSet((eb) => ({
          state: eb.ref('excluded.state'),
          source: eb.ref('excluded.source'),
          evidence: eb.ref('excluded.evidence'),
          updatedAt: eb.ref('excluded.updatedAt'),
        }))
        .whereRef('consents.state', '!=', 'excluded.state'),
    )
    .returningAll()
    .execute();
}

function lift(
  trx: Kysely<Schema>,
  { at, applicationId, key, scope, state, source, evidence }: DatedChange,
): Promise<Consent[]> {
  return trx
    .updateTable('consents')
    .set({ state, source, evidence, updatedAt: at })
    .where((eb) => eb.and({ applicationId, key, scope, state: 'revoked' }))
    .returningAll()
    .execute();
}

export const eventsOf = (applied: readonly AppliedChange[]): NewEvent[] =>
  applied.flatMap(({ consent }) => consentEvents(consent, consent.updatedAt));

/** The answers to keywords of these applications. */
export async function readAnswers(
  trx: Kysely<Schema>,
  applicationIds: readonly Id[],
): Promise<Map<Id, KeywordAnswers>> {
  const rows = await trx
    .selectFrom('applications')
    .select(['id', 'stopAnswer', 'startAnswer', 'helpAnswer'])
    .where('id', 'in', applicationIds)
    .execute();
  return new Map(
    rows.map(({ id, stopAnswer: stop, startAnswer: start, helpAnswer: help }) => [
      id,
      { stop, start, help },
    ]),
  );
}

const flag = (value: boolean | undefined) => (value === undefined ? undefined : value ? 1 : 0);

const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
