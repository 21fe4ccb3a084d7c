import { existsSync, readFileSync } from 'node:fs';

import lockfile from '../package-lock.json' with { type: 'json' };
import { table } from './table.ts';

/* The licences of what the service needs at run time, from the lock file and, where that is silent, the packages. */

interface Locked {
  version?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
}

interface Manifest {
  license?: string;
  /** As it was written long ago. */
  licenses?: readonly { type: string }[];
}

const MARK = 'node_modules/';

/** Everything that is installed by `npm ci --omit=dev`, on whatever platform. */
export function runtimePackages(): { path: string; name: string; version: string }[] {
  return Object.entries<Locked>(lockfile.packages)
    .filter(([path, { dev, link }]) => path.includes(MARK) && !dev && !link)
    .map(([path, { version = '' }]) => ({
      path,
      name: path.slice(path.lastIndexOf(MARK) + MARK.length),
      version,
    }));
}

export function licenceOf(path: string): string {
  const packages: Readonly<Record<string, Locked>> = lockfile.packages;
  const { license, licenses = [] } = manifestOf(path);
  return packages[path]?.license ?? license ?? licenses[0]?.type ?? licenceText(path);
}

function manifestOf(path: string): Manifest {
  const file = new URL(`../${path}/package.json`, import.meta.url);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : {};
}

/** What the text says, where nothing else does. */
function licenceText(path: string): string {
  const file = new URL(`../${path}/LICENSE`, import.meta.url);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text.startsWith('The MIT License (MIT)') ? 'MIT' : 'none';
}

export function licencesPage(notice: string): string {
  const packages = runtimePackages().toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const rows = packages.map(({ path, name, version }) => [name, version, licenceOf(path)]);
  const counts = Map.groupBy(rows, ([, , licence = '']) => licence);
  const totals = [...counts]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([licence, { length }]) => `${licence} (${length})`);
  return `# Licences

${notice}
<!-- From package-lock.json, by docs/licences.ts. -->

Switchboard is under the [MIT licence](../LICENSE). What it needs at run time is under these, all of which let anyone use
it and ask for no more than that their text is kept: ${totals.join(', ')}. Each package has its text in its folder in
\`node_modules/\`. What only building and testing need is not listed.

${table(['package', 'version', 'licence'], rows)}`;
}
