import { readConfig } from '../../config.ts';
import { requireFile } from '../../setup.ts';
import { migrate as applyMigrations } from '../../store/migrate.ts';
import { openEngine } from '../../store/open.ts';
import { print } from '../print.ts';
import { explainUnavailable } from './with-store.ts';

/** Needs no key ring, because nothing encrypted is read. */
export async function migrate(): Promise<void> {
  const config = readConfig(process.env);
  const { database } = config;
  requireFile(config);
  try {
    const engine = await openEngine(database);
    try {
      const applied = await applyMigrations(engine);
      for (const name of applied) print(`Applied ${name}`);
      if (applied.length === 0) print('No pending migrations.');
    } finally {
      await engine.close();
    }
  } catch (error) {
    throw explainUnavailable(error, database);
  }
}
