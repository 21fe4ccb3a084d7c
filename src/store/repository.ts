import type { Kysely } from 'kysely';

import type { Engine } from './engine.ts';
import type { Schema } from './schema.ts';

/** The queries of one subject, on either engine. */
export abstract class Repository {
  protected readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  protected get db(): Kysely<Schema> {
    return this.engine.db;
  }
}
