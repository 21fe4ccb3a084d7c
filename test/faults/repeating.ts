import assert from 'node:assert/strict';

import type { EngineName } from '../../src/store/engine.ts';
import { call } from '../support/command.ts';
import { until } from '../support/until.ts';
import { askStore } from './ask.ts';
import { Load, type Progress, noteTo } from './load.ts';
import { Nodes } from './nodes.ts';

/*
 * Many make the same request under one idempotency key at once, at all nodes, and one of the nodes is killed
 * meanwhile. All of them must be told of the same message, and there must be one.
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
  /** How many had to be made again. */
  repeated: number;
  messages: number;
  /** How many messages arrived more than once: they were being sent at a kill. */
  duplicates: number;
}

const AT_ONCE = 50;

export async function repeatRequests(options: RepeatOptions): Promise<RepeatReport> {
  const { engine, nodes: count, rounds, progress } = options;
  await using load = await Load.open(engine, { pairs: 1 });
  const nodes = await Nodes.start(load.cli, count);
  await load.prepare(nodes.url());
  const token = load.applications[0]?.token ?? '';
  let requests = 0;
  for (let round = 1; round <= rounds; round++) {
    const headers = { 'idempotency-key': `round-${round}` };
    const json = noteTo(`C${String(round).padStart(9, '0')}`, `round ${round}`);
    let answered = 0;
    const ask = async (): Promise<number | false> => {
      requests++;
      try {
        const reply = await call(nodes.url(), 'POST', '/1/message', { token, json, headers });
        if (reply.status === 202) return Number(reply.body.id);
        // The first one is still being answered, or the store is busy.
        assert.ok([409, 503].includes(reply.status), `${reply.status} ${reply.text}`);
        return false;
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return false;
      } finally {
        answered++;
      }
    };
    const asking = Array.from({ length: AT_ONCE }, () => until('an answer', ask, 120_000));
    // At any moment between the first answer and the last.
    const moment = Math.floor(Math.random() * AT_ONCE);
    await until('some answers', () => answered >= moment);
    const victim = nodes.takeOut();
    victim.process.kill('SIGKILL');
    await victim.process.exited;
    await nodes.add();
    const ids = new Set(await Promise.all(asking));
    assert.equal(ids.size, 1, `one key, one message: ${[...ids].join(', ')}`);
    progress(`${round}/${rounds} rounds, ${requests} requests`);
  }
  await load.settled(nodes.url);
  const messages = await askStore(load.cli, 'select count(*) from messages');
  const arrived = [...load.arrived.values()];
  await nodes.stop();
  assert.equal(messages, rounds, 'one message a key');
  assert.equal(arrived.length, rounds, 'each has arrived');
  return {
    nodes: count,
    rounds,
    kills: rounds,
    requests,
    repeated: requests - rounds * AT_ONCE,
    messages,
    duplicates: arrived.filter((times) => times > 1).length,
  };
}
