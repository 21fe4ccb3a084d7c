import { parseArgs } from 'node:util';

/** What can be asked for at the command line; each subject has values of its own where one is left out. */
export interface Options {
  rounds?: number;
  seconds?: number;
  connections?: number;
  /** How many messages are queued or stored at the most. */
  most?: number;
  /** Also what takes very long or much disk. */
  full: boolean;
  /** Keep what was measured for the model. */
  save: boolean;
}

const NUMBERS = ['rounds', 'seconds', 'connections', 'most'] as const;

/** Throws for what is no option, and for a number that is none. */
export function readOptions(args: readonly string[]): { words: string[]; options: Options } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string' },
      most: { type: 'string' },
      full: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
    },
  });
  const options: Options = { full: values.full, save: values.save };
  for (const name of NUMBERS) {
    const value = values[name];
    if (value === undefined) continue;
    if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error(`--${name} ${value} is no number above 0`);
    options[name] = Number(value);
  }
  return { words: positionals, options };
}
