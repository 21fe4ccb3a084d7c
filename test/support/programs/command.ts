import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { EngineName } from '../../../src/store/schema.ts';
import type { Reply } from '../service/client.ts';
import { createDatabase } from '../store/databases.ts';

/*
 * Runs the command line as users do: in real processes, in a temporary folder, and with only the settings that a test
 * gives.
 */

/** The installed launcher, which also uses the compile cache. */
export const MAIN = fileURLToPath(new URL('../../../bin/switchboard.js', import.meta.url));

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  environment?: Record<string, string>;
  /** Standard input. */
  input?: string;
  /** Leaves standard input open for `type`. */
  isTyped?: true;
  /** Milliseconds after which it is killed. */
  deadline?: number;
  /**
   * The program to run instead of this Node and bin/switchboard.js. It leads its own process group, like a command in a
   * terminal.
   */
  launcher?: readonly [string, ...string[]];
}

/** Longer than any command takes. A command that does not end is killed, and its test fails. */
const DEADLINE_MS = 120_000;

/** A started process. It is killed at the end of the test if it is still running. */
export class Running implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly exited: Promise<Finished>;
  #stdout = '';
  #stderr = '';
  #ended = false;
  readonly #leadsGroup: boolean;
  readonly #waiting = new Set<() => void>();

  constructor(args: readonly string[], folder: string, options: CommandOptions = {}) {
    const { launcher, environment = {}, input, deadline: timeoutMs = DEADLINE_MS } = options;
    const [program, ...first] = launcher ?? [process.execPath, MAIN];
    this.#leadsGroup = launcher !== undefined;
    this.child = spawn(program, [...first, ...args], {
      cwd: folder,
      env: environment,
      stdio: 'pipe',
      detached: this.#leadsGroup,
    });
    const deadline = setTimeout(() => this.signalAll('SIGKILL'), timeoutMs);
    // A command that does not read its input may end before all of it is written.
    this.child.stdin?.on('error', () => {});
    if (!options.isTyped) this.child.stdin?.end(input ?? '');
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
      this.#look();
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
      this.#look();
    });
    this.exited = new Promise((resolve, reject) => {
      this.child.on('error', reject);
      this.child.on('close', (code, signal) => {
        clearTimeout(deadline);
        this.#ended = true;
        this.#look();
        resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr });
      });
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Waits until its output matches; fails if it ends without a match. */
  async printed(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this[stream]);
      if (found) return found;
      if (this.#ended) {
        throw new Error(
          `the process ended without printing ${pattern}:\n${this.#stdout}${this.#stderr}`,
        );
      }
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Types into a terminal, with `isTyped`. */
  type(text: string): void {
    this.child.stdin?.write(text);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends a signal to the launcher and its children, like a terminal does. */
  signalAll(signal: NodeJS.Signals): void {
    const { pid } = this.child;
    if (this.#leadsGroup && pid !== undefined) process.kill(-pid, signal);
    else this.child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#ended) this.signalAll('SIGKILL');
    await this.exited;
  }

  #look(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

/** A running service. */
export interface Serving {
  process: Running;
  url: string;
  /** The code of the sign-in link, which is in a file because there is no terminal. */
  code: string | undefined;
  /** Signs the first user in with that code, which works once; returns a token. */
  signIn(address?: string): Promise<string>;
  /** Stops it and waits until it has ended. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

export interface CommandLine extends AsyncDisposable {
  folder: string;
  environment: Record<string, string>;
  start(args: readonly string[], options?: CommandOptions): Running;
  run(args: readonly string[], options?: CommandOptions): Promise<Finished>;
  serve(options?: CommandOptions & { args?: readonly string[] }): Promise<Serving>;
}

/** A command line with its own empty database. */
export async function commandLine(
  engine: EngineName,
  settings: Record<string, string> = {},
): Promise<CommandLine> {
  const database = await createDatabase(engine);
  const environment = {
    ...database.environment,
    SWITCHBOARD_PORT: '0',
    TMPDIR: database.folder,
    // Channel emulators listen on loopback.
    SWITCHBOARD_ALLOW_LOOPBACK: 'on',
    ...settings,
  };
  const started: Running[] = [];
  const start = (args: readonly string[], options: CommandOptions = {}) => {
    const running = new Running(args, database.folder, {
      ...options,
      environment: { ...environment, ...options.environment },
    });
    started.push(running);
    return running;
  };
  return {
    folder: database.folder,
    environment,
    start,
    run: (args, options) => start(args, options).exited,
    async serve({ args = [], ...options } = {}) {
      const process = start(['serve', ...args], options);
      const [, url = ''] = await process.printed('stderr', / (https?:\/\/\S+)[^]*\/docs\n/);
      const code = codeFrom(process.stderr);
      return {
        process,
        url,
        code,
        async signIn(address = url) {
          const { text, body } = await call(address, 'POST', '/1/tokens', { json: { code } });
          if (body?.token === undefined) throw new Error(`cannot sign in: ${text}`);
          return String(body.token);
        },
        stop(signal = 'SIGTERM') {
          process.kill(signal);
          return process.exited;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((running) => running[Symbol.asyncDispose]()));
      await database.dispose();
    },
  };
}

function codeFrom(greeting: string): string | undefined {
  const [, file] = /(\S*[./]sign-in-link)\b/.exec(greeting) ?? [];
  if (file === undefined) return undefined;
  return /\/sign-in#code=(\S+)/.exec(readFileSync(file, 'utf8'))?.[1];
}

export interface CallOptions {
  token?: string;
  json?: unknown;
  headers?: Record<string, string>;
}

/** Calls a service in another process. Its routes are unknown here, so responses are not checked. */
export async function call(
  url: string,
  method: string,
  path: string,
  { token, json, headers = {} }: CallOptions = {},
): Promise<Reply> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, body };
}

/** Creates an application with a complete integration over HTTP. */
export async function makeApplication(url: string, userToken: string) {
  const { body: me } = await call(url, 'GET', '/1/users/me', { token: userToken });
  const { body: application } = await call(url, 'POST', '/1/applications', {
    token: userToken,
    json: { team_id: me.team_id, owner_id: me.id, state: 'enable' },
  });
  const applicationId = Number(application.id);
  const minted = await call(url, 'POST', `/1/applications/${applicationId}/tokens`, {
    token: userToken,
  });
  const token = String(minted.body.token);
  const { body: integration } = await call(url, 'POST', '/1/integrations', {
    token,
    json: { application_id: applicationId, name: 'telegram', state: 'enable', token: '1:secret' },
  });
  return { applicationId, token, integrationId: Number(integration.id) };
}

/** The body of `POST /1/message` for the application's only integration. */
export function note(content: string) {
  return {
    message: {
      '@context': 'https://www.w3.org/ns/activitystreams',
      type: 'Create',
      generator: { type: 'Service' },
      to: { type: 'Person', id: '123456789' },
      object: { type: 'Note', content },
    },
  };
}
