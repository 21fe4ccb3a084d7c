import type { Engine } from './engine.ts';

export interface OpenOptions {
  poolSize?: number;
  onIdleError?(error: Error): void;
}

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

/** Opens the database that a setting names: a postgres:// URL, or else a file. */
export async function openEngine(database: string, options: OpenOptions = {}): Promise<Engine> {
  if (!isPostgres(database)) {
    const { openSqlite } = await import('./sqlite/engine.ts');
    return openSqlite(database);
  }
  const { openPostgres } = await import('./postgres/engine.ts');
  return openPostgres({
    url: database,
    poolSize: options.poolSize ?? 10,
    onIdleError: options.onIdleError ?? (() => {}),
  });
}
