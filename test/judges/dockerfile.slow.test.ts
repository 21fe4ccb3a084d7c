import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { openJudge } from '../support/judges.ts';
import { ROOT } from '../support/sources.ts';

/* The linter of Docker's editor extensions. */

const { skip, load } = await openJudge('dockerfile');

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
});
