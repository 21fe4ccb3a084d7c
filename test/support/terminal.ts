import { spawn } from 'node:child_process';

import { MAIN } from './command.ts';
import { until } from './until.ts';

/** A folder without a package, as that of a store, has the commands of ours all the same. */
const COMMANDS = `
switchboard() { '${process.execPath}' '${MAIN}' "$@"; }
npm() { switchboard "\${@:5}"; }
`;

/** What is refused counts as having failed, and is shown. */
const CURL = `curl() { command curl --fail-with-body "$@"; }\n`;

export interface Said {
  /** What a command has printed, on either stream. */
  text: string;
  status: number;
}

/** A shell that stays open, as that of a person does. */
export class Terminal implements AsyncDisposable {
  readonly #shell;
  #said = '';
  #count = 0;

  constructor(cwd: string, env: Record<string, string>, commands = COMMANDS) {
    const path = process.env['PATH'] ?? '';
    this.#shell = spawn('bash', [], {
      cwd,
      env: { PATH: path, ...env },
      stdio: 'pipe',
      detached: true,
    });
    this.#shell.stdout.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
    this.#shell.stderr.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
    this.#shell.stdin.on('error', () => {});
    this.#shell.stdin.write(commands + CURL);
  }

  /** Everything since the last command. */
  get said(): string {
    return this.#said;
  }

  /** Types a command that does not end by itself. */
  type(command: string): void {
    this.#said = '';
    this.#shell.stdin.write(`${command}\n`);
  }

  /** Waits until a command has ended; all of it counts, and not only what came last. */
  async run(command = 'false'): Promise<Said> {
    const end = `end of ${++this.#count}:`;
    this.type(
      `failed=0; trap 'failed=$?' ERR\n${command}\ntrap - ERR; echo; echo '${end}' "$failed."`,
    );
    const status = await until(command, () => this.#said.split(end)[1]?.match(/^ (\d+)\.\n/)?.[1]);
    const text = this.#said.slice(0, this.#said.indexOf(end)).trim();
    return { text, status: Number(status) };
  }

  /** Ends it with everything that was started in it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#shell.once('close', resolve));
    if (this.#shell.pid !== undefined) process.kill(-this.#shell.pid, 'SIGKILL');
    await ended;
  }
}
