import { IsolationError } from '../../src/lib/threads/isolated-thread.ts';
import { type Bench, figure, middle } from '../harness/bench.ts';
import { hostileDocuments } from './corpus.ts';
import { type Hold, longestHold } from './hold.ts';

const GOAL_MS = 50;

/** Measures how long each document blocks the event loop, over several rounds in one process. */
export async function reportDocuments(bench: Bench): Promise<void> {
  const { rounds = 3 } = bench.options;
  const rows: string[][] = [];
  for (const { parser, document, read } of hostileDocuments()) {
    const holds: Hold[] = [];
    const began = performance.now();
    for (let round = 0; round < rounds; round++) holds.push(await longestHold(() => attempt(read)));
    const took = (performance.now() - began) / rounds;
    const wall = middle(holds.map((hold) => hold.wall));
    const cpu = middle(holds.map((hold) => hold.cpu));
    bench.progress(`${parser}, ${document}: ${figure(wall)} ms`);
    const verdict = wall <= GOAL_MS ? '' : 'missed';
    rows.push([parser, document, figure(took), figure(wall), figure(cpu), verdict]);
  }
  const headings = ['parser', 'document', 'parsed in (ms)', 'longest block (ms)', 'CPU of it (ms)'];
  bench.report([...headings, `goal ${GOAL_MS} ms`], rows);
}

/** A document that exceeds the limits of its thread is refused; that is a valid result. */
async function attempt(read: () => unknown): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof IsolationError)) throw error;
  }
}
