import { parentPort, workerData } from 'node:worker_threads';

import { faultOfFile } from '../../src/store/sqlite/copy.ts';

/* Replaces src/store/sqlite/check-thread.js, which loads TypeScript. */

const { database } = workerData as { database: string };
parentPort?.postMessage(faultOfFile(database));
