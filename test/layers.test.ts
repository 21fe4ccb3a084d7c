import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { describe, it } from 'node:test';

import manifest from '../package.json' with { type: 'json' };
import { type Sources, listRepository, readSources, withoutComments } from './support/sources.ts';

/*
 * Enforces the layers of src/. Each layer's allowed imports are listed once, here; `node` and `packages` stand for
 * Node.js modules and npm packages.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: ['model'],
  lib: ['lib', 'node', 'packages'],
  channels: ['model', 'lib', 'node', 'packages'],
  store: ['store', 'model', 'lib', 'node', 'packages'],
  compose: ['compose', 'model', 'lib', 'channels', 'node', 'packages'],
  accept: ['accept', 'compose', 'model', 'lib', 'store', 'channels', 'node', 'packages'],
  deliver: ['deliver', 'compose', 'model', 'lib', 'store', 'channels', 'node', 'packages'],
  chat: ['chat', 'model', 'lib', 'store', 'channels', 'node', 'packages'],
  events: ['events', 'model', 'lib', 'store', 'channels', 'node', 'packages'],
  sandbox: ['sandbox', 'model', 'lib', 'store', 'channels', 'node', 'packages'],
  http: [
    'http',
    'accept',
    'sandbox',
    'chat',
    'compose',
    'store',
    'model',
    'lib',
    'channels',
    'node',
    'packages',
  ],
  'config.ts': ['lib', 'node'],
};

/** Files that wire everything together may import all layers. */
const KNOW_ALL = ['cli', 'main.ts', 'service', 'setup.ts'];

/** Shared by all channels. */
const CONTRACT = [
  'src/channels/channel.ts',
  'src/channels/button-renderer.ts',
  'src/channels/consent-address.ts',
  'src/channels/context.ts',
  'src/channels/credential-formats.ts',
  'src/channels/request.ts',
  'src/channels/inbound.ts',
  'src/channels/options.ts',
  'src/channels/outcome.ts',
  'src/channels/http-failure.ts',
  'src/channels/options.ts',
  'src/channels/templates.ts',
  'src/channels/validity.ts',
  'src/channels/window.ts',
  'src/channels/unexpected-success.ts',
];

/** Shared by one vendor's channels. */
const FAMILIES = ['meta'];

/** The whole client. */
const CLIENT = 'sdk/src/index.ts';

const MAX_LINES = 400;
const MAX_FILES = 25;
/** One file per channel or decision. */
const LISTS = ['docs/channels', 'docs/channels/setup', 'docs/decisions'];

interface Import {
  /** As written: a relative path, `node:…` or the name of a package. */
  specifier: string;
  /** Removed at run time. */
  typeOnly: boolean;
}

