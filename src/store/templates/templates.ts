import type { Id } from '../../model/id.ts';
import type { Template } from '../../model/templates/template.ts';
import { type RecordOf, recordAnswer } from '../messages/idempotency.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { Repository } from '../repository.ts';

/** Versions of a template that are kept. */
const MAX_VERSIONS = 100;

type NewVersion = Omit<Template, 'version'>;

/** Templates of applications. Every method takes the application: templates of others are not found. */
export class Templates extends Repository {
  /** Stores the response with it. Undefined if the name is taken. */
  async create(template: NewVersion, record?: RecordOf<Template>): Promise<Template | undefined> {
    const { applicationId, id, name, createdAt } = template;
    return this.db.transaction().execute(async (trx) => {
      const row = { applicationId, id, name, version: 1, createdAt };
      const inserted = await trx
        .insertInto('templates')
        .values(row)
        .onConflict((conflict) => conflict.columns(['applicationId', 'name']).doNothing())
        .returning('id')
        .executeTakeFirst();
      if (!inserted) return undefined;
      await trx.insertInto('templateVersions').values(versionOf(template, 1)).execute();
      const created = { ...template, version: 1 };
      await recordAnswer(trx, record?.(created));
      return created;
    });
  }

  /** Adds a version; returns its number, or undefined if there is no such template. Removes the oldest beyond the maximum. */
  async addVersion(template: NewVersion): Promise<number | undefined> {
    const { applicationId, id } = template;
    return this.db.transaction().execute(async (trx) => {
      const row = await trx
        .updateTable('templates')
        .set((eb) => ({ version: eb('version', '+', 1) }))
        .where((eb) => eb.and({ applicationId, id }))
        .returning('version')
        .executeTakeFirst();
      if (!row) return undefined;
      const { version } = row;
      await trx.insertInto('templateVersions').values(versionOf(template, version)).execute();
      await trx
        .deleteFrom('templateVersions')
        .where((eb) => eb.and({ applicationId, templateId: id }))
        .where('version', '<=', version - MAX_VERSIONS)
        .execute();
      return version;
    });
  }

  /** The newest version, or the given one. */
  async get(applicationId: Id, id: Id, version?: number): Promise<Template | undefined> {
    const row = await this.#newest(applicationId).where('t.id', '=', id).executeTakeFirst();
    if (!row || version === undefined || version === row.version) return row && read(row);
    const older = await this.db
      .selectFrom('templateVersions')
      .select(['version', 'content', 'createdAt as updatedAt'])
      .where((eb) => eb.and({ applicationId, templateId: id, version }))
      .executeTakeFirst();
    return older && read({ ...row, ...older });
  }

  /** By the unique name. */
  async named(applicationId: Id, name: string): Promise<Template | undefined> {
    const row = await this.#newest(applicationId).where('t.name', '=', name).executeTakeFirst();
    return row && read(row);
  }

  async list(applicationId: Id, request: PageRequest): Promise<Page<Template>> {
    const { items, ...rest } = await page(
      this.db.selectFrom('templates').selectAll().where('applicationId', '=', applicationId),
      request,
    );
    if (items.length === 0) return { items: [], ...rest };
    const rows = await this.#newest(applicationId)
      .where(
        't.id',
        'in',
        items.map(({ id }) => id),
      )
      .execute();
    const found = new Map(rows.map((row) => [row.id, read(row)]));
    return { items: items.flatMap(({ id }) => found.get(id) ?? []), ...rest };
  }

  /** The versions, newest first. */
  async versions(
    applicationId: Id,
    templateId: Id,
  ): Promise<Pick<Template, 'version' | 'updatedAt'>[]> {
    return this.db
      .selectFrom('templateVersions')
      .select(['version', 'createdAt as updatedAt'])
      .where((eb) => eb.and({ applicationId, templateId }))
      .orderBy('version', 'desc')
      .limit(MAX_VERSIONS)
      .execute();
  }

  /** Returns whether it existed. */
  async delete(applicationId: Id, id: Id): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('templates')
        .where((eb) => eb.and({ applicationId, id }))
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      await trx
        .deleteFrom('templateVersions')
        .where((eb) => eb.and({ applicationId, templateId: id }))
        .execute();
      return true;
    });
  }

  #newest(applicationId: Id) {
    return this.db
      .selectFrom('templates as t')
      .innerJoin('templateVersions as v', (join) =>
        join
          .onRef('v.applicationId', '=', 't.applicationId')
          .onRef('v.templateId', '=', 't.id')
          .onRef('v.version', '=', 't.version'),
      )
      .select([
        't.applicationId',
        't.id',
        't.name',
        't.version',
        't.createdAt',
        'v.content',
        'v.createdAt as updatedAt',
      ])
      .where('t.applicationId', '=', applicationId);
  }
}

function versionOf(template: NewVersion, version: number) {
  const { applicationId, id: templateId, defaultLanguage, contents, updatedAt } = template;
  const content = JSON.stringify({ defaultLanguage, contents });
  return { applicationId, templateId, version, content, createdAt: updatedAt };
}

function read({
  content,
  ...row
}: Omit<Template, 'defaultLanguage' | 'contents'> & { content: string }): Template {
  const stored = JSON.parse(content) as Pick<Template, 'defaultLanguage' | 'contents'>;
  return { ...row, ...stored };
}
