import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** The browser part of the web chat: plain files in webchat/, served as they are. */
export const CHAT_ASSETS = [
  'chat.css',
  'chat.js',
  'composer.css',
  'composer.js',
  'connection.js',
  'entries.css',
  'entries.js',
  'files.js',
  'icon.svg',
  'log.js',
  'outbox.js',
  'runs.js',
  'site.js',
] as const;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** The script that sites embed. */
export const EMBED = 'webmessenger.js';

export interface Asset {
  type: string;
  text: string;
  gzipped: Buffer;
}

interface ChatAssets {
  /** Changes with any of the files, so that browsers may cache them forever. */
  hash: string;
  files: ReadonlyMap<string, Asset>;
}

let loaded: Promise<ChatAssets> | undefined;

/** Read on first use: most services never need them. */
export function chatAssets(): Promise<ChatAssets> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<ChatAssets> {
  const hash = createHash('sha256');
  const files = new Map<string, Asset>();
  for (const name of [...CHAT_ASSETS, EMBED]) {
    const text = await readFile(new URL(`../../../webchat/${name}`, import.meta.url), 'utf8');
    const gzipped = await promisify(gzip)(text, { level: 9 });
    const type = `${MEDIA_TYPES[extname(name)]}; charset=utf-8`;
    files.set(name, { type, text, gzipped });
    hash.update(text);
  }
  return { hash: hash.digest('base64url').slice(0, 12), files };
}
