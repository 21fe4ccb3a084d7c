import { cpSync } from 'node:fs';
import { join } from 'node:path';

import { readConfig } from '../../src/config.ts';
import { formatKeyRing, generateRingKey } from '../../src/lib/seal.ts';
import { openStore } from '../../src/setup.ts';

/*
 * Databases that are up to date and empty, made once for all tests: a copy of one is there much sooner than one that
 * goes through every migration. A file that is run alone has none of them, and does without.
 */

const SQLITE = 'TEST_TEMPLATE_SQLITE';
const POSTGRES = 'TEST_TEMPLATE_POSTGRES';
const KEYS = 'TEST_TEMPLATE_KEYS';

/** Makes them, and answers the environment in which tests find them. */
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

/** Fills a folder with the embedded store of that name and its key ring. */
export function copySqliteTemplate(folder: string): void {
  const template = process.env[SQLITE];
  if (template) cpSync(template, folder, { recursive: true });
}

/** The database to copy, and the key ring that it is sealed with. */
export function postgresTemplate(): { name: string; keys: string } | undefined {
  const { [POSTGRES]: name, [KEYS]: keys } = process.env;
  return name && keys ? { name, keys } : undefined;
}
