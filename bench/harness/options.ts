import { parseArgs } from 'node:util';

/** The command line options. Each benchmark has its own defaults. */
export interface Options {
  rounds?: number;
  seconds?: number;
  connections?: number;
  /** The maximum number of messages to queue or store. */
  most?: number;
  /** Measure on this store only. */
  store?: string;
  /** The commits to compare: `A..B`, or `A` for that one and this source tree. */
  commits?: string;
  /** Include measurements that take very long or much disk. */
  full: boolean;
  /** Save the results for the capacity model. */
  save: boolean;
}

const NUMBERS = ['rounds', 'seconds', 'connections', 'most'] as const;

/** Throws if an option is unknown or its value is not a number. */
export function readOptions(args: readonly string[]): { words: string[]; options: Options } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string' },
      most: { type: 'string' },
      store: { type: 'string' },
      commits: { type: 'string' },
      full: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
    },
  });
  const { full, save, store, commits } = values;
  if (store !== undefined && store !== 'embedded' && store !== 'postgres') {
    throw new Error(`--store ${store} must be embedded or postgres`);
  }
  const options: Options = {
    full,
    save,
    ...(store !== undefined && { store }),
    ...(commits !== undefined && { commits }),
  };
  for (const name of NUMBERS) {
    const value = values[name];
    if (value === undefined) continue;
    if (!/^[1-9]\d{0,8}$/.test(value))
      throw new Error(`--${name} ${value} is not a number above 0`);
    options[name] = Number(value);
  }
  return { words: positionals, options };
}
