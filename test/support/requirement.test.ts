import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

const FILE = pathToFileURL(join(import.meta.dirname, 'requirement.ts')).href;

/** The output of a process that calls `requirement`. */
function look(name: string, env: Record<string, string>): string {
  const script = `
    const { requirement } = await import(${JSON.stringify(FILE)});
    try {
      console.log(JSON.stringify(requirement(${JSON.stringify(name)}, 'apt-get install it')));
    } catch (error) {
      console.log('failed: ' + error.message);
    }`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

describe('a program that a test needs', () => {
  it('a program that a test needs is found in the PATH', () => {
    const name = process.platform === 'win32' ? 'cmd.exe' : 'sh';
    assert.match(look(name, { PATH: process.env['PATH'] ?? '' }), /"skip":false/);
  });

  it('causes a skip with installation instructions if it is missing', () => {
    assert.match(look('no-such-program', {}), /NOT TESTED.*apt-get install it/);
  });

  it('causes a failure if it is missing in CI', () => {
    assert.match(look('no-such-program', { CI: 'true' }), /^failed: NOT TESTED/);
  });
});
