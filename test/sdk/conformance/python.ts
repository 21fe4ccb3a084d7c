import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { PYTHON, PYTHON_CLIENT, PYTHON_ENVIRONMENT } from '../../support/programs/python.ts';
import type { Driver, Outcome } from './driver.ts';

/** Runs the Python client in a process of its own. */
export function openPython(kind: 'sync' | 'async'): Driver {
  const child = spawn(
    PYTHON.path,
    ['-W', 'error', join(PYTHON_CLIENT, 'tests', 'driver.py'), kind],
    {
      env: PYTHON_ENVIRONMENT,
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  let errorOutput = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errorOutput += text));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(op, given) {
      child.stdin.write(`${JSON.stringify({ op, given })}\n`);
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`the driver ended at ${op}: ${errorOutput}`);
      return JSON.parse(value) as Outcome;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.stdin.end();
      if (child.exitCode === null) await ended;
    },
  };
}
