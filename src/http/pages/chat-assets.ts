import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** What the page of the web chat loads, as it stands in the folder beside this file. */
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

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** What a site embeds. */
export const EMBED = 'webmessenger.js';

export interface Asset {
  type: string;
  text: string;
  gzipped: Buffer;
}

export interface ChatAssets {
  /** Changes whenever one of them does, so that a browser may keep what it has for good. */
  hash: string;
  files: ReadonlyMap<string, Asset>;
}

let loaded: Promise<ChatAssets> | undefined;

/** Read once, when they are first asked for: most services never need them. */
export function chatAssets(): Promise<ChatAssets> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<ChatAssets> {
  const hash = createHash('sha256');
  const files = new Map<string, Asset>();
  for (const name of [...CHAT_ASSETS, EMBED]) {
    const text = await readFile(new URL(`chat/${name}`, import.meta.url), 'utf8');
    const gzipped = await promisify(gzip)(text, { level: 9 });
    const type = `${TYPES[extname(name)]}; charset=utf-8`;
    files.set(name, { type, text, gzipped });
    hash.update(text);
  }
  return { hash: hash.digest('base64url').slice(0, 12), files };
}
