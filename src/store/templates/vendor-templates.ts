import type { Id } from '../../model/id.ts';
import type { TemplateDefinition } from '../../model/templates/vendor-template.ts';
import type { Millis } from '../../model/timestamp.ts';
import { Repository } from '../repository.ts';
import { keyIn } from '../tables.ts';

type IntegrationKey = { applicationId: Id; integrationId: Id };

const INSERT_BATCH = 100;

/** The templates of vendors, as of the last sync of each integration. */
export class VendorTemplates extends Repository {
  /** Replaces the list of an integration. `nextAt` is when to read it again. */
  async replace(
    place: IntegrationKey,
    templates: readonly TemplateDefinition[],
    { now, nextAt }: { now: Millis; nextAt: Millis },
  ): Promise<void> {
    const { applicationId, integrationId } = place;
    const unique = new Map(
      templates.map((one) => [JSON.stringify([one.name, one.language, one.vendorId]), one]),
    );
    const rows = [...unique.values()].map(({ name, language, vendorId, ...definition }) => ({
      applicationId,
      integrationId,
      name,
      language,
      vendorId,
      definition: JSON.stringify(definition),
    }));
    await this.db.transaction().execute(async (trx) => {
      // First, to lock the row: concurrent syncs of one integration run one after the other.
      await trx
        .insertInto('templateSyncs')
        .values({ applicationId, integrationId, syncedAt: now, nextAt })
        .onConflict((conflict) =>
          conflict
            .columns(keyIn(this.engine.name, 'templateSyncs'))
            .doUpdateSet({ syncedAt: now, nextAt }),
        )
        .execute();
      await trx
        .deleteFrom('vendorTemplates')
        .where((eb) => eb.and({ applicationId, integrationId }))
        .execute();
      for (let i = 0; i < rows.length; i += INSERT_BATCH) {
        await trx
          .insertInto('vendorTemplates')
          .values(rows.slice(i, i + INSERT_BATCH))
          .execute();
      }
    });
  }

  /**
   * Up to `limit` integrations whose list is due, by template_syncs_by_due; they are due again at `nextAt`. Nodes that
   * ask at the same time get different ones.
   */
  async claimDue(now: Millis, nextAt: Millis, limit: number): Promise<IntegrationKey[]> {
    return this.db.transaction().execute(async (trx) => {
      const due = trx
        .selectFrom('templateSyncs')
        .select(['applicationId', 'integrationId'])
        .where('nextAt', '<=', now)
        .orderBy('nextAt')
        .limit(limit);
      const isShared = this.engine.name === 'postgres';
      const places = await (isShared ? due.forUpdate().skipLocked() : due).execute();
      for (const place of places) {
        await trx
          .updateTable('templateSyncs')
          .set({ nextAt })
          .where((eb) => eb.and(place))
          .execute();
      }
      return places;
    });
  }

  /** All templates, and when the list was read; null if it never was. */
  async list(
    place: IntegrationKey,
  ): Promise<{ syncedAt: Millis | null; templates: TemplateDefinition[] }> {
    const [sync, rows] = await Promise.all([
      this.db
        .selectFrom('templateSyncs')
        .select('syncedAt')
        .where((eb) => eb.and(place))
        .executeTakeFirst(),
      this.#all(place).orderBy('name').orderBy('language').orderBy('vendorId').execute(),
    ]);
    return { syncedAt: sync?.syncedAt ?? null, templates: rows.map(parseRow) };
  }

  /** The templates with this name, or if there are none, with this vendor id; in all languages. */
  async named(place: IntegrationKey, name: string): Promise<TemplateDefinition[]> {
    const rows = await this.#all(place).where('name', '=', name).execute();
    // Templates without a vendor id have an empty one.
    if (rows.length > 0 || name === '') return rows.map(parseRow);
    const byId = await this.#all(place).where('vendorId', '=', name).execute();
    return byId.map(parseRow);
  }

  #all({ applicationId, integrationId }: IntegrationKey) {
    return this.db
      .selectFrom('vendorTemplates')
      .select(['name', 'language', 'vendorId', 'definition'])
      .where((eb) => eb.and({ applicationId, integrationId }));
  }
}

function parseRow({
  definition,
  ...row
}: Pick<TemplateDefinition, 'name' | 'language' | 'vendorId'> & {
  definition: string;
}): TemplateDefinition {
  const stored = JSON.parse(definition) as Omit<
    TemplateDefinition,
    'name' | 'language' | 'vendorId'
  >;
  return { ...row, ...stored };
}
