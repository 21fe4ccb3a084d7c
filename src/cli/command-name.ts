const IS_INSTALLED = import.meta.url.includes('/node_modules/');

/** How a person runs the CLI: npm scripts in a checkout, a binary in an installed package. */
export const COMMAND = IS_INSTALLED ? 'npx switchboard' : 'npm run -s switchboard --';

export const START = IS_INSTALLED ? 'npx switchboard serve' : 'npm start';

/** The program and first arguments with which this process was started. */
export function ownCommand(): [program: string, ...args: string[]] {
  const [, script = ''] = process.argv;
  return [process.execPath, ...process.execArgv, script];
}
