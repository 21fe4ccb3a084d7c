import { SETTINGS, readConfig, unknownSettings } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { giveBackMemory, giveBackMemoryAtRest } from '../lib/memory.ts';
import type { Service } from '../service.ts';
import { ensureFirstUser, openStore } from '../setup.ts';
import { CliError, EXIT } from './exit.ts';
import { explainUnavailable } from './with-store.ts';

/** When what has to be loaded is loaded, in milliseconds after the start. */
const SETTLED_AFTER = 1_000;

/** Runs the service until it is told to stop. */
export async function serve({ role }: { role?: string } = {}): Promise<void> {
  const config = readConfig(role === undefined ? process.env : withRole(process.env, role));
  const pretty =
    config.logFormat === 'pretty' || (config.logFormat === 'auto' && process.stdout.isTTY);
  const log = await createLog({ level: config.logLevel, pretty });
  for (const name of unknownSettings(process.env)) {
    log.warn({ setting: name }, 'there is no such setting');
  }
  if (config.role === 'deliver' && config.publicUrl === undefined) {
    const setting = SETTINGS.publicUrl.name;
    log.warn({ setting }, 'events that this node sends will have links that lead to it');
  }

  const opening = openStore(config, {
    onIdleError: (error) => log.warn({ err: error }, 'a connection to the store broke'),
  }).catch((error: unknown) => {
    throw explainUnavailable(error, config.database);
  });
  // Most of the code is loaded while the store is opened, which takes about as long.
  const [store, { startService }, { SignIn }] = await Promise.all([
    opening,
    import('../service.ts'),
    import('../http/sign-in.ts'),
  ]);
  // Before anyone is told that it listens: whoever knows may already ask it to stop.
  const { signal, done } = stopSignal();
  let service: Service;
  try {
    const { user } = await ensureFirstUser(store);
    const signIn = new SignIn(store, systemClock);
    const link = user.password === null ? await signIn.createLink(user.id) : undefined;
    service = await startService(config, store, log);
    if (config.role !== 'deliver') greet(config.publicUrl ?? service.url, link);
  } catch (error) {
    done();
    await store.close();
    throw explainPort(error, config.port);
  }
  log.info({ url: service.url }, 'listening');
  setTimeout(giveBackMemory, SETTLED_AFTER).unref();
  giveBackMemoryAtRest();

  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unforeseen; stopping');
    process.exit(1);
  });
  log.info({ signal: await signal }, 'stopping');
  const late = setTimeout(
    () => {
      log.error('what is under way took too long; stopping without it');
      process.exit(1);
    },
    (config.stopDelay + config.stopTimeout) * 1000,
  );
  await service.stop();
  clearTimeout(late);
  done();
  log.info('stopped');
}

/** What is said on the command line counts for more. */
function withRole(environment: NodeJS.ProcessEnv, role: string): NodeJS.ProcessEnv {
  return { ...environment, [SETTINGS.role.name]: role };
}

/** For a person; the log has the same for machines. */
function greet(url: string, link: string | undefined): void {
  const lines = [
    '',
    `  Switchboard listens at ${url}`,
    '',
    link === undefined
      ? `  Console     ${url}/`
      : `  Sign in     ${url}/sign-in#code=${link}   (once, within 24 hours)`,
    '  Get a token npm run -s switchboard -- token',
    `  Read        ${url}/docs`,
    '',
    '',
  ];
  process.stderr.write(lines.join('\n'));
}

/**
 * How soon a signal can come again and still be the same one: Ctrl-C reaches us from the terminal, and
 * once more from npm or our own launcher, which pass it on.
 */
const SAME_PRESS = 300;

/** The first signal asks for a stop; a second one does not wait for it. */
function stopSignal(): { signal: Promise<NodeJS.Signals>; done(): void } {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let asked: number | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    const now = performance.now();
    if (asked !== undefined && now - asked > SAME_PRESS) process.exit(130);
    asked ??= now;
    resolve(name);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return {
    signal: promise,
    done: () => void process.off('SIGTERM', onSignal).off('SIGINT', onSignal),
  };
}

function explainPort(error: unknown, port: number): unknown {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE') {
    return new CliError(
      `SWITCHBOARD_PORT: ${port} is in use by another program; choose another port`,
    );
  }
  if (code === 'EACCES')
    return new CliError(`SWITCHBOARD_PORT: ${port} needs privileges; choose another port`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new CliError('SWITCHBOARD_HOST: it is not an address of this machine', EXIT.usage);
  }
  return error;
}
