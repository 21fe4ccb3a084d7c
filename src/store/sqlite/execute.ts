import type { SQLInputValue } from 'node:sqlite';

import { accept } from './accept.ts';
import { damage } from './damage.ts';
import type { Database } from './database.ts';
import { round } from './dispatch-round.ts';
import type { ThreadRequest } from './protocol.ts';

/** Executes a request. Blocks until it is done. */
export function execute(db: Database, request: ThreadRequest): unknown {
  switch (request.kind) {
    case 'query':
      return db.query(request.sql, request.parameters);
    case 'many':
      return db.runMany(request.sql, JSON.parse(request.rows) as SQLInputValue[][]);
    case 'accept':
      return accept(db, request.batch);
    case 'dispatch':
      return round(db, request.round);
    case 'nextId':
      return db.nextId();
    case 'ping':
      return db.ping();
    case 'markDamaged':
      throw damage(request.fault);
    case 'rollback':
      return db.rollback();
    case 'close':
      return db.close();
  }
}