const STATIC =
  /^(?:import|export)\s(?<type>type\s)?(?:[^'";]*?\sfrom\s)?\s*['"](?<specifier>[^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*(?<argument>[^)]*?)\s*,?\s*\)/g;
/** The file of a worker thread. */
const THREAD = /new URL\('(?<specifier>[^']+\.ts)', import\.meta\.url\)/g;

function importsOf(path: string, source: string): Import[] {
  const text = withoutComments(source);
  const found: Import[] = [];
  for (const { groups } of text.matchAll(STATIC)) {
    found.push({
      specifier: groups?.['specifier'] ?? '',
      typeOnly: groups?.['type'] !== undefined,
    });
  }
  for (const { groups } of text.matchAll(DYNAMIC)) {
    const literal = /^['"]([^'"]+)['"]$/.exec(groups?.['argument'] ?? '');
    assert.ok(literal?.[1], `${path} has an import that cannot be read: ${groups?.['argument']}`);
    found.push({ specifier: literal[1], typeOnly: false });
  }
  for (const { groups } of text.matchAll(THREAD)) {
    found.push({ specifier: groups?.['specifier'] ?? '', typeOnly: false });
  }
  return found;
}

const isTest = (path: string) => path.endsWith('.test.ts');
const resolve = (from: string, specifier: string) => posix.join(posix.dirname(from), specifier);

/** The layer of a file of src/: its folder, or the file itself outside of folders. */
function layerOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** All violations, one per line. */
function layerFaults(sources: Sources, dependencies: readonly string[]): string[] {
  const faults: string[] = [];
  for (const [path, text] of sources) {
    if (isTest(path)) continue;
    const layer = layerOf(path);
    const allowed = MAY_IMPORT[layer];
    if (!allowed && !KNOW_ALL.includes(layer)) faults.push(`${path} is in no known layer`);
    for (const { specifier } of importsOf(path, text)) {
      const fault = faultOf(path, specifier, allowed, dependencies);
      if (fault) faults.push(`${path} imports ${specifier}: ${fault}`);
    }
  }
  return faults;
}

function faultOf(
  path: string,
  specifier: string,
  allowed: readonly string[] | undefined,
  dependencies: readonly string[],
): string | undefined {
  if (!specifier.startsWith('.')) {
    const kind = specifier.startsWith('node:') ? 'node' : 'packages';
    if (allowed && !allowed.includes(kind)) return `${kind} is not for ${layerOf(path)}`;
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
    if (kind === 'packages' && !dependencies.includes(name)) return 'it is no run-time dependency';
    return undefined;
  }
  const target = resolve(path, specifier);
  // The command line calls the service over HTTP like any client.
  if (target === CLIENT && layerOf(path) === 'cli') return undefined;
  if (!target.startsWith('src/')) return 'it is not in src/';
  if (isTest(target)) return 'it is a test';
  const layer = layerOf(target);
  if (layerOf(path) === 'channels' && layer === 'channels') {
    const mayKnow = path === 'src/channels/index.ts' || CONTRACT.includes(target);
    return mayKnow || isOfOwn(path, target) ? undefined : 'a channel knows no other';
  }
  return !allowed || allowed.includes(layer) ? undefined : `${layer} is not for ${layerOf(path)}`;
}

/** Whether a channel imports from its own folder or from its vendor's. */
function isOfOwn(path: string, target: string): boolean {
  const [, own = ''] = /^src\/channels\/([\w-]+)/.exec(path) ?? [];
  return [own, ...FAMILIES].some((name) => target.startsWith(`src/channels/${name}/`));
}

/** The files of each cycle in import order. */
function cyclesIn(sources: Sources): string[] {
  const edges = new Map(
    [...sources].map(([path, text]) => [
      path,
      importsOf(path, text)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => resolve(path, specifier)),
    ]),
  );
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]) => {
    const since = way.indexOf(path);
    if (since !== -1) cycles.push([...way.slice(since), path].join(' → '));
    if (since !== -1 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
}

function longFiles(sources: Sources): string[] {
  const lines = (text: string) => text.replace(/\n$/, '').split('\n').length;
  return [...sources]
    .filter(([, text]) => lines(text) > MAX_LINES)
    .map(([path, text]) => `${path} has ${lines(text)} lines`);
}

const src = readSources('src/**/*.ts');

describe('the source', () => {
  it('respects its layers', () => {
    assert.ok(src.size > 80, 'the source was not found');
    assert.deepEqual(layerFaults(src, Object.keys(manifest.dependencies)), []);
  });

  it('the source has no import cycles', () => {
    assert.deepEqual(cyclesIn(src), []);
  });

  it(`the source has no file over ${MAX_LINES} lines, including tests, benchmarks and documents`, () => {
    const all = readSources(
      '{src,test,bench,docs}/**/*',
      'console/*',
      'console/src/**/*',
      'site/**/*.{css,ts}',
      'webchat/*',
      'sdk/{src,generator}/**/*.ts',
    );
    assert.ok(all.size > src.size);
    const written = [...all].filter(([path]) => path !== 'sdk/src/api.ts');
    assert.deepEqual(longFiles(new Map(written)), []);
  });

  it(`the source has no folder over ${MAX_FILES} files, including tests, benchmarks and documents`, () => {
    const counts = new Map<string, number>();
    for (const path of listRepository()) {
      const folder = posix.dirname(path);
      if (!LISTS.includes(folder)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    assert.ok(counts.size > 80, 'the folders were not found');
    assert.deepEqual(
      [...counts].filter(([, count]) => count > MAX_FILES),
      [],
    );
  });

  it('the source has each channel in one file or one folder', () => {
    const folders = [...src.keys()].map((path) => posix.dirname(path));
    const both = folders.filter((folder) => src.has(`${folder}.ts`));
    assert.deepEqual(
      both.filter((folder) => folder.startsWith('src/channels/')),
      [],
    );
  });

  it('imports existing files only', () => {
    for (const [path, text] of src) {
      for (const { specifier } of importsOf(path, text)) {
        if (!specifier.startsWith('.') || isTest(path)) continue;
        const target = resolve(path, specifier);
        assert.ok(src.has(target) || target === CLIENT, `${path} imports ${specifier}`);
      }
    }
  });
});

describe('the console', () => {
  const files = readSources('console/src/**/*.{ts,tsx}');

  /** Without secrets, files or network: message markup must look as channels send it. */
  const shared = ['src/lib/rich-text/readers.ts'];

  it('imports only types and the reader of formatted text from the service', () => {
    assert.ok(files.size > 20, 'the console was not found');
    for (const [path, text] of files) {
      for (const { specifier, typeOnly } of importsOf(path, text)) {
        if (!specifier.startsWith('.')) continue;
        const target = resolve(path, specifier);
        if (target.startsWith('console/src/') || shared.includes(target)) continue;
        assert.ok(typeOnly && target.startsWith('src/'), `${path} imports ${specifier}`);
      }
    }
  });

  it('the console has no import cycles', () => {
    assert.deepEqual(cyclesIn(files), []);
  });
});

describe('the layer check', () => {
  const faults = (path: string, text: string) =>
    layerFaults(new Map([[path, text]]), ['kysely', '@scope/a']);

  for (const [path, specifier] of [
    ['src/model/a.ts', '../lib/b.ts'],
    ['src/model/a.ts', '../config.ts'],
    ['src/model/a.ts', 'node:fs'],
    ['src/model/a.ts', 'kysely'],
    ['src/lib/a.ts', '../model/b.ts'],
    ['src/lib/a.ts', '../config.ts'],
    ['src/channels/a.ts', './b.ts'],
    ['src/channels/a.ts', './index.ts'],
    ['src/channels/a.ts', './b/hook.ts'],
    ['src/channels/a/hook.ts', '../a.ts'],
    ['src/channels/a/hook.ts', '../b/hook.ts'],
    ['src/channels/meta/hook.ts', '../a/hook.ts'],
    ['src/channels/channel.ts', './a.ts'],
    ['src/channels/a.ts', '../store/b.ts'],
    ['src/channels/a.ts', '../accept/b.ts'],
    ['src/channels/index.ts', '../store/b.ts'],
    ['src/store/a.ts', '../channels/channel.ts'],
    ['src/store/sqlite/a.ts', '../../accept/b.ts'],
    ['src/store/a.ts', '../config.ts'],
    ['src/accept/a.ts', '../http/b.ts'],
    ['src/accept/a.ts', '../deliver/b.ts'],
    ['src/deliver/a.ts', '../accept/b.ts'],
    ['src/deliver/a.ts', '../events/b.ts'],
    ['src/chat/a.ts', '../accept/b.ts'],
    ['src/chat/a.ts', '../http/b.ts'],
    ['src/events/a.ts', '../accept/b.ts'],
    ['src/events/a.ts', '../http/b.ts'],
    ['src/http/a.ts', '../deliver/b.ts'],
    ['src/http/routes/a.ts', '../../config.ts'],
    ['src/http/a.ts', '../service/service.ts'],
    ['src/config.ts', './model/b.ts'],
    ['src/config.ts', 'kysely'],
    ['src/cli/a.ts', '../../test/support/b.ts'],
    ['src/cli/a.ts', '../lib/b.test.ts'],
    ['src/cli/a.ts', '../../sdk/src/transport.ts'],
    ['src/http/a.ts', '../../sdk/src/index.ts'],
    ['src/cli/a.ts', 'fast-check'],
    ['src/lib/a.ts', 'fast-check'],
    ['src/lib/a.ts', '@scope/b'],
  ] as const) {
    it(`rejects ${path} importing ${specifier}`, () => {
      for (const text of [
        `import { b } from '${specifier}';`,
        `import type { B } from '${specifier}';`,
        `import {\n  a,\n  type B,\n} from '${specifier}';`,
        `import * as b from '${specifier}';`,
        `import '${specifier}';`,
        `export * from '${specifier}';`,
        `export type { B } from '${specifier}';`,
        `const { b } = await import('${specifier}');`,
        `const { b } = await import(\n  '${specifier}',\n);`,
      ]) {
        assert.equal(faults(path, `const before = 1;\n${text}\n`).length, 1, text);
      }
    });
  }

  it('rejects a thread that runs a forbidden file', () => {
    const text = `new Worker(new URL('../../http/b.ts', import.meta.url));`;
    assert.equal(faults('src/store/sqlite/a.ts', text).length, 1);
  });

  it('rejects a file outside of all layers', () => {
    assert.deepEqual(faults('src/helpers/a.ts', ''), ['src/helpers/a.ts is in no known layer']);
    assert.deepEqual(faults('src/utils.ts', ''), ['src/utils.ts is in no known layer']);
  });

  it('rejects an import with a computed path', () => {
    assert.throws(() => faults('src/lib/a.ts', 'await import(`./${name}.ts`);'), /cannot be read/);
  });

  it('accepts allowed imports and ignores comments', () => {
    const text = [
      "// import { a } from '../http/b.ts';",
      "/* import { a } from '../http/b.ts'; */",
      "import { sql } from 'kysely/migration';",
      "import a from '@scope/a/b';",
      "import { b } from '../model/b.ts';",
    ].join('\n');
    assert.deepEqual(faults('src/store/a.ts', text), []);
    assert.deepEqual(faults('src/service/service.ts', "import { b } from '../http/b.ts';"), []);
    assert.deepEqual(faults('src/channels/index.ts', "import { b } from './b.ts';"), []);
    assert.deepEqual(faults('src/channels/b.ts', "import { c } from './channel.ts';"), []);
    assert.deepEqual(faults('src/model/b.test.ts', "import { it } from 'node:test';"), []);
  });
});

describe('the cycle check', () => {
  const cycles = (files: Record<string, string>) => cyclesIn(new Map(Object.entries(files)));

  it('rejects direct and indirect cycles', () => {
    const around = {
      'src/a.ts': "import { b } from './lib/b.ts';",
      'src/lib/b.ts': "export * from './c.ts';",
      'src/lib/c.ts': "await import('../a.ts');",
    };
    assert.deepEqual(cycles(around), ['src/a.ts → src/lib/b.ts → src/lib/c.ts → src/a.ts']);
    assert.deepEqual(cycles({ 'src/a.ts': "import './a.ts';" }), ['src/a.ts → src/a.ts']);
  });

  it('rejects cycles of types and accepts shared imports', () => {
    const types = {
      'src/a.ts': "import { b } from './b.ts';\nimport { c } from './c.ts';",
      'src/b.ts': "import { c } from './c.ts';",
      'src/c.ts': 'export const c = 1;',
    };
    assert.deepEqual(cycles(types), []);
    const both = { ...types, 'src/c.ts': "export type { B } from './b.ts';" };
    assert.deepEqual(cycles(both), ['src/b.ts → src/c.ts → src/b.ts']);
  });
});

describe('the length check', () => {
  it('rejects one line over the limit', () => {
    const file = (count: number) => longFiles(new Map([['a.ts', 'x\n'.repeat(count)]]));
    assert.deepEqual(file(MAX_LINES), []);
    assert.deepEqual(file(MAX_LINES + 1), [`a.ts has ${MAX_LINES + 1} lines`]);
  });
});
