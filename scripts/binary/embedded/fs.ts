import fs from 'node:fs';

import { embeddedFile } from './assets.ts';

/* Replaces `node:fs` in src/: reads embedded files from the executable, and everything else from disk. */

export * from 'node:fs';

type Options = Parameters<typeof fs.readFileSync>[1];

export function readFileSync(
  path: fs.PathOrFileDescriptor,
  options: Options = {},
): string | Buffer {
  const bytes = embeddedFile(path);
  if (bytes === undefined) return fs.readFileSync(path, options);
  return isText(options) ? bytes.toString('utf8') : bytes;
}

/** Whether the caller asked for a string. All our files are UTF-8. */
export function isText(options: unknown): boolean {
  return (
    options === 'utf8' || (typeof options === 'object' && options !== null && 'encoding' in options)
  );
}
