import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';

/** No vendor has longer addresses. */
const MAX_ADDRESS_LENGTH = 512;
/** Addresses per statement. */
const MAX_ASKED = 500;

type Place = { applicationId: Id; integrationId: Id };

/** The identity of people with several addresses: the address of their first message. */
export class Aliases {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** For each person, given as all their addresses, returns the one that identifies them; stores new addresses. */
  async settle(
    place: Place,
    people: readonly (readonly string[])[],
    now: Millis,
  ): Promise<string[]> {
    const known = await this.#find(place, people.flat());
    const fresh = new Map<string, string>();
    const settled = people.map((addresses) => {
      const usable = addresses.filter(({ length }) => length <= MAX_ADDRESS_LENGTH);
      const earlier = usable.flatMap((each) => known.get(each) ?? fresh.get(each) ?? []);
      const address = earlier[0] ?? addresses[0] ?? '';
      for (const each of usable) if (!known.has(each) && !fresh.has(each)) fresh.set(each, address);
      return address;
    });
    if (fresh.size > 0) await this.#keep(place, fresh, now);
    return settled;
  }

  async #find(
    { applicationId, integrationId }: Place,
    addresses: readonly string[],
  ): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const wanted = [...new Set(addresses)].filter(({ length }) => length <= MAX_ADDRESS_LENGTH);
    for (let i = 0; i < wanted.length; i += MAX_ASKED) {
      const rows = await this.#engine.db
        .selectFrom('aliases')
        .select(['alias', 'address'])
        .where('applicationId', '=', applicationId)
        .where('integrationId', '=', integrationId)
        .where('alias', 'in', wanted.slice(i, i + MAX_ASKED))
        .execute();
      for (const { alias, address } of rows) found.set(alias, address);
    }
    return found;
  }

  async #keep(place: Place, fresh: ReadonlyMap<string, string>, now: Millis): Promise<void> {
    const { applicationId, integrationId } = place;
    // In one order, so that two nodes with the same people cannot deadlock.
    const rows = [...fresh]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([alias, address]) => ({
        applicationId,
        integrationId,
        alias,
        address,
        createdAt: now,
      }));
    for (let i = 0; i < rows.length; i += MAX_ASKED) {
      await this.#engine.db
        .insertInto('aliases')
        .values(rows.slice(i, i + MAX_ASKED))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }
}
