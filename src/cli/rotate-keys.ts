import { renameSync, writeFileSync } from 'node:fs';

import { readConfig } from '../config.ts';
import { formatKeyRing, generateRingKey } from '../lib/seal.ts';
import { readRing, ringFile } from '../setup.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** How many keys of the past a ring file keeps, so that backups of late can still be opened. */
const KEPT = 3;

/**
 * With a ring file, adds a new key to it; the running service takes it up by itself. With a ring in the
 * settings, its first key is the new one. Then everything is sealed anew.
 */
export async function rotateKeys(): Promise<void> {
  const config = readConfig(process.env);
  await withStore(async (store) => {
    if (config.secretKeys) {
      print(
        `Sealing with the first key of SWITCHBOARD_SECRET_KEYS, "${config.secretKeys[0]?.id}".`,
      );
    } else {
      const file = ringFile(config);
      const made = generateRingKey();
      const ring = [made, ...readRing(file).slice(0, KEPT)];
      // Renamed into place, so that nobody ever reads half of it.
      writeFileSync(`${file}.new`, `${formatKeyRing(ring)}\n`, { mode: 0o600, flush: true });
      renameSync(`${file}.new`, file);
      print(`Added the key "${made.id}" to ${file}.`);
    }
    // What the service sealed while it did not know of the new key yet is found by the next pass.
    let count = 0;
    for (;;) {
      const anew = await store.resealAll();
      if (anew === 0) break;
      count += anew;
    }
    print(
      `Sealed ${count} secret${count === 1 ? '' : 's'} anew. Keep the older keys for as long as you keep older backups.`,
    );
  });
}
