import fs from 'node:fs/promises';

import { embeddedFile } from './assets.ts';
import { isText } from './fs.ts';

/* Replaces `node:fs/promises` in src/: reads embedded files from the executable, and everything else from disk. */

export * from 'node:fs/promises';

type Path = Parameters<typeof fs.readFile>[0];
type Options = Parameters<typeof fs.readFile>[1];

export async function readFile(path: Path, options: Options = null): Promise<string | Buffer> {
  const bytes = embeddedFile(path) ?? (await fs.readFile(path, options));
  return typeof bytes !== 'string' && isText(options) ? bytes.toString('utf8') : bytes;
}
