import { readFile, readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

import { EXTERNAL_PAGES, addressOf } from '../src/http/pages/contents.ts';

/* The Markdown pages and the links between them. */

export const ROOT = new URL('../', import.meta.url);

/** Fragments included in other pages. */
const PARTS = 'channels/setup/';

/** Page texts by name. */
export type Manual = ReadonlyMap<string, string>;

export async function readManual(): Promise<Manual> {
  const folder = fileURLToPath(new URL('docs', ROOT));
  const files = (await readdir(folder, { recursive: true }))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md') && !file.startsWith(PARTS))
    .toSorted()
    .map((file) => [file.slice(0, -'.md'.length), `docs/${file}`] as const);
  const pages = new Map<string, string>();
  for (const [name, file] of [...files, ...Object.entries(EXTERNAL_PAGES)]) {
    pages.set(name, await readFile(new URL(file, ROOT), 'utf8'));
  }
  return pages;
}

/** Target of a link: another page or site; undefined for files that are only in the repository. */
export function resolveLink(pages: Manual, from: string, link: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link) || link.startsWith('#')) return link;
  const [target = '', fragment] = link.split('#');
  const file = posix.join(posix.dirname(fileOf(from)), target);
  const name =
    Object.entries(EXTERNAL_PAGES).find(([, path]) => path === file)?.[0] ??
    /^docs\/(.+)\.md$/.exec(file)?.[1];
  if (name === undefined || !pages.has(name)) return undefined;
  return addressOf(name) + (fragment === undefined ? '' : `#${fragment}`);
}

const fileOf = (name: string) => EXTERNAL_PAGES[name] ?? `docs/${name}.md`;
