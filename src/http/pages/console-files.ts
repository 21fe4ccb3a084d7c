import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Output of `npm run build:console`. */
const DEFAULT_FOLDER = fileURLToPath(new URL('../../../console/dist', import.meta.url));

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

export interface ConsoleFile {
  type: string;
  /** Changes with the content. */
  tag: string;
  bytes: Buffer;
  /** Compressed variants by encoding, best first. */
  packed: ReadonlyMap<string, Buffer>;
}

/** The built console: one page and its files. */
export class ConsoleFiles {
  readonly #folder: string;
  /** Cached files. Names change with the content, so entries never expire. */
  readonly #cache = new Map<string, ConsoleFile>();

  constructor(folder = DEFAULT_FOLDER) {
    this.#folder = folder;
  }

  /** Undefined if the console is not built. */
  async page(): Promise<string | undefined> {
    return (await read(join(this.#folder, 'index.html')))?.toString();
  }

  async file(name: string): Promise<ConsoleFile | undefined> {
    const cached = this.#cache.get(name);
    if (cached) return cached;
    const type = MEDIA_TYPES[extname(name)];
    // File names only: nothing outside the folder.
    if (!type || !/^\w[\w.-]*$/.test(name)) return undefined;
    const path = join(this.#folder, 'assets', name);
    const bytes = await read(path);
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
  const brotli = await read(`${path}.br`);
  const gzipped = (await read(`${path}.gz`)) ?? (await promisify(gzip)(bytes, { level: 9 }));
  return new Map([...(brotli ? ([['br', brotli]] as const) : []), ['gzip', gzipped]]);
}

async function read(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}
