import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readArchive } from './embedded/archive.ts';
import { CODE, load, scripts } from './embedded/programs.ts';
import type * as main from './main.ts';

/*
 * A step of the build, in a process of its own: loads the modules that `serve` loads, without starting it, and writes
 * their compiled code. Functions that ran while they were loaded are in it. What runs must be the same each time, so that
 * two builds are equal; a started service has timers.
 */

const [, , archive = '', out = ''] = process.argv;
readArchive(archive);
const { loadService } = load('main/main.js') as Pick<typeof main, 'loadService'>;
void loadService().then(() => {
  for (const [name, script] of scripts) {
    writeFileSync(join(out, encodeURIComponent(name + CODE)), script.createCachedData());
  }
});
