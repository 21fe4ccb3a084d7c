import type { Kysely } from 'kysely';

import type { Sealer } from '../lib/crypto/seal.ts';
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

/** The queries of a subject with sealed columns. */
export abstract class SealedRepository extends Repository {
  protected readonly sealer: Sealer;

  constructor(engine: Engine, sealer: Sealer) {
    super(engine);
    this.sealer = sealer;
  }
}
