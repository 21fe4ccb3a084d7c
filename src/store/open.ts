import type { Engine } from './engine.ts';

export interface OpenOptions {
  poolSize?: number;
  /** Where to listen, when a pooler is between here and the database. */
  listenUrl?: string | undefined;
  /** Whether statements are prepared by name. */
  prepared?: boolean;
  /** How large the write-ahead log of the embedded store may become. */
  logLimitBytes?: number;
  /** Whether an embedded store that was not closed properly is checked. */
  isCheckedAfterCrash?: boolean;
  onIdleError?(error: Error): void;
}

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

/** Opens the database that a setting names: a postgres:// URL, or else a file. */
export async function openEngine(database: string, options: OpenOptions = {}): Promise<Engine> {
  if (!isPostgres(database)) {
    const { openSqlite } = await import('./sqlite/engine.ts');
    return openSqlite(database, options);
  }
  const { openPostgres } = await import('./postgres/engine.ts');
  return openPostgres({
    url: database,
    listenUrl: options.listenUrl ?? database,
    poolSize: options.poolSize ?? 10,
    prepared: options.prepared ?? true,
    onIdleError: options.onIdleError ?? (() => {}),
  });
}
