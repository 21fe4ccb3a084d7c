import type { Engine } from './engine.ts';

export interface OpenOptions {
  poolSize?: number;
  /** Where to listen for notifications, if a pooler is in front of the database. */
  listenUrl?: string | undefined;
  /** Whether to use named prepared statements. */
  prepared?: boolean;
  /** Maximum size of the embedded store's write-ahead log. */
  logLimitBytes?: number;
  /** Whether to check an embedded store after an unclean shutdown. */
  isCheckedAfterCrash?: boolean;
  onIdleError?(error: Error): void;
}

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

/** Opens a database by its setting: a postgres:// URL or a file. */
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
