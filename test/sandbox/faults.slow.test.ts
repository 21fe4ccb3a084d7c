import { describe } from 'node:test';

import { SIMULATED_CHANNELS } from '../../src/sandbox/index.ts';
import { testFaults, testStandingFaults } from '../support/service/sandbox-faults.ts';

/* The stores make no difference between channels, so the embedded one is enough here. */
describe('sandbox faults of every other channel', { concurrency: 6 }, () => {
  for (const name of SIMULATED_CHANNELS) {
    if (name !== 'twilio') testFaults(name, 'sqlite');
    if (name !== 'vonage') testStandingFaults(name, 'sqlite');
  }
});
