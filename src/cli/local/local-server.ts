import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { SETTINGS, readConfig } from '../../config.ts';
import { listenUrl } from '../../lib/net/listen-url.ts';
import { ownCommand } from '../command-name.ts';
import { CliError, EXIT } from '../exit.ts';
import { mintToken } from './token.ts';

/** The service of the local store, which may have been started for one command. */
export interface LocalServer extends AsyncDisposable {
  url: string;
  /** A token of the first user. */
  token: string;
  /** Whether this command started it. */
  wasStarted: boolean;
  /** Resolves when the service ends or the signal aborts. */
  exited(signal: AbortSignal): Promise<void>;
}

const POLL_MS = 50;
const START_TIMEOUT_MS = 30_000;
const PROBE_TIMEOUT_MS = 2_000;
const TOKEN_DAYS = 30;

/** Finds the service of the local store, or starts it. `label` is the purpose of the token. */
export async function openLocalServer(label: string): Promise<LocalServer> {
  const { host, port, publicUrl } = readConfig(process.env);
  if (port === 0) {
    throw new CliError(`${SETTINGS.port.name} is 0; set a port, or log in to a server`, EXIT.usage);
  }
  const url = listenUrl(host, port);
  const child = (await isSwitchboard(url)) ? undefined : await start(url);
  try {
    const token = await mintToken({ days: TOKEN_DAYS, label });
    return serverOf(publicUrl ?? url, token, child);
  } catch (error) {
    child?.kill('SIGTERM');
    throw error;
  }
}

function serverOf(url: string, token: string, child: ChildProcess | undefined): LocalServer {
  const isRunning = () => child?.exitCode === null && child.signalCode === null;
  return {
    url,
    token,
    wasStarted: child !== undefined,
    async exited(signal) {
      if (child && isRunning()) await once(child, 'exit', { signal }).catch(() => {});
    },
    async [Symbol.asyncDispose]() {
      if (!child || !isRunning()) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Starts the service in its own process and waits until it answers. Its log goes to standard error. */
async function start(url: string): Promise<ChildProcess> {
  const [program, ...args] = ownCommand();
  const level = SETTINGS.logLevel.name;
  const child = spawn(program, [...args, 'serve', '--local'], {
    stdio: ['ignore', process.stderr, process.stderr],
    env: { ...process.env, [level]: process.env[level] ?? 'warn' },
  });
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await isSwitchboard(url))) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new CliError('the service did not start; its message is above');
    }
    if (performance.now() > deadline) {
      child.kill('SIGTERM');
      throw new CliError(`the service does not answer at ${url}`);
    }
    await sleep(POLL_MS);
  }
  return child;
}

/** Whether Switchboard answers there; another server on the port does not count. */
async function isSwitchboard(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/1/channels`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok && response.headers.has('x-request-id');
  } catch {
    return false;
  }
}
