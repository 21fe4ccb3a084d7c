import { basename, dirname } from 'node:path';
import { isSea } from 'node:sea';

const IS_INSTALLED = import.meta.url.includes('/node_modules/');
/** The executable of `npm run build:binary`. */
const IS_EXECUTABLE = isSea();
/** Started by a link in a folder of PATH: the container image, or a package installed globally. npx has its own folder. */
const IS_LINKED = isLink(process.argv[1] ?? '');

/** The command that starts the CLI: a program in PATH, a binary of an installed package, or an npm script in a checkout. */
export const COMMAND =
  IS_EXECUTABLE || IS_LINKED
    ? 'switchboard'
    : IS_INSTALLED
      ? 'npx switchboard'
      : 'npm run -s switchboard --';

export const START = IS_EXECUTABLE || IS_LINKED || IS_INSTALLED ? `${COMMAND} serve` : 'npm start';

/** The program and first arguments with which this process was started. */
export function ownCommand(): [program: string, ...args: string[]] {
  if (IS_EXECUTABLE) return [process.execPath];
  const [, script = ''] = process.argv;
  return [process.execPath, ...process.execArgv, script];
}

function isLink(script: string): boolean {
  return basename(script) === 'switchboard' && basename(dirname(script)) !== '.bin';
}
