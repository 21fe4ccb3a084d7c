import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import type { Answer, Call } from '../server/route.ts';

/* Files whose names change with their content: the assets of the console and the documentation. */

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** File types that are already compressed. */
const COMPRESSED_TYPES: ReadonlySet<string> = new Set(['.ico', '.png', '.webp', '.woff2']);

const YEAR_SECONDS = 365 * 24 * 60 * 60;

export interface StaticFile {
  type: string;
  /** Changes with the content. */
  tag: string;
  bytes: Buffer;
  /** Compressed variants by encoding, best first. */
  packed: ReadonlyMap<string, Buffer>;
}

export class StaticFiles {
  readonly #folder: string;
  /** Names change with the content, so entries never expire. */
  readonly #cache = new Map<string, StaticFile>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async file(name: string): Promise<StaticFile | undefined> {
    const cached = this.#cache.get(name);
    if (cached) return cached;
    const type = MEDIA_TYPES[extname(name)];
    // File names only: nothing outside the folder.
    if (!type || !/^\w[\w.-]*$/.test(name)) return undefined;
    const path = join(this.#folder, name);
    const bytes = await ignoreMissing(readFile(path));
    if (!bytes) return undefined;
    const packed = COMPRESSED_TYPES.has(extname(name)) ? new Map() : await compress(path, bytes);
    const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    const file = { type, tag, bytes, packed };
    this.#cache.set(name, file);
    return file;
  }
}

/** Precompressed by the build, otherwise by gzip. */
async function compress(path: string, bytes: Buffer): Promise<Map<string, Buffer>> {
  const brotli = await ignoreMissing(readFile(`${path}.br`));
  const gzipped =
    (await ignoreMissing(readFile(`${path}.gz`))) ?? (await promisify(gzip)(bytes, { level: 9 }));
  return new Map([...(brotli ? ([['br', brotli]] as const) : []), ['gzip', gzipped]]);
}

/** Undefined if the file does not exist. */
export async function ignoreMissing<Content>(
  reading: Promise<Content>,
): Promise<Content | undefined> {
  try {
    return await reading;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}

/** Names change with the content, so browsers may cache files forever. */
export function fileAnswer(
  { headers: requestHeaders }: Pick<Call<unknown, unknown>, 'headers'>,
  file: StaticFile,
): Answer {
  const accepted = requestHeaders['accept-encoding'] ?? '';
  const [encoding, bytes = file.bytes] =
    [...file.packed].find(([name]) => new RegExp(`\\b${name}\\b`).test(accepted)) ?? [];
  const etag = `"${file.tag}${encoding === undefined ? '' : `-${encoding}`}"`;
  const headers = {
    etag,
    'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
    vary: 'accept-encoding',
    'cross-origin-resource-policy': 'same-origin',
  };
  if (requestHeaders['if-none-match']?.includes(etag)) return { status: 304, headers };
  return {
    status: 200,
    stream: Readable.from([bytes]),
    headers: {
      ...headers,
      'content-type': file.type,
      'content-length': String(bytes.length),
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    },
  };
}
