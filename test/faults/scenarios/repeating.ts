import assert from 'node:assert/strict';

import type { EngineName } from '../../../src/store/schema.ts';
import { call } from '../../support/programs/command.ts';
import { until } from '../../support/until.ts';
import { Load, type Progress, noteTo } from './load.ts';
import { Nodes } from './nodes.ts';
import { readStore } from './read-store.ts';

/*
 * Sends the same request with one idempotency key many times in parallel to all nodes, and kills one of the nodes
 * meanwhile. All requests must return the same message, and only one may exist.
 */
export interface RepeatOptions {
  engine: EngineName;
  nodes: number;
  rounds: number;
  progress: Progress;
}

export interface RepeatReport {
  nodes: number;
  rounds: number;
  kills: number;
  requests: number;
  /** Requests that had to be repeated. */
  repeated: number;
  messages: number;
  /** Messages that arrived more than once because they were in flight at a kill. */
  duplicates: number;
}

const PARALLEL_REQUESTS = 50;

export async function repeatRequests(options: RepeatOptions): Promise<RepeatReport> {
  const { engine, nodes: count, rounds, progress } = options;
  await using load = await Load.open(engine, { pairs: 1 });
  const nodes = await Nodes.start(load.cli, count);
  await load.prepare(nodes.newest);
  const token = load.applications[0]?.token ?? '';
  let requests = 0;
  for (let round = 1; round <= rounds; round++) {
    const headers = { 'idempotency-key': `round-${round}` };
    const json = noteTo(`C${String(round).padStart(9, '0')}`, `round ${round}`);
    let answered = 0;
    const request = async (): Promise<number | false> => {
      requests++;
      try {
        const reply = await call(nodes.url(), 'POST', '/1/message', { token, json, headers });
        if (reply.status === 202) return Number(reply.body.id);
        // The first request is still in progress, or the store is busy.
        assert.ok([409, 503].includes(reply.status), `${reply.status} ${reply.text}`);
        return false;
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return false;
      } finally {
        answered++;
      }
    };
    const inFlight = Array.from({ length: PARALLEL_REQUESTS }, () =>
      until('an answer', request, 120_000),
    );
    // At a random moment between the first response and the last.
    const moment = Math.floor(Math.random() * PARALLEL_REQUESTS);
    await until('some answers', () => answered >= moment);
    const victim = nodes.takeOut();
    victim.process.kill('SIGKILL');
    await victim.process.exited;
    await nodes.add();
    const ids = new Set(await Promise.all(inFlight));
    assert.equal(ids.size, 1, `one key, one message: ${[...ids].join(', ')}`);
    progress(`${round}/${rounds} rounds, ${requests} requests`);
  }
  await load.settled(nodes.url);
  const messages = await readStore(load.cli, 'select count(*) from messages');
  const arrived = [...load.arrived.values()];
  await nodes.stop();
  assert.equal(messages, rounds, 'one message per key');
  assert.equal(arrived.length, rounds, 'every message has arrived');
  return {
    nodes: count,
    rounds,
    kills: rounds,
    requests,
    repeated: requests - rounds * PARALLEL_REQUESTS,
    messages,
    duplicates: arrived.filter((times) => times > 1).length,
  };
}
