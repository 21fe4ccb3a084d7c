import { cpSync } from 'node:fs';
import { join } from 'node:path';

import { readConfig } from '../../../src/config.ts';
import { formatKeyRing, generateRingKey } from '../../../src/lib/crypto/seal.ts';
import { openStore } from '../../../src/setup.ts';

/*
 * Migrated, empty databases, created once for all tests: copying one is much faster than running every migration. A test
 * file that runs alone has no templates.
 */

const SQLITE = 'TEST_TEMPLATE_SQLITE';
const POSTGRES = 'TEST_TEMPLATE_POSTGRES';
const KEYS = 'TEST_TEMPLATE_KEYS';

/** Creates the templates; returns the environment variables through which tests find them. */
export async function makeTemplates(
  folder: string,
  postgresUrl: string,
): Promise<Record<string, string>> {
  const keys = formatKeyRing([generateRingKey()]);
  for (const database of [
    { SWITCHBOARD_DATABASE: join(folder, 'switchboard.db') },
    { SWITCHBOARD_DATABASE: postgresUrl, SWITCHBOARD_SECRET_KEYS: keys },
  ]) {
    const store = await openStore(readConfig(database));
    await store.close();
  }
  return {
    [SQLITE]: folder,
    [POSTGRES]: new URL(postgresUrl).pathname.slice(1),
    [KEYS]: keys,
  };
}

/** Copies the embedded store and its key ring to a folder, if there is a template. */
export function copySqliteTemplate(folder: string): void {
  const template = process.env[SQLITE];
  if (template) cpSync(template, folder, { recursive: true });
}

/** The database to copy, and its key ring. */
export function postgresTemplate(): { name: string; keys: string } | undefined {
  const { [POSTGRES]: name, [KEYS]: keys } = process.env;
  return name && keys ? { name, keys } : undefined;
}
