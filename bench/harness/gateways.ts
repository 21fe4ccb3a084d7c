import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { EXAMPLE_ACTIVITY } from '../../src/http/activity.ts';
import type { Target } from '../accept.ts';
import { type DeliveryTarget, TENANTS, targetOf } from '../deliver.ts';
import type { Bench } from './bench.ts';
import { postmasterOf } from './postmaster.ts';
import { startProcess } from './processes.ts';
import { type Flush, redisPath, startRedis } from './redis.ts';
import { activityThrough } from './service.ts';

/* The gateways of bench/beside/, a package of its own that is installed on first use. */

const FOLDER = join(import.meta.dirname, '..', 'beside');
const HEADERS = { 'content-type': 'application/json' };

/** Throws if redis-server or the npm registry is missing. */
export async function installGateways(bench: Bench): Promise<void> {
  redisPath();
  const { dependencies } = manifestIn(FOLDER);
  const isInstalled = Object.entries(dependencies ?? {}).every(
    ([name, version]) => manifestIn(join(FOLDER, 'node_modules', name)).version === version,
  );
  if (isInstalled) return;
  bench.progress('npm ci in bench/beside');
  const npm = spawn('npm', ['ci', '--ignore-scripts', '--loglevel=error'], {
    cwd: FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [code] = (await once(npm, 'exit')) as [number | null];
  if (code !== 0) throw new Error('npm ci failed in bench/beside: is the npm registry reachable?');
}

interface Manifest {
  version?: string;
  dependencies?: Record<string, string>;
}

function manifestIn(folder: string): Manifest {
  const file = join(folder, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : {};
}

/** A gateway of bench/beside/. Each start uses a new store. */
export interface Gateway {
  name: string;
  accepting(): Promise<Target>;
  /** With the processes of the gateway and its store. */
  delivering(): Promise<DeliveryTarget & { processes: number[] }>;
}

interface Opened {
  environment: Record<string, string>;
  /** The process of the store. */
  process: number;
}

/** What a gateway does beyond the getting-started guide of its queue. */
interface GatewayExtras {
  tuned?: boolean;
  ordered?: boolean;
  /** Whether it records the result of each message. */
  recorded?: boolean;
}

export function bullmq(bench: Bench, flush: Flush, care: GatewayExtras = {}): Gateway {
  return gateway(`Fastify, BullMQ, Redis \`${flush}\``, 'bullmq', care, async () => {
    const folder = bench.path('redis');
    mkdirSync(folder);
    const { url, pid } = await startRedis(flush, folder);
    return { environment: { REDIS_URL: url }, process: pid };
  });
}

export function graphile(bench: Bench, care: GatewayExtras = {}): Gateway {
  return gateway('Fastify, graphile-worker, PostgreSQL', 'graphile', care, async () => {
    const { SWITCHBOARD_DATABASE: url } = await bench.onPostgres();
    return { environment: { DATABASE_URL: url }, process: await postmasterOf(url) };
  });
}

function gateway(
  queue: string,
  script: string,
  { tuned = false, ordered = false, recorded = false }: GatewayExtras,
  open: () => Promise<Opened>,
): Gateway {
  const care = [tuned && 'tuned', ordered && 'in order', recorded && 'with a record'];
  const name = [queue, ...care].filter(Boolean).join(', ');
  const start = async (role: 'api' | 'all', vendor = '') => {
    const { environment, process } = await open();
    const settings = {
      ...environment,
      ROLE: role,
      VENDOR_URL: vendor,
      ...(tuned && { TUNED: 'yes' }),
      ...(ordered && { ORDERED: 'yes' }),
      ...(recorded && { RECORDED: 'yes' }),
    };
    return { running: await startProcess(`bench/beside/${script}.js`, [], settings), process };
  };
  return {
    name,
    accepting: async () => ({
      name,
      running: (await start('api')).running,
      headers: HEADERS,
      body: JSON.stringify({ message: EXAMPLE_ACTIVITY }),
      stored: async () => undefined,
    }),
    async delivering() {
      const sink = await startProcess('bench/harness/sink.ts', []);
      const senders = Array.from({ length: TENANTS }, (_, i) => ({
        headers: HEADERS,
        body: (to: string) => JSON.stringify({ message: activityThrough(i + 1, to) }),
      }));
      const { running, process } = await start('all', sink.url);
      const target = targetOf(name, running, sink, senders);
      return { ...target, processes: [running.pid, process] };
    },
  };
}
