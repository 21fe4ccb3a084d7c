import assert from 'node:assert/strict';
import { availableParallelism, loadavg } from 'node:os';
import { it } from 'node:test';

import { CHROMIUM } from '../support/programs/browser.ts';
import { playNewcomer } from '../support/programs/newcomer.ts';

const MAX_SECONDS = 60;

it('a newcomer gets from npm start to an answered message', { skip: CHROMIUM.skip }, async (t) => {
  const { seconds, faults } = await playNewcomer();
  const { listening, signedIn, answered } = seconds;
  t.diagnostic(
    `listening after ${listening} s, signed in after ${signedIn} s, answered after ${answered} s`,
  );
  assert.deepEqual(faults, []);
  // While other tests run, the time says more about them.
  const isQuiet = (loadavg()[0] ?? 0) <= availableParallelism();
  if (isQuiet) assert.ok(answered < MAX_SECONDS, `${answered} s`);
});
