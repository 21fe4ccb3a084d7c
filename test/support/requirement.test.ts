import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

const FILE = pathToFileURL(join(import.meta.dirname, 'requirement.ts')).href;

/** What a process prints that looks for a program. */
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
  it('is found where it is', () => {
    const name = process.platform === 'win32' ? 'cmd.exe' : 'sh';
    assert.match(look(name, { PATH: process.env['PATH'] ?? '' }), /"skip":false/);
  });

  it('is skipped with the way to get it, where it is not', () => {
    assert.match(look('no-such-program', {}), /NOT TESTED.*apt-get install it/);
  });

  it('may not be missing where everything has to be tested', () => {
    assert.match(look('no-such-program', { CI: 'true' }), /^failed: NOT TESTED/);
  });
});
