import { readConfig } from '../../config.ts';
import { openStore } from '../../setup.ts';
import { MigrationRefused, isDamaged, isUnavailable } from '../../store/faults.ts';
import { isPostgres } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { CliError } from '../exit.ts';

/** Opens the store for one command, even while the service runs. */
export async function withStore<Result>(run: (store: Store) => Promise<Result>): Promise<Result> {
  const config = readConfig(process.env);
  try {
    const store = await openStore(config);
    try {
      return await run(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    throw explainUnavailable(error, config.database);
  }
}

/** Explains an unreachable store without its URL, which may contain a password. */
export function explainUnavailable(error: unknown, database: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof MigrationRefused) return new CliError(error.message);
  const { code = '' } = error as { code?: string };
  if (!isUnavailable(error) && !REFUSED_CODE.test(code)) return error;
  if (isDamaged(error)) {
    return new CliError(
      `${database} is damaged: ${error.message}; restore a backup, see docs/backups.md`,
    );
  }
  const cause = `unavailable: ${error.message || code || 'no answer'}`;
  return new CliError(
    isPostgres(database)
      ? `PostgreSQL (SWITCHBOARD_DATABASE) ${cause}; check the URL and that the server is running`
      : `${database} ${cause}`,
  );
}

/** PostgreSQL refuses the user, password or database. */
const REFUSED_CODE = /^(28|3D)...$/;
