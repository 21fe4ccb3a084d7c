import type { Place, Sealer } from '../lib/seal.ts';
import type { Engine } from './engine.ts';
import { placeOf as idempotencyPlace } from './idempotency.ts';
import { placeOf as integrationPlace } from './integrations.ts';
import { placeOf as keyPlace } from './keys.ts';

const BITE = 200;

/**
 * Seals everything anew that is not under the ring's first key. It can run beside the service: a value
 * that changes meanwhile is left as it was changed. Answers how many values were sealed anew.
 */
export async function resealAll(engine: Engine, sealer: Sealer): Promise<number> {
  return (
    (await resealKeys(engine, sealer)) +
    (await resealIntegrations(engine, sealer)) +
    (await resealAnswers(engine, sealer))
  );
}

async function resealKeys({ db }: Engine, sealer: Sealer): Promise<number> {
  let count = 0;
  for (let last = 0; ;) {
    const rows = await db
      .selectFrom('keys')
      .select(['id', 'secret'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(BITE)
      .execute();
    if (rows.length === 0) return count;
    for (const { id, secret } of rows) {
      last = id;
      const anew = resealed(sealer, secret, keyPlace(id));
      if (anew === undefined) continue;
      count++;
      await db
        .updateTable('keys')
        .set({ secret: anew })
        .where('id', '=', id)
        .where('secret', '=', secret)
        .execute();
    }
  }
}

async function resealIntegrations({ db }: Engine, sealer: Sealer): Promise<number> {
  let count = 0;
  for (let last = 0; ;) {
    const rows = await db
      .selectFrom('integrations')
      .select(['id', 'credentials'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(BITE)
      .execute();
    if (rows.length === 0) return count;
    for (const { id, credentials } of rows) {
      last = id;
      const anew = resealed(sealer, credentials, integrationPlace(id));
      if (anew === undefined) continue;
      count++;
      await db
        .updateTable('integrations')
        .set({ credentials: anew })
        .where('id', '=', id)
        .where('credentials', '=', credentials)
        .execute();
    }
  }
}

async function resealAnswers({ db }: Engine, sealer: Sealer): Promise<number> {
  let count = 0;
  const rows = await db
    .selectFrom('idempotency')
    .select(['scope', 'key', 'answer'])
    .where('answer', 'is not', null)
    .where('answer', 'not like', `${sealer.primary}.%`)
    .execute();
  for (const { scope, key, answer } of rows) {
    const anew = resealed(sealer, answer ?? '', idempotencyPlace({ scope, key }));
    if (anew === undefined) continue;
    count++;
    await db
      .updateTable('idempotency')
      .set({ answer: anew })
      .where('scope', '=', scope)
      .where('key', '=', key)
      .where('answer', '=', answer)
      .execute();
  }
  return count;
}

function resealed(sealer: Sealer, sealed: string, place: Place): string | undefined {
  if (sealer.isCurrent(sealed)) return undefined;
  return sealer.seal(sealer.open(sealed, place), place);
}
