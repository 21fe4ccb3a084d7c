import { setTimeout as pause } from 'node:timers/promises';

import autocannon from 'autocannon';

import { TENANTS, requestsOf, rotated } from './deliver.ts';
import { type Bench, figure, middle } from './harness/bench.ts';
import { cpuSeconds } from './harness/cpu.ts';
import { type MessageCosts, keep } from './harness/measured.ts';
import { type ServerCosts, connected, costsWhile } from './harness/postmaster.ts';
import { type Running, startNode, startProcess } from './harness/processes.ts';
import { type BenchApplication, startBenchService } from './harness/service.ts';

/*
 * The cost of each further node for PostgreSQL. On one machine more nodes are not faster, since they share its cores. The
 * CPU time per message of nodes and server shows how far more machines would scale.
 */

const MAX_NODES = 4;
const SPREAD_TIMEOUT_MS = 120_000;
const SPREAD = `select count(*)::int as count from ownerships where node is not null group by node`;

interface Shot {
  perSecond: number;
  messages: number;
  /** CPU seconds of all nodes together. */
  cpu: number;
  server: ServerCosts;
}

export async function report(bench: Bench): Promise<void> {
  const rows: string[][] = [];
  for (let count = 1; count <= MAX_NODES; count++) {
    const accepted = await measureNodes(bench, count, 'api');
    const both = await measureNodes(bench, count, 'all');
    rows.push([String(count), ...cellsOf(accepted), ...cellsOf(both)]);
    if (count === 1 && bench.options.save) {
      const [accept, all] = [costsOf(accepted), costsOf(both)];
      keep('nodes', { accept, deliver: difference(all, accept) });
    }
  }
  bench.report(
    [
      'nodes',
      'accepted/s',
      'nodes, CPU s',
      'server, CPU s',
      'flushes',
      'accepted and delivered/s',
      'nodes, CPU s',
      'server, CPU s',
      'flushes',
    ],
    rows,
  );
  bench.say('CPU seconds and flushes are per 1,000 messages.\n');
}

/** The median round, by CPU time per message. */
async function measureNodes(bench: Bench, count: number, role: 'api' | 'all'): Promise<Shot> {
  const { rounds = 3, seconds = 5, connections = 100 } = bench.options;
  const environment = await bench.onPostgres();
  const sink = await startProcess('bench/harness/sink.ts', []);
  const settings = { ...environment, SWITCHBOARD_ROLE: role };
  const first = await startBenchService(settings);
  const nodes = [first.running];
  while (nodes.length < count) {
    nodes.push(await startNode(settings));
  }
  try {
    const applications: BenchApplication[] = [];
    for (let i = 0; i < TENANTS; i++) {
      applications.push(await first.application({ name: 'webhook', address: sink.url }));
    }
    if (role === 'all') await untilSpread(environment.SWITCHBOARD_DATABASE, count);
    const fire = () => shoot(nodes, sink, requestsOf(applications), connections, seconds, role);
    await fire();
    const shots: Shot[] = [];
    for (let round = 1; round <= rounds; round++) {
      const before = cpuOf(nodes);
      const { result, costs } = await costsWhile(environment.SWITCHBOARD_DATABASE, fire);
      const shot = { ...result, cpu: cpuOf(nodes) - before, server: costs };
      const { perSecond, messages, cpu } = shot;
      const each = `${figure((cpu / messages) * 1e6)} + ${figure((costs.cpu / messages) * 1e6)} µs`;
      bench.progress(`${count} nodes, ${role}: ${figure(perSecond)}/s, ${each} each`);
      shots.push(shot);
    }
    const costs = shots.map((shot) => totalOf(shot));
    const found = shots.find((shot) => totalOf(shot) === middle(costs));
    if (!found) throw new Error('nothing was measured');
    return found;
  } finally {
    for (const node of nodes) await node.stop();
    await sink.stop();
  }
}

const cpuOf = (nodes: readonly Running[]) =>
  nodes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);

const totalOf = ({ cpu, server, messages }: Shot) => (cpu + server.cpu) / messages;

/** Sends load to all nodes at once; with delivery, waits until the last message has arrived. */
async function shoot(
  nodes: readonly Running[],
  sink: Running,
  requests: autocannon.Request[],
  connections: number,
  seconds: number,
  role: 'api' | 'all',
): Promise<Pick<Shot, 'perSecond' | 'messages'>> {
  const arrived = async () => Number(await (await fetch(sink.url)).text());
  const before = await arrived();
  const began = performance.now();
  let clients = 0;
  const results = await Promise.all(
    nodes.map(({ url }) =>
      autocannon({
        url: `${url}/1/message`,
        method: 'POST',
        setupClient: (client) => client.setRequests(rotated(requests, clients++)),
        connections: Math.ceil(connections / nodes.length),
        duration: seconds,
      }),
    ),
  );
  for (const { non2xx, errors } of results) {
    if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} refused, ${errors} errors`);
  }
  const messages = results.reduce((sum, result) => sum + result['2xx'], 0);
  while (role === 'all' && (await arrived()) - before < messages) await pause(5);
  return { messages, perSecond: messages / ((performance.now() - began) / 1000) };
}

/** Waits until every node owns its share of the integrations. */
async function untilSpread(url: string, nodes: number): Promise<void> {
  await connected(url, async (client) => {
    for (const began = performance.now(); performance.now() - began < SPREAD_TIMEOUT_MS;) {
      const { rows } = await client.query<{ count: number }>(SPREAD);
      const owned = rows.map(({ count }) => count);
      if (owned.length === nodes && Math.max(...owned) - Math.min(...owned) <= 1) return;
      await pause(200);
    }
    throw new Error('the integrations were not spread over the nodes');
  });
}

function costsOf({ messages, cpu, server }: Shot): MessageCosts {
  return {
    node: cpu / messages,
    server: server.cpu / messages,
    wal: server.wal / messages,
    commits: server.commits / messages,
    flushes: server.flushes / messages,
  };
}

function difference(all: MessageCosts, part: MessageCosts): MessageCosts {
  return {
    node: all.node - part.node,
    server: all.server - part.server,
    wal: all.wal - part.wal,
    commits: all.commits - part.commits,
    flushes: all.flushes - part.flushes,
  };
}

function cellsOf(shot: Shot): string[] {
  const { node, server, flushes } = costsOf(shot);
  return [shot.perSecond, node * 1000, server * 1000, flushes * 1000].map(figure);
}
