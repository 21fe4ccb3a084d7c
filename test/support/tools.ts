import { join } from 'node:path';

import { ROOT } from './sources.ts';

/* Tools that npm installs, as files to run with this Node. The links in node_modules/.bin would use the machine's Node. */

export const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
export const ATTW = join(ROOT, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');
