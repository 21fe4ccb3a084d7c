import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { ROOT } from '../../support/sources.ts';
import type { Driver, Outcome } from './driver.ts';

const FOLDER = join(ROOT, 'clients', 'python');

/** Runs the Python client in a process of its own. */
export function openPython(python: string, kind: 'sync' | 'async'): Driver {
  const child = spawn(python, ['-W', 'error', join(FOLDER, 'tests', 'driver.py'), kind], {
    env: { PYTHONPATH: join(FOLDER, 'src'), PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(op, given) {
      child.stdin.write(`${JSON.stringify({ op, given })}\n`);
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`the driver ended at ${op}: ${complaints}`);
      return JSON.parse(value) as Outcome;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.stdin.end();
      if (child.exitCode === null) await ended;
    },
  };
}
