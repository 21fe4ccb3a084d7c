import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * The software bill of materials: every package that a release contains, in CycloneDX. That is what the service needs at
 * run time, the Node.js of the executables, and what is bundled into the console and the documentation.
 */

interface Component {
  'bom-ref': string;
  name: string;
  scope?: string;
}

interface Bom {
  serialNumber: string;
  metadata: { timestamp: string; component: { 'bom-ref': string; name: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** Nothing of these is in the built pages. */
const BUILD_TOOLS =
  /^@types\/|vite|^tailwindcss$|^@tailwindcss\/|^shiki$|^markdown-it$|^beautiful-mermaid$/;

const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Names of the packages that a release contains; their own dependencies are in it too. */
function contained(): Set<string> {
  const { dependencies = {}, optionalDependencies = {} } = manifestIn('.');
  const bundled = ['console', 'site'].flatMap((folder) =>
    Object.keys(manifestIn(folder).devDependencies ?? {}),
  );
  return new Set([
    ...Object.keys(dependencies),
    ...Object.keys(optionalDependencies),
    ...bundled.filter((name) => !BUILD_TOOLS.test(name)),
  ]);
}

/** Writes it; returns the name of the file. It has no date but the commit's and no random number. */
export function writeSbom(folder: string, version: string, seconds: number): string {
  const options = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const text = execFileSync('npm', options, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const bom = JSON.parse(text) as Bom;
  const edges = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn ?? []]));
  const names = contained();
  const kept = new Set<string>();
  const byRef = new Map(bom.components.map((one) => [one['bom-ref'], one]));
  const own = bom.components.filter((one) => one['bom-ref'].startsWith('@switchboard/'));
  const root = bom.metadata.component['bom-ref'];
  const next = [root, ...own.map((one) => one['bom-ref'])]
    .flatMap((ref) => edges.get(ref) ?? [])
    .filter((ref) => names.has(byRef.get(ref)?.name ?? ''));
  for (let ref = next.pop(); ref !== undefined; ref = next.pop()) {
    if (kept.has(ref)) continue;
    kept.add(ref);
    next.push(...(edges.get(ref) ?? []));
  }
  bom.components = bom.components.filter((one) => kept.has(one['bom-ref']));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => ref === root || kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => kept.has(one)),
    }));
  // npm writes the name of the folder.
  bom.metadata.component.name = 'switchboard';
  bom.metadata.timestamp = new Date(seconds * 1000).toISOString();
  bom.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bom.components))}`;
  const file = `switchboard-${version}.cdx.json`;
  writeFileSync(join(folder, file), `${JSON.stringify(bom, null, 2)}\n`);
  return file;
}

/** A UUID that depends on the content only (version 8, RFC 9562). */
function uuidOf(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
