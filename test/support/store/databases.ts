import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';

import { formatKeyRing, generateRingKey } from '../../../src/lib/crypto/seal.ts';
import type { EngineName } from '../../../src/store/schema.ts';
import { startPostgres } from './postgres.ts';
import { copySqliteTemplate, postgresTemplate } from './templates.ts';

const BOTH: readonly EngineName[] = ['sqlite', 'postgres'];

/** The engines to test on: both, or the one that test/run.ts sets. */
export const ENGINES = BOTH.filter((name) => (process.env['TEST_ENGINE'] ?? name) === name);

/** A separate empty database for a test, and its settings. */
export interface TestDatabase {
  environment: Record<string, string>;
  folder: string;
  dispose(): Promise<void>;
}

let made = 0;

/** With `migrated` it already has all tables, if a template exists. Otherwise opening it creates them. */
export async function createDatabase(
  engine: EngineName,
  { migrated = false } = {},
): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  if (engine === 'sqlite') {
    if (migrated) copySqliteTemplate(folder);
    return {
      environment: { SWITCHBOARD_DATABASE: join(folder, 'switchboard.db') },
      folder,
      dispose: async () => removeFolder(),
    };
  }
  const server = await sharedPostgres();
  const name = `t${process.pid}_${++made}`;
  const template = migrated ? postgresTemplate() : undefined;
  await administer(
    server,
    `create database ${name}${template ? ` template ${template.name}` : ''}`,
  );
  return {
    environment: {
      SWITCHBOARD_DATABASE: server.replace(/postgres$/, name),
      SWITCHBOARD_SECRET_KEYS: template?.keys ?? formatKeyRing([generateRingKey()]),
    },
    folder,
    async dispose() {
      removeFolder();
      await administer(server, `drop database ${name} with (force)`);
    },
  };
}

export async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client(server);
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

let own: Promise<string> | undefined;

/** The server that `npm test` started; if a file runs alone, one that is started now. */
function sharedPostgres(): Promise<string> {
  const given = process.env['TEST_POSTGRES'];
  if (given) return Promise.resolve(given);
  own ??= startPostgres({ fsync: 'off' }).then((postgres) => {
    process.once('exit', () => postgres.disposeAtExit());
    return postgres.url;
  });
  return own;
}
