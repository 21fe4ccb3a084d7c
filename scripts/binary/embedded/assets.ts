import { getRawAsset } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { inflateRawSync } from 'node:zlib';

import type { Place } from '../archive.ts';
import { ARCHIVE } from './archive-name.ts';

/*
 * The files of the package inside the executable. The build gives every module an address below this root, so that
 * paths relative to `import.meta.url` name an asset.
 */
const ROOT = '/switchboard-executable/';

/** The content of an embedded file; undefined if the path is not below the root. */
export function embeddedFile(path: unknown): Buffer | undefined {
  const name = assetName(path);
  if (name === undefined) return undefined;
  archive ??= openArchive();
  const place = archive.places.get(name);
  if (!place) {
    const error = new Error(`ENOENT: no such file or directory, open '${name}'`);
    throw Object.assign(error, { code: 'ENOENT', path: name });
  }
  const [start, size] = place;
  return inflateRawSync(archive.contents.subarray(start, start + size));
}

interface Archive {
  places: ReadonlyMap<string, Place>;
  contents: Buffer;
}

let archive: Archive | undefined;

function openArchive(): Archive {
  const bytes = Buffer.from(getRawAsset(ARCHIVE));
  const begin = 4 + bytes.readUInt32LE();
  const index = bytes.toString('utf8', 4, begin);
  const places = JSON.parse(index) as Record<string, Place>;
  return { places: new Map(Object.entries(places)), contents: bytes.subarray(begin) };
}

export function assetName(path: unknown): string | undefined {
  const text = path instanceof URL && path.protocol === 'file:' ? fileURLToPath(path) : path;
  return typeof text === 'string' && text.startsWith(ROOT) ? text.slice(ROOT.length) : undefined;
}
