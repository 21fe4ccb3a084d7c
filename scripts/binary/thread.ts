import { workerData } from 'node:worker_threads';

import { load } from './embedded/programs.ts';

/* The start of each thread. */

const { program } = workerData as { program: string };
load(program);
