import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { it } from 'node:test';

const ROOT = new URL('../../', import.meta.url).pathname;

/** A folder with a slash, or a file: `store/sqlite/`, `http/routes/hooks.ts`, `teams.ts`. */
const PATH =
  /(?<![\w./:#-])(?:[\w-]+\/)+(?:[\w.-]+\.(?:ts|css|md|yml|json))?(?![\w/])|(?<![\w./-])[\w-]+\.ts\b/g;
/** Words with a slash that are no paths. */
const NO_PATHS = new Set(['I/']);

it('every file and folder that ARCHITECTURE.md names exists', () => {
  const names = new Set(
    globSync('{src,console,sdk,test,docs}/**/*.ts', { cwd: ROOT }).map((path) => basename(path)),
  );
  const missing = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      // In a table of folders, the first cell is the folder of the others.
      const [, folder = ''] = /^\| `([\w/]+\/)`/.exec(line) ?? [];
      const parents = ['', 'src', 'console', 'console/src', 'src/channels', 'src/store', folder];
      return [...line.matchAll(PATH)]
        .map(([path]) => path)
        .filter((path) => !NO_PATHS.has(path))
        .filter((path) => !parents.some((parent) => existsSync(join(ROOT, parent, path))))
        .filter((path) => path.includes('/') || !names.has(path));
    });
  assert.deepEqual(missing, []);
});

it('ARCHITECTURE.md names every folder of src/model, src/store and src/http', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const folders = globSync('src/{model,store,http}/*/', { cwd: ROOT }).map((path) =>
    basename(path),
  );
  assert.ok(folders.length > 10);
  assert.deepEqual(
    folders.filter((name) => !text.includes(`${name}/`)),
    [],
  );
});
