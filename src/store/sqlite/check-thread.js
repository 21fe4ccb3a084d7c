// JavaScript for the reason given in thread.js.
import { parentPort, workerData } from 'node:worker_threads';

import { stripTypes } from '../../../bin/strip-types.js';

stripTypes();
const { faultOfFile } = await import('./copy.ts');
const { database } = /** @type {{ database: string }} */ (workerData);
parentPort?.postMessage(faultOfFile(database));
