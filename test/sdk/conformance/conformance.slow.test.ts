import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import manifest from '../../../package.json' with { type: 'json' };
import { PYTHON, PYTHON_CLIENT } from '../../support/programs/python.ts';
import { requirement } from '../../support/requirement.ts';
import { CASES } from './cases.ts';
import { COMPOSE_CASES } from './compose.ts';
import type { Driver } from './driver.ts';
import { openPython } from './python.ts';
import { openTypeScript } from './typescript.ts';

/* Every client passes the same list. */

const MYPY = requirement('mypy', 'apt-get install mypy');

const CLIENTS: readonly [name: string, skip: string | false, open: () => Driver][] = [
  ['TypeScript', false, openTypeScript],
  ['Python', PYTHON.skip, () => openPython('sync')],
  ['asynchronous Python', PYTHON.skip, () => openPython('async')],
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
  const text = readFileSync(join(PYTHON_CLIENT, 'README.md'), 'utf8');
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
      ['--cache-dir', '/dev/null', '--python-executable', PYTHON.path, 'src', 'tests', program],
      { cwd: PYTHON_CLIENT, encoding: 'utf8', env: { ...process.env, MYPYPATH: 'src' } },
    );
    rmSync(folder, { recursive: true });
    assert.equal(status, 0, stdout);
  },
);

it('the Python client has the version of the service and no dependencies', () => {
  const project = readFileSync(join(PYTHON_CLIENT, 'pyproject.toml'), 'utf8');
  assert.match(project, new RegExp(`^version = "${manifest.version}"$`, 'm'));
  assert.match(project, /^dependencies = \[\]$/m);
});
