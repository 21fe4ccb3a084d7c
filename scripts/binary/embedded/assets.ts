import { fileURLToPath } from 'node:url';

import { archivedFile } from './archive.ts';

/*
 * The files of the package inside the executable. The build gives every module an address below this root, so that
 * paths relative to `import.meta.url` name a file of the archive.
 */
const ROOT = '/switchboard-executable/';

/** The content of an embedded file; undefined if the path is not below the root. */
export function embeddedFile(path: unknown): Buffer | undefined {
  const name = assetName(path);
  if (name === undefined) return undefined;
  const content = archivedFile(name);
  if (content) return content;
  const error = new Error(`ENOENT: no such file or directory, open '${name}'`);
  throw Object.assign(error, { code: 'ENOENT', path: name });
}

export function assetName(path: unknown): string | undefined {
  const text = path instanceof URL && path.protocol === 'file:' ? fileURLToPath(path) : path;
  return typeof text === 'string' && text.startsWith(ROOT) ? text.slice(ROOT.length) : undefined;
}
