import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { table } from '../docs/table.ts';
import { formatKeyRing, generateRingKey } from '../src/lib/seal.ts';
import { type Postgres, startPostgres } from '../test/support/postgres.ts';
import { atEnd } from './ending.ts';
import type { Options } from './options.ts';
import { connected } from './postmaster.ts';

type Environment = Record<string, string>;

/** What every subject is given: the stores to measure on, and where to say what came out. */
export class Bench {
  readonly options: Options;
  readonly #folder: string;
  #files = 0;
  #postgres: Promise<Postgres> | undefined;
  /** Its databases. */
  #databases: string[] = [];

  constructor(options: Options) {
    this.options = options;
    this.#folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
    atEnd(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** A path that nobody else has, in a folder that goes at the end. */
  path(name: string): string {
    return join(this.#folder, `${++this.#files}-${name}`);
  }

  /** A new embedded store. */
  readonly embedded = (): Environment & { SWITCHBOARD_DATABASE: string } => ({
    SWITCHBOARD_DATABASE: this.path('bench.db'),
  });

  /** A new database of one PostgreSQL server. */
  readonly onPostgres = async (): Promise<Environment & { SWITCHBOARD_DATABASE: string }> => {
    const url = await (await this.postgres()).createDatabase();
    this.#databases.push(url);
    return {
      SWITCHBOARD_DATABASE: url,
      SWITCHBOARD_SECRET_KEYS: formatKeyRing([generateRingKey()]),
    };
  };

  readonly stores = [
    { name: 'embedded store', isEmbedded: true, open: async () => this.embedded() },
    { name: 'PostgreSQL', isEmbedded: false, open: this.onPostgres },
  ] as const;

  /** The server starts when it is first needed, so as not to disturb what is measured before. */
  postgres(): Promise<Postgres> {
    if (!this.#postgres) {
      const starting = startPostgres({ max_connections: '200', shared_buffers: '256MB' });
      atEnd(async () => {
        this.#postgres = undefined;
        this.#databases = [];
        await (await starting).dispose();
      });
      this.#postgres = starting;
    }
    return this.#postgres;
  }

  /** Has PostgreSQL look at its tables, as it does by itself after a minute or so. */
  async analyze(): Promise<void> {
    for (const url of this.#databases) {
      await connected(url, (client) => client.query('analyze'));
    }
  }

  /** Prints a table that can be put into a document as it is. */
  report(headings: readonly string[], rows: readonly (readonly string[])[]): void {
    this.say(table(headings, rows));
  }

  say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  /** For whoever waits; not part of what was measured. */
  progress(text: string): void {
    process.stderr.write(`${text}\n`);
  }
}

/** The middle one: what a single run met does not count. */
export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** 1,234 and 12.3 and 1.23: what differs is seen, and no more. */
export function figure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** Of values that are to be compared. */
export const ratio = (value: number, to: number): string => (value / to).toFixed(2);
