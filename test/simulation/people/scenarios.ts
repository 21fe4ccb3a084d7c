import { after, before, describe, it } from 'node:test';

import type { EngineName } from '../../../src/store/schema.ts';
import { fc } from '../../support/fast-check.ts';
import { Surroundings } from './population.ts';
import { groups } from './steps.ts';

/*
 * Random scenarios of people who write, change their addresses, are merged and unmerged, and get messages. `RUNS=500 npm
 * test -- simulation/people` runs more of them. A failure prints the seed and the shortest scenario that reproduces it.
 */
export function simulatePeople(engine: EngineName, runs: number): void {
  describe(`simulated people (${engine})`, () => {
    let surroundings: Surroundings;
    before(async () => {
      surroundings = await Surroundings.open(engine);
    });
    after(() => surroundings[Symbol.asyncDispose]());

    it(
      `contacts and conversations are right in ${runs} random scenarios`,
      { timeout: 3_600_000 },
      async () => {
        await fc.assert(
          fc.asyncProperty(groups, fc.boolean(), async (steps, createsContacts) => {
            const population = await surroundings.population(createsContacts);
            for (const group of steps) await population.take(group);
            await population.finish();
          }),
          { numRuns: runs },
        );
      },
    );
  });
}
