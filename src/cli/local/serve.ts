import { type Config, SETTINGS, readConfig, unknownSettings } from '../../config.ts';
import { systemClock } from '../../lib/runtime/clock.ts';
import { freeMemory, freeMemoryWhenIdle } from '../../lib/runtime/memory.ts';
import { type Log, createLog, flushLog } from '../../lib/telemetry/log.ts';
import type { Service } from '../../service/service.ts';
import { ensureFirstUser, openStore } from '../../setup.ts';
import { DatabaseClock } from '../../store/database-clock.ts';
import { COMMAND } from '../command-name.ts';
import { CliError, EXIT } from '../exit.ts';
import { outliveReader } from '../print.ts';
import { publishLink, removeLinkFile } from './first-link.ts';
import { explainUnavailable } from './with-store.ts';

const LOOPBACK_HINT = `disable with ${SETTINGS.allowLoopback.name}=off`;

/** Time after the start by which all modules are loaded. */
const LOADED_AFTER_MS = 1_000;
/** How long an exit waits for the last log lines, and for remaining handles. */
const LOG_FLUSH_MS = 3_000;
const EXIT_DELAY_MS = 1_000;

interface ServeOptions {
  role?: string;
  /** For trying things out on this machine. */
  local?: true;
}

/** Runs the service until it receives a stop signal. */
export async function serve({ role, local }: ServeOptions = {}): Promise<void> {
  outliveReader();
  const parsed = readConfig(role === undefined ? process.env : withRole(process.env, role));
  const allowLoopback = parsed.allowLoopback ?? (local === true && isLocalOnly(parsed));
  const config = { ...parsed, allowLoopback };
  const pretty =
    config.logFormat === 'pretty' || (config.logFormat === 'auto' && process.stdout.isTTY);
  const log = await createLog({ level: config.logLevel, pretty });
  for (const name of unknownSettings(process.env)) {
    log.warn({ setting: name }, 'unknown setting');
  }
  if (config.role === 'deliver' && config.publicUrl === undefined) {
    const setting = SETTINGS.publicUrl.name;
    log.warn({ setting }, 'public URL unset, event links point to this node');
  }

  const opening = openStore(config, {
    isCheckedAfterCrash: true,
    onIdleError: (error) => log.warn({ err: error }, 'store connection lost'),
  }).catch((error: unknown) => {
    throw explainUnavailable(error, config.database);
  });
  // Loads most of the code while the store opens, which takes about as long.
  const [store, { startService }, { SignIn }] = await Promise.all([
    opening,
    import('../../service/service.ts'),
    import('../../http/auth/sign-in.ts'),
  ]);
  // Before the service announces that it listens: a caller may send a stop signal from then on.
  const stopTimeoutMs = (config.stopDelay + config.stopTimeout) * 1000;
  const { signal, done } = stopSignal(stopTimeoutMs, () => {
    log.error('stop timed out, exiting');
    void exit(log, EXIT.failed);
  });
  let service: Service;
  try {
    const { user } = await ensureFirstUser(store);
    const clock = await DatabaseClock.open(store.engine, systemClock);
    const signIn = new SignIn(store, clock);
    const link = user.password === null ? await signIn.createLink(user.id) : undefined;
    service = await startService(config, store, log, clock);
    if (config.role !== 'deliver') {
      const url = config.publicUrl ?? service.url;
      if (link === undefined) removeLinkFile(config);
      const address = link && publishLink(`${url}/sign-in#code=${link}`, config, log);
      printWelcome(url, address, allowLoopback);
    }
  } catch (error) {
    done();
    await store.close();
    throw explainPort(error, config.port);
  }
  log.info({ url: service.url }, 'listening');
  if (allowLoopback) log.info('loopback reachable');
  setTimeout(freeMemory, LOADED_AFTER_MS).unref();
  freeMemoryWhenIdle();

  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unexpected error, stopping');
    void exit(log, EXIT.failed);
  });
  log.info({ signal: await signal }, 'stopping');
  await service.stop();
  done();
  log.info('stopped');
  if (!(await flushLog(log, LOG_FLUSH_MS))) kill();
  // Exits even if something still holds a socket open.
  setTimeout(() => process.exit(), EXIT_DELAY_MS).unref();
}

async function exit(log: Log, code: number): Promise<void> {
  if (!(await flushLog(log, LOG_FLUSH_MS))) kill();
  process.exit(code);
}

/** With a full stdout pipe, writes never return, and process.exit() would wait for them. */
function kill(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** The command line overrides the environment. */
function withRole(environment: NodeJS.ProcessEnv, role: string): NodeJS.ProcessEnv {
  return { ...environment, [SETTINGS.role.name]: role };
}

/** A service that others can reach has tenants who must not reach its machine. */
function isLocalOnly({ host, publicUrl, trustProxy }: Config): boolean {
  const isLoopback = host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
  return isLoopback && publicUrl === undefined && trustProxy.length === 0;
}

/** For people; the log has the same for machines. */
function printWelcome(url: string, signIn: string | undefined, allowLoopback: boolean): void {
  const lines = [
    '',
    `  Switchboard listens at ${url}`,
    '',
    signIn === undefined ? `  Console     ${url}/` : `  Sign in     ${signIn}`,
    `  Get a token ${COMMAND} token`,
    ...(allowLoopback
      ? [`  Loopback    integrations and webhooks may reach this machine; ${LOOPBACK_HINT}`]
      : []),
    `  Docs        ${url}/docs`,
    '',
    '',
  ];
  process.stderr.write(lines.join('\n'));
}

/**
 * A repeated signal within this time is the same one: Ctrl-C arrives from the terminal, and again from npm or
 * our launcher, which forward it.
 */
const SAME_SIGNAL_MS = 300;

/**
 * The first signal starts a stop; a second one exits at once. `onTimeout` is called when the stop takes too long,
 * even if the signal came during startup.
 */
function stopSignal(
  timeoutMs: number,
  onTimeout: () => void,
): { signal: Promise<NodeJS.Signals>; done(): void } {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let signaledAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    const now = performance.now();
    if (signaledAt !== undefined && now - signaledAt > SAME_SIGNAL_MS) process.exit(130);
    signaledAt ??= now;
    timer ??= setTimeout(onTimeout, timeoutMs);
    resolve(name);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return {
    signal: promise,
    done() {
      clearTimeout(timer);
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    },
  };
}

function explainPort(error: unknown, port: number): unknown {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE') {
    return new CliError(`SWITCHBOARD_PORT: ${port} is already in use; choose another port`);
  }
  if (code === 'EACCES')
    return new CliError(`SWITCHBOARD_PORT: ${port} needs root privileges; choose another port`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new CliError('SWITCHBOARD_HOST: not an address of this machine', EXIT.usage);
  }
  return error;
}
