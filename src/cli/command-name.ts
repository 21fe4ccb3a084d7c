import { isSea } from 'node:sea';

const IS_INSTALLED = import.meta.url.includes('/node_modules/');
/** The executable of `npm run build:binary`. */
const IS_EXECUTABLE = isSea();

/** The command that starts the CLI: an npm script in a checkout, a binary of an installed package, or the executable. */
export const COMMAND = IS_EXECUTABLE
  ? 'switchboard'
  : IS_INSTALLED
    ? 'npx switchboard'
    : 'npm run -s switchboard --';

export const START = IS_EXECUTABLE || IS_INSTALLED ? `${COMMAND} serve` : 'npm start';

/** The program and first arguments with which this process was started. */
export function ownCommand(): [program: string, ...args: string[]] {
  if (IS_EXECUTABLE) return [process.execPath];
  const [, script = ''] = process.argv;
  return [process.execPath, ...process.execArgv, script];
}
