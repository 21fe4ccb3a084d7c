import { after, before, describe } from 'node:test';

import type { EngineName } from '../../../src/store/schema.ts';
import { type TestService, type TestServiceOptions, startTestService } from '../service/service.ts';
import { ENGINES } from './databases.ts';

/** Runs the same tests against a service on each engine. */
export function onEachEngine(
  title: string,
  define: (service: () => TestService, engine: EngineName) => void,
  options: TestServiceOptions = {},
): void {
  for (const engine of ENGINES) {
    describe(`${title} (${engine})`, () => {
      let service: TestService | undefined;
      before(async () => {
        service = await startTestService(engine, options);
      });
      after(async () => {
        await service?.[Symbol.asyncDispose]();
      });
      define(() => {
        if (!service) throw new Error('the service has not started yet');
        return service;
      }, engine);
    });
  }
}
