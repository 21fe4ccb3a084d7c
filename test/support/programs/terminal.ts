import { spawn } from 'node:child_process';

import { until } from '../until.ts';
import { MAIN } from './command.ts';

/** Makes the commands available in a folder without a package, such as that of a store. */
const COMMANDS = `
switchboard() { '${process.execPath}' '${MAIN}' "$@"; }
npm() { switchboard "\${@:5}"; }
`;

/** An error status makes curl fail, and its body is shown. */
const CURL = `curl() { command curl --fail-with-body "$@"; }\n`;

export interface CommandOutput {
  /** The output of a command, on both streams. */
  text: string;
  status: number;
}

/** A shell that stays open between commands. */
export class Terminal implements AsyncDisposable {
  readonly #shell;
  #output = '';
  #count = 0;

  constructor(cwd: string, env: Record<string, string>, commands = COMMANDS) {
    const path = process.env['PATH'] ?? '';
    this.#shell = spawn('bash', [], {
      cwd,
      env: { PATH: path, ...env },
      stdio: 'pipe',
      detached: true,
    });
    this.#shell.stdout.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    this.#shell.stderr.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    this.#shell.stdin.on('error', () => {});
    this.#shell.stdin.write(commands + CURL);
  }

  /** The output since the last command. */
  get output(): string {
    return this.#output;
  }

  /** Starts a command without waiting for its end. */
  type(command: string): void {
    this.#output = '';
    this.#shell.stdin.write(`${command}\n`);
  }

  /** Runs a command and waits for its end. It fails if any of its lines fails, not only the last one. */
  async run(command = 'false'): Promise<CommandOutput> {
    const end = `end of ${++this.#count}:`;
    this.type(
      `failed=0; trap 'failed=$?' ERR\n${command}\ntrap - ERR; echo; echo '${end}' "$failed."`,
    );
    const status = await until(
      command,
      () => this.#output.split(end)[1]?.match(/^ (\d+)\.\n/)?.[1],
    );
    const text = this.#output.slice(0, this.#output.indexOf(end)).trim();
    return { text, status: Number(status) };
  }

  /** Kills the shell and everything that was started in it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#shell.once('close', resolve));
    if (this.#shell.pid !== undefined) process.kill(-this.#shell.pid, 'SIGKILL');
    await ended;
  }
}
