import { existsSync, readFileSync } from 'node:fs';

import consoleManifest from '../../console/package.json' with { type: 'json' };
import lockfile from '../../package-lock.json' with { type: 'json' };
import { table } from './table.ts';

/* The licenses of the runtime dependencies, from the lock file or, if it has none, from the package itself. */

interface Locked {
  version?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
}

interface Manifest {
  license?: string;
  /** The deprecated form, which old packages still use. */
  licenses?: readonly { type: string }[];
}

const MARK = 'node_modules/';

/** Everything that `npm ci --omit=dev` installs, on any platform. */
export function runtimePackages(): { path: string; name: string; version: string }[] {
  return Object.entries<Locked>(lockfile.packages)
    .filter(([path, { dev, link }]) => path.includes(MARK) && !dev && !link)
    .map(([path, { version = '' }]) => ({
      path,
      name: path.slice(path.lastIndexOf(MARK) + MARK.length),
      version,
    }));
}

export function licenseOf(path: string): string {
  const packages: Readonly<Record<string, Locked>> = lockfile.packages;
  const { license, licenses = [] } = manifestOf(path);
  return packages[path]?.license ?? license ?? licenses[0]?.type ?? licenseText(path);
}

function manifestOf(path: string): Manifest {
  const file = new URL(`../../${path}/package.json`, import.meta.url);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : {};
}

/** Reads the license from its text, for a package that declares none. */
function licenseText(path: string): string {
  const file = new URL(`../../${path}/LICENSE`, import.meta.url);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text.startsWith('The MIT License (MIT)') ? 'MIT' : 'none';
}

/** Build tools of the console; nothing of them is in the built files. */
const BUILD_TOOLS = /^@types\/|vite|^tailwindcss$/;
const FONT = 'node_modules/@fontsource-variable/inter';

/** The packages whose code or files the built console contains. */
function bundledPackages(): string[][] {
  return Object.entries(consoleManifest.devDependencies)
    .filter(([name]) => !BUILD_TOOLS.test(name))
    .map(([name, version]) => [name, version, licenseOf(MARK + name)]);
}

/** The license of the font must accompany it. */
function fontLicense(): string {
  const file = new URL(`../../${FONT}/LICENSE`, import.meta.url);
  return readFileSync(file, 'utf8').trim();
}

export function licensesPage(notice: string): string {
  const packages = runtimePackages().toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const rows = packages.map(({ path, name, version }) => [name, version, licenseOf(path)]);
  const counts = Map.groupBy(rows, ([, , license = '']) => license);
  const totals = [...counts]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([license, { length }]) => `${license} (${length})`);
  return `# Licenses

${notice}
<!-- From package-lock.json, by docs/generate/licenses.ts. -->

Switchboard is released under the [MIT license](../LICENSE). Its runtime dependencies are under these licenses: ${totals.join(', ')}.
All of them allow any use and only require that the license text is kept. Each package has its text in its folder in
\`node_modules/\`. Development dependencies are not listed.

${table(['package', 'version', 'license'], rows)}
## Console

The built console also contains these packages and their dependencies. It and the built documentation include Inter unchanged, as one woff2 file per script (Latin, Greek, Cyrillic, …).

${table(['package', 'version', 'license'], bundledPackages())}
### Inter

\`\`\`text
${fontLicense()}
\`\`\`
`;
}
