import { DatabaseSync } from 'node:sqlite';

import { TABLES, inDatabase } from '../../../src/store/tables.ts';

const SEALED = new Set(['secret', 'credentials', 'hook', 'response', 'subject']);
/** Texts of every kind that a column may contain. */
const TEXTS = ['plain', 'ä "quoted" \\ \n', '日本語 👩‍👩‍👧', "it's; -- a comment", ''];

/** Inserts rows into every table of an embedded store with SQL, without keeping them consistent. */
export function fillTables(path: string, rows: number): void {
  using db = new DatabaseSync(path);
  db.exec('pragma busy_timeout = 5000');
  db.exec('begin immediate');
  const marker = String(db.prepare('select sealed from ring_marker').get()?.['sealed']);
  const ringKey = marker.slice(0, marker.indexOf('.'));
  for (const table of Object.keys(TABLES).map(inDatabase)) {
    if (table === 'ring_marker') continue;
    const columns = db.prepare('select * from pragma_table_info(?)').all(table);
    const names = columns.map(({ name }) => String(name));
    const marks = names.map(() => '?').join(', ');
    const insert = db.prepare(
      `insert or ignore into ${table} (${names.join(', ')}) values (${marks})`,
    );
    for (let i = 0; i < rows; i++) {
      insert.run(
        ...columns.map(({ name, type, notnull }, column) => {
          if (notnull === 0 && (i + column) % 3 === 0) return null;
          const kind = String(type).toLowerCase();
          if (kind === 'blob') return Buffer.from([0, 255, i % 256, 10]);
          // Above all ids that the store has allocated.
          if (kind !== 'text') return 1_000_000 + i;
          const text = `${TEXTS[i % TEXTS.length]} ${String(name)} ${i}`;
          return SEALED.has(String(name)) ? `${ringKey}.${text}` : text;
        }),
      );
    }
  }
  db.exec('commit');
}
