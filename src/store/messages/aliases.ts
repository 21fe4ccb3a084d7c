import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { Repository } from '../repository.ts';

/** No vendor has longer addresses. */
const MAX_ADDRESS_LENGTH = 512;
/** Addresses per statement. */
const MAX_PER_STATEMENT = 500;

type IntegrationKey = { applicationId: Id; integrationId: Id };

/** The identity of people with several addresses: the address of their first message. */
export class Aliases extends Repository {
  /** For each person, given as all their addresses, returns the one that identifies them; stores new addresses. */
  async resolve(
    integration: IntegrationKey,
    people: readonly (readonly string[])[],
    now: Millis,
  ): Promise<string[]> {
    const stored = await this.#find(integration, people.flat());
    const added = new Map<string, string>();
    const resolved = people.map((addresses) => {
      const indexable = addresses.filter(({ length }) => length <= MAX_ADDRESS_LENGTH);
      const earlier = indexable.flatMap((each) => stored.get(each) ?? added.get(each) ?? []);
      const address = earlier[0] ?? addresses[0] ?? '';
      for (const each of indexable)
        if (!stored.has(each) && !added.has(each)) added.set(each, address);
      return address;
    });
    if (added.size > 0) await this.#store(integration, added, now);
    return resolved;
  }

  async #find(
    { applicationId, integrationId }: IntegrationKey,
    addresses: readonly string[],
  ): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const unique = [...new Set(addresses)].filter(({ length }) => length <= MAX_ADDRESS_LENGTH);
    for (let i = 0; i < unique.length; i += MAX_PER_STATEMENT) {
      const rows = await this.db
        .selectFrom('aliases')
        .select(['alias', 'address'])
        .where((eb) => eb.and({ applicationId, integrationId }))
        .where('alias', 'in', unique.slice(i, i + MAX_PER_STATEMENT))
        .execute();
      for (const { alias, address } of rows) found.set(alias, address);
    }
    return found;
  }

  async #store(
    integration: IntegrationKey,
    added: ReadonlyMap<string, string>,
    now: Millis,
  ): Promise<void> {
    const { applicationId, integrationId } = integration;
    // In one order, so that two nodes with the same people cannot deadlock.
    const rows = [...added]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([alias, address]) => ({
        applicationId,
        integrationId,
        alias,
        address,
        createdAt: now,
      }));
    for (let i = 0; i < rows.length; i += MAX_PER_STATEMENT) {
      await this.db
        .insertInto('aliases')
        .values(rows.slice(i, i + MAX_PER_STATEMENT))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }
}
