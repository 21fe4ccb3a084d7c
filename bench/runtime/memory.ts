import { setTimeout as pause } from 'node:timers/promises';

import { giveBackMemory } from '../../src/lib/runtime/memory.ts';

/* Prints the resident megabytes after the service's modules were loaded, without and with `giveBackMemory`. */

await import('../../src/service/service.ts');
await import('../../src/setup.ts');
await pause(1_000);
const megabytes = () => process.memoryUsage().rss / 1e6;
const before = megabytes();
giveBackMemory();
await pause(1_000);
process.stdout.write(`${before} ${megabytes()}`);
