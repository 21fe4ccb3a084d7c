import type { Bench } from './harness/bench.ts';
import { reportDocuments } from './stalls/documents.ts';
import * as statements from './stalls/statements.ts';

/*
 * How long hostile documents block the event loop, and statements the thread of the embedded store. Every other caller
 * waits as long as the longest of them. The goal is 50 ms.
 */
const PARTS: readonly ((bench: Bench) => Promise<void>)[] = [reportDocuments, statements.report];

export async function report(bench: Bench): Promise<void> {
  for (const part of PARTS) await part(bench);
}
