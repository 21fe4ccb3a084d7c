import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, freemem, loadavg, release, totalmem } from 'node:os';
import { resolve } from 'node:path';

import { type Config, SETTINGS, isChannelUrl, unknownSettings } from '../../config.ts';
import { systemClock } from '../../lib/runtime/clock.ts';
import { VERSION } from '../../lib/runtime/version.ts';
import { openWithoutMigrating, ringFile } from '../../setup.ts';
import { MIGRATIONS } from '../../store/migrations/index.ts';
import { isPostgres } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { masker, shownSetting } from './masking.ts';
import { nodesOf } from './nodes.ts';

/** The result of one check of `doctor`, which the report includes. */
export interface Finding {
  check: 'settings' | 'store' | 'keys' | 'clock' | 'disk';
  result: 'ok' | 'warning' | 'problem';
  detail: string;
}

/** Time limit for a local service to answer, in milliseconds. */
const ANSWER_TIMEOUT_MS = 3_000;

/**
 * Writes a support report: versions, settings, and the state of store, queue and nodes. It contains no secrets,
 * message texts, names or addresses.
 */
export async function writeSupport(
  file: string | undefined,
  config: Config | undefined,
  findings: readonly Finding[],
): Promise<void> {
  const createdAt = new Date().toISOString();
  const path = resolve(
    file ?? `switchboard-support-${createdAt.replaceAll(/\D/g, '').slice(0, 14)}.json`,
  );
  const report = {
    made_at: createdAt,
    version: VERSION,
    machine: machine(),
    findings,
    settings: settings(),
    unknown_settings: unknownSettings(process.env),
    store: config ? await orError(() => store(config)) : null,
    service: config ? await service(config) : null,
  };
  const ring = config && existsSync(ringFile(config)) ? readFileSync(ringFile(config), 'utf8') : '';
  const text = JSON.stringify(report, masker(process.env, ring), 2);
  writeFileSync(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
  process.stderr.write(`Wrote ${path}. Secrets are masked; review it before you share it.\n`);
}

function machine() {
  return {
    node: process.versions.node,
    platform: `${process.platform} ${process.arch} ${release()}`,
    processors: availableParallelism(),
    load: loadavg().map((load) => Math.round(load * 100) / 100),
    memory_total: totalmem(),
    memory_free: freemem(),
    memory_allowed: process.constrainedMemory(),
    in_container: existsSync('/.dockerenv') || 'KUBERNETES_SERVICE_HOST' in process.env,
    user_is_root: process.getuid?.() === 0,
  };
}

/** All settings that are set, with secrets masked. */
function settings(): Record<string, string> {
  const names = [
    ...Object.values(SETTINGS).map(({ name }): string => name),
    ...Object.keys(process.env).filter(isChannelUrl),
  ];
  const set = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined || value === '' ? [] : [[name, shownSetting(name, value)]];
  });
  return Object.fromEntries(set) as Record<string, string>;
}

async function orError(read: () => Promise<object>): Promise<object> {
  try {
    return await read();
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function store(config: Config): Promise<object> {
  if (!isPostgres(config.database) && !existsSync(config.database)) return { exists: false };
  const { store: opened } = await openWithoutMigrating(config);
  try {
    const pending = await opened.pendingMigrations();
    const applied = Object.keys(MIGRATIONS).filter((name) => !pending.includes(name));
    const details = { ...(await opened.engine.describe()), ...sizes(config), applied, pending };
    // An older schema lacks the tables for the rest.
    return pending.length > 0 ? details : { ...details, ...(await integrationStatus(opened)) };
  } finally {
    await opened.close();
  }
}

/** File sizes of the embedded store, in bytes. */
function sizes({ database }: Config): object {
  if (isPostgres(database)) return {};
  return { bytes: sizeOf(database), wal_bytes: sizeOf(`${database}-wal`) };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function integrationStatus(opened: Store): Promise<object> {
  const queued: Record<string, number> = {};
  for await (const { counts } of opened.lanes.depths()) {
    for (const { channel, count } of counts) {
      const label = channel ?? 'unknown';
      queued[label] = (queued[label] ?? 0) + count;
    }
  }
  return {
    queued,
    totals: await opened.totals.run(systemClock.now()),
    nodes: await nodesOf(opened),
  };
}

/** State of the service on this machine. */
async function service({ host, port, metricsToken }: Config): Promise<object> {
  if (port === 0) return { error: 'the port is chosen at start' };
  const loopbackOf: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  const base = `http://${loopbackOf[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}`;
  const authorization = { authorization: `Bearer ${metricsToken}` };
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${base}${path}`, {
      headers,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    return { status: answer.status, text: await answer.text() };
  };
  return orError(async () => {
    const metrics = await get('/metrics', metricsToken === undefined ? {} : authorization);
    return {
      healthz: (await get('/healthz')).status,
      readyz: (await get('/readyz')).status,
      metrics: metrics.text.split('\n').filter((line) => /^(switchboard|process)_/.test(line)),
    };
  });
}
