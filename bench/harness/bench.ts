import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { table } from '../../docs/generate/table.ts';
import { formatKeyRing, generateRingKey } from '../../src/lib/crypto/seal.ts';
import { type Postgres, startPostgres } from '../../test/support/store/postgres.ts';
import { atEnd } from './cleanup.ts';
import type { Options } from './options.ts';
import { connected } from './postmaster.ts';

type Environment = Record<string, string>;

interface BenchStore {
  name: string;
  isEmbedded: boolean;
  /** The environment of a service on a new store. */
  open(): Promise<Environment & { SWITCHBOARD_DATABASE: string }>;
}

/** The environment of a benchmark: stores to measure on, and output. */
export class Bench {
  readonly options: Options;
  readonly #folder: string;
  #files = 0;
  #postgres: Promise<Postgres> | undefined;
  /** The databases created on it. */
  #databases: string[] = [];

  constructor(options: Options) {
    this.options = options;
    this.#folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
    atEnd(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** A unique path in a folder that is deleted at the end. */
  path(name: string): string {
    return join(this.#folder, `${++this.#files}-${name}`);
  }

  /** A new embedded store. */
  readonly embedded = (): Environment & { SWITCHBOARD_DATABASE: string } => ({
    SWITCHBOARD_DATABASE: this.path('bench.db'),
  });

  /** A new database on the shared PostgreSQL server. */
  readonly onPostgres = async (): Promise<Environment & { SWITCHBOARD_DATABASE: string }> => {
    const url = await (await this.postgres()).createDatabase();
    this.#databases.push(url);
    return {
      SWITCHBOARD_DATABASE: url,
      SWITCHBOARD_SECRET_KEYS: formatKeyRing([generateRingKey()]),
    };
  };

  get stores(): readonly BenchStore[] {
    const all = [
      { name: 'embedded store', isEmbedded: true, open: async () => this.embedded() },
      { name: 'PostgreSQL', isEmbedded: false, open: this.onPostgres },
    ];
    const { store } = this.options;
    return all.filter(({ isEmbedded }) => store !== (isEmbedded ? 'postgres' : 'embedded'));
  }

  /** Starts the server on first use, so that it does not disturb earlier measurements. */
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

  /** Analyzes the tables, as autovacuum would after a minute or so. */
  async analyze(): Promise<void> {
    for (const url of this.#databases) {
      await connected(url, (client) => client.query('analyze'));
    }
  }

  /** Prints a Markdown table. */
  report(headings: readonly string[], rows: readonly (readonly string[])[]): void {
    this.say(table(headings, rows));
  }

  say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  /** Prints progress to standard error, apart from the results. */
  progress(text: string): void {
    process.stderr.write(`${text}\n`);
  }
}

/** The median, so that one disturbed run does not count. */
export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Formats a number with three significant digits: 1,234 and 12.3 and 1.23. */
export function figure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export const ratio = (value: number, to: number): string => (value / to).toFixed(2);
