import { readConfig } from '../config.ts';
import { openStore } from '../setup.ts';
import { MigrationRefused, isDamaged, isUnavailable } from '../store/faults.ts';
import { isPostgres } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { CliError } from './exit.ts';

/** Opens the store for the length of a command. It may run beside the service. */
export async function withStore<Result>(use: (store: Store) => Promise<Result>): Promise<Result> {
  const config = readConfig(process.env);
  try {
    const store = await openStore(config);
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    throw explainUnavailable(error, config.database);
  }
}

/** An unreachable store in words; the URL is not repeated, since it may hold a password. */
export function explainUnavailable(error: unknown, database: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof MigrationRefused) return new CliError(error.message);
  const { code = '' } = error as { code?: string };
  if (!isUnavailable(error) && !REFUSED.test(code)) return error;
  if (isDamaged(error)) {
    return new CliError(
      `${database} cannot be used: ${error.message}; restore a backup, as docs/backups.md says`,
    );
  }
  const why = `cannot be used: ${error.message || code || 'no answer'}`;
  return new CliError(
    isPostgres(database)
      ? `PostgreSQL (SWITCHBOARD_DATABASE) ${why}; check that it runs, and the URL`
      : `${database} ${why}`,
  );
}

/** PostgreSQL knows neither the user nor the database, or not the password. */
const REFUSED = /^(28|3D)...$/;
