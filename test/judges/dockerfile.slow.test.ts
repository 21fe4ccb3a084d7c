import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { openJudge } from '../support/judges.ts';
import { requirement } from '../support/requirement.ts';
import { ROOT } from '../support/sources.ts';

/*
 * dockerfile-utils is the linter of Docker's editor extensions: the syntax. dockerlinter has rules for good images, and runs
 * ShellCheck on each command.
 */

const { skip, load, folder: judge } = await openJudge('dockerfile');
const shellcheck = requirement('shellcheck', 'apt-get install shellcheck');

/** "Command does not make sense in a container": the build ends the first start with `kill`. */
const IGNORED = 'ER0005';

interface Diagnostic {
  range: { start: { line: number } };
  message: string;
}

interface Linter {
  validate(text: string): Diagnostic[];
}

const isLinter = (value: unknown): value is Linter =>
  typeof value === 'object' && value !== null && 'validate' in value;

describe('the Dockerfile', { skip }, () => {
  const faultsOf = (text: string) => {
    const linter = load('dockerfile-utils');
    if (!isLinter(linter)) throw new Error('dockerfile-utils has no linter');
    return linter.validate(text).map(({ range, message }) => `${range.start.line + 1}: ${message}`);
  };

  it('the Dockerfile passes a linter', () => {
    assert.deepEqual(faultsOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')), []);
  });

  it('the linter finds deprecated, misspelt and repeated instructions', () => {
    const text = 'FROM node\nMAINTAINER ada\nRUNN true\nCMD ["a"]\nCMD ["b"]\nEXPOSE port\n';
    assert.equal(faultsOf(text).length, 4, faultsOf(text).join('\n'));
  });

  describe('rules for images', { skip: shellcheck.skip }, () => {
    it('the Dockerfile follows the rules', () => {
      assert.deepEqual(rulesBrokenBy(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')), []);
    });

    it('the linter finds broken rules, in commands too', () => {
      const text = 'FROM debian\nRUN cd /x && sudo echo $1 | wc\nADD a b\nCMD ["a"]\n';
      const expected = ['EA0002', 'EF0004', 'ER0001', 'ER0003', 'ER0004', 'SC2086'];
      assert.deepEqual(
        rulesBrokenBy(text).filter((rule) => expected.includes(rule)),
        expected,
      );
    });
  });
});

/** The codes of the broken rules, sorted. */
function rulesBrokenBy(text: string): string[] {
  // It writes its scripts for ShellCheck into the current folder.
  const cwd = mkdtempSync(join(tmpdir(), 'switchboard-lint-'));
  try {
    writeFileSync(join(cwd, 'Dockerfile'), text);
    const program = join(judge, 'node_modules', 'dockerlinter', 'bin', 'dockerfilelinter.js');
    const options = ['-f', 'Dockerfile', '-i', IGNORED, '--error'];
    const run = spawnSync(process.execPath, [program, ...options], { cwd, encoding: 'utf8' });
    const codes = [...run.stdout.matchAll(/\/((?:E[A-Z]|SC)\d+)\//g)].map(([, code = '']) => code);
    assert.equal(run.status, codes.length === 0 ? 0 : 1, run.stdout + run.stderr);
    return [...new Set(codes)].toSorted();
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
