import { describe } from 'node:test';

import { testFaults, testStandingFaults } from '../support/service/sandbox-faults.ts';
import { ENGINES } from '../support/store/databases.ts';

/* Every fault at one channel, on both stores; faults.slow.test.ts has the other channels. */
describe('sandbox faults', () => {
  for (const engine of ENGINES) testFaults('twilio', engine);
  testStandingFaults('vonage', 'sqlite');
});
