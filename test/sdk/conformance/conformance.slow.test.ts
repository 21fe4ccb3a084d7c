import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import manifest from '../../../package.json' with { type: 'json' };
import { requirement } from '../../support/requirement.ts';
import { ROOT } from '../../support/sources.ts';
import { CASES } from './cases.ts';
import { COMPOSE_CASES } from './compose.ts';
import type { Driver } from './driver.ts';
import { openPython } from './python.ts';
import { openTypeScript } from './typescript.ts';

/* Every client passes the same list. */

const PYTHON = requirement('python3', 'apt-get install python3');
/** Debian's own, even if another one is earlier in the PATH. */
const DEBIAN_PYTHON = '/usr/bin/python3';
const python = existsSync(DEBIAN_PYTHON) ? DEBIAN_PYTHON : (PYTHON.path ?? '');
const MYPY = requirement('mypy', 'apt-get install mypy');
const FOLDER = join(ROOT, 'clients', 'python');

const CLIENTS: readonly [name: string, skip: string | false, open: () => Driver][] = [
  ['TypeScript', false, openTypeScript],
  ['Python', PYTHON.skip, () => openPython(python, 'sync')],
  ['asynchronous Python', PYTHON.skip, () => openPython(python, 'async')],
];

for (const [client, skip, open] of CLIENTS) {
  describe(`the ${client} client`, { skip }, () => {
    for (const [name, run] of [...CASES, ...COMPOSE_CASES]) {
      it(`the ${client} client ${name}`, async () => {
        await using driver = open();
        await run(driver);
      });
    }
  });
}

/** The programs of the README as one module. */
function readme(): string {
  const text = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  const programs = [...text.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
  assert.ok(programs.length > 3);
  return programs.join('\n');
}

it(
  'the Python client and the programs of its README have consistent types',
  { skip: MYPY.skip },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-python-'));
    const program = join(folder, 'readme.py');
    writeFileSync(program, readme());
    const { status, stdout } = spawnSync(
      MYPY.path ?? '',
      ['--cache-dir', '/dev/null', '--python-executable', python, 'src', 'tests', program],
      { cwd: FOLDER, encoding: 'utf8', env: { ...process.env, MYPYPATH: 'src' } },
    );
    rmSync(folder, { recursive: true });
    assert.equal(status, 0, stdout);
  },
);

it('the Python client has the version of the service and no dependencies', () => {
  const project = readFileSync(join(FOLDER, 'pyproject.toml'), 'utf8');
  assert.match(project, new RegExp(`^version = "${manifest.version}"$`, 'm'));
  assert.match(project, /^dependencies = \[\]$/m);
});
