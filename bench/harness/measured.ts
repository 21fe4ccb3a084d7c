import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';

/*
 * Results saved with `--save`, as input for the capacity model. Costs are per message, on PostgreSQL, in seconds and
 * bytes.
 */
export interface Measured {
  /** Messages per second of one machine, by what was measured; for the chart in docs/performance.md. */
  throughput: { rates: Readonly<Record<string, number>> };
  nodes: {
    /** The cost of accepting a message, and of then delivering it. */
    accept: MessageCosts;
    deliver: MessageCosts;
  };
  memory: {
    /** Bytes on disk after sending, with indexes. */
    message: number;
    attempt: number;
    event: number;
  };
  growth: {
    /** Bytes of write-ahead log per message, with many recipients and right after a checkpoint. */
    wal: number;
    /** The number of stored messages at that measurement. */
    stored: number;
  };
  limits: {
    /** The duration of a minimal commit with its flush to disk. */
    commit: number;
    /** Throughput of one lane, one integration and one application, in messages per second. */
    lane: number;
    integration: number;
    application: number;
  };
}

export interface MessageCosts {
  /** CPU seconds of the node, and of the PostgreSQL server. */
  node: number;
  server: number;
  wal: number;
  commits: number;
  flushes: number;
}

type Part = keyof Measured;
type Kept = { [Name in Part]?: Measured[Name] & { on: string } };

const FILE = join(import.meta.dirname, '..', 'measured.json');

/** Saves one part, replacing the earlier one. */
export function keep<Name extends Part>(name: Name, part: Measured[Name]): void {
  const on = `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}`;
  const kept: Kept = { ...readKept(), [name]: { on, ...part } };
  writeFileSync(FILE, `${JSON.stringify(kept, null, 2)}\n`);
}

/** All parts. If one is missing, throws an error that tells how to get it. */
export function readMeasured(): Measured {
  const { throughput, nodes, memory, growth, limits } = readKept();
  if (throughput && nodes && memory && growth && limits) {
    return { throughput, nodes, memory, growth, limits };
  }
  throw new Error(
    'bench/measured.json is incomplete; run npm run bench -- throughput nodes memory growth limits --save',
  );
}

function readKept(): Kept {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Kept) : {};
}
