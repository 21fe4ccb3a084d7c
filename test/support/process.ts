import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** A service in a process of its own, to be killed, starved and stopped. */
export interface ServiceProcess {
  url: string;
  child: ChildProcess;
  /** Its exit code, once it has ended. */
  exited: Promise<number | null>;
}

export interface ProcessOptions {
  /** Shell commands, such as limits, to be run before the service in its own process. */
  before?: string;
}

export async function startProcess(
  environment: Record<string, string>,
  { before }: ProcessOptions = {},
): Promise<ServiceProcess> {
  const [command, args] = before
    ? ['bash', ['-c', `${before}; exec "$0" "$@"`, process.execPath, MAIN, 'serve']]
    : [process.execPath, [MAIN, 'serve']];
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'] ?? '', SWITCHBOARD_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    const url = /"url":"(http:[^"]+)"/.exec(line)?.[1];
    if (url) {
      child.stdout?.resume();
      return { url, child, exited };
    }
  }
  throw new Error(`the service did not start:\n${errors}`);
}
