import { setTimeout as pause } from 'node:timers/promises';

import { freeMemory } from '../../src/lib/runtime/memory.ts';

/* Prints the resident megabytes after the service's modules were loaded, without and with `freeMemory`. */

await import('../../src/service/service.ts');
await import('../../src/setup.ts');
await pause(1_000);
const megabytes = () => process.memoryUsage().rss / 1e6;
const before = megabytes();
freeMemory();
await pause(1_000);
process.stdout.write(`${before} ${megabytes()}`);
