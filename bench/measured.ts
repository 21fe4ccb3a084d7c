import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';

/*
 * What was measured with `--save`, for the model to calculate with. Costs are of one message, on PostgreSQL, in seconds
 * and bytes.
 */
export interface Measured {
  nodes: {
    /** What it costs to accept one, and then to deliver it. */
    accept: MessageCosts;
    deliver: MessageCosts;
  };
  memory: {
    /** On disk, with indexes, once it is sent. */
    message: number;
    attempt: number;
    event: number;
  };
  growth: {
    /** Bytes of the log for a message whose recipient is one of very many, right after a checkpoint. */
    wal: number;
    /** How many messages were stored then. */
    stored: number;
  };
  limits: {
    /** One small commit that is flushed to disk. */
    commit: number;
    /** Messages a second that one lane, one integration and one application get through. */
    lane: number;
    integration: number;
    application: number;
  };
}

export interface MessageCosts {
  /** Seconds of processors, of a node and of the server. */
  node: number;
  server: number;
  wal: number;
  commits: number;
  flushes: number;
}

type Part = keyof Measured;
type Kept = { [Name in Part]?: Measured[Name] & { on: string } };

const FILE = join(import.meta.dirname, 'measured.json');

/** Puts one part in the place of what was there. */
export function keep<Name extends Part>(name: Name, part: Measured[Name]): void {
  const on = `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}`;
  const kept: Kept = { ...readKept(), [name]: { on, ...part } };
  writeFileSync(FILE, `${JSON.stringify(kept, null, 2)}\n`);
}

/** All parts. Throws, with words that say how to get it, when one is missing. */
export function readMeasured(): Measured {
  const { nodes, memory, growth, limits } = readKept();
  if (nodes && memory && growth && limits) return { nodes, memory, growth, limits };
  throw new Error(
    'bench/measured.json is not whole: npm run bench -- nodes memory growth limits --save',
  );
}

function readKept(): Kept {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Kept) : {};
}
