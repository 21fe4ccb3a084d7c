import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { atEnd } from './cleanup.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Running {
  url: string;
  pid: number;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** Starts a script of this repository and waits until a line of its output contains a URL. */
export const startProcess = (
  script: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Running> => startProgram(process.execPath, [`${ROOT}${script}`, ...args], environment);

/** The same for any program. */
export async function startProgram(
  program: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Running> {
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Its data is deleted too, so it need not stop gracefully.
  const ended = atEnd(() => kill(child));
  child.once('exit', ended);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/[\d.]+:\d+/.exec(line)?.[0];
    if (url) {
      child.stdout.resume();
      return {
        url,
        pid: child.pid ?? 0,
        signal: (name) => void child.kill(name),
        stop: () => stop(child),
      };
    }
  }
  throw new Error(`${[program, ...args].join(' ')} did not start:\n${errors}`);
}

/** Starts a node that may send to loopback addresses, of this source tree or of another one. */
export const startNode = (environment: Record<string, string>, root = ROOT): Promise<Running> =>
  startProgram(process.execPath, [`${root}bin/switchboard.js`, 'serve'], {
    SWITCHBOARD_PORT: '0',
    SWITCHBOARD_ALLOW_LOOPBACK: 'on',
    ...environment,
  });

const stop = (child: ChildProcess) => end(child, 'SIGTERM');
const kill = (child: ChildProcess) => end(child, 'SIGKILL');

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** Runs a command of the command line and returns its output. */
export async function runCommand(
  args: readonly string[],
  environment: Record<string, string>,
  root = ROOT,
): Promise<string> {
  const child = spawn(process.execPath, [`${root}bin/switchboard.js`, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`switchboard ${args.join(' ')} exited with ${code}`);
  return output.trim();
}
