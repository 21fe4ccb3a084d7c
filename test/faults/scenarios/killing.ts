import assert from 'node:assert/strict';

import type { EngineName } from '../../../src/store/schema.ts';
import { until } from '../../support/until.ts';
import { type Kept, Load, type Progress, assertKept } from './load.ts';
import { Nodes } from './nodes.ts';
import { type PeopleKept, PeopleWork } from './people.ts';
import { readStore } from './read-store.ts';

/*
 * Kills nodes under load repeatedly with SIGKILL. Every accepted message must arrive; only messages in flight at a kill
 * may arrive twice; and none may arrive twice for an application with the policy `hold`. Meanwhile contacts are imported,
 * merged and erased, each once.
 */
export interface KillOptions {
  engine: EngineName;
  nodes: number;
  kills: number;
  /** Minimum number of messages accepted in total. */
  messages: number;
  progress: Progress;
}

export interface KillReport extends Kept {
  nodes: number;
  kills: number;
  /** Messages in flight at the kills, in total. */
  inFlight: number;
  people: PeopleKept;
}

export async function killAgainAndAgain(options: KillOptions): Promise<KillReport> {
  const { engine, kills, messages, progress } = options;
  await using load = await Load.open(engine, { pairs: options.nodes, scheduled: true });
  const nodes = await Nodes.start(load.cli, options.nodes);
  await load.prepare(nodes.newest);

  let killed = 0;
  const isEnough = () => killed >= kills && load.accepted.size >= messages;
  const [application] = load.applications;
  assert.ok(application);
  const work = new PeopleWork(nodes.url, application);
  const writing = Promise.all([load.write(nodes.url, isEnough), work.run(isEnough)]);
  let inFlight = 0;
  const share = Math.ceil(messages / (kills + 1));
  for (let i = 0; i < kills; i++) {
    const [before, arrivedBefore] = [load.accepted.size, load.slack.seen.length];
    // At a random moment, but not before the service works again.
    const enough = Math.max(1, Math.floor(Math.random() * 2 * share));
    await until(
      'the service at work',
      () => load.accepted.size >= before + enough && load.slack.seen.length > arrivedBefore,
      60_000,
    );
    const { process: victim } = nodes.takeOut();
    // Suspended first, so that no other node takes over before its messages in flight are counted.
    victim.kill('SIGSTOP');
    inFlight += await readStore(load.cli, beingSentBy(victim.child.pid ?? 0));
    victim.kill('SIGKILL');
    await victim.exited;
    killed++;
    progress(`${killed}/${kills} kills, ${load.accepted.size} accepted`);
    await nodes.add();
  }
  await writing;
  await load.settled(nodes.url);
  const kept = await load.judge(nodes.url());
  const people = await work.judge();
  await nodes.stop();
  const report = { nodes: options.nodes, kills, inFlight, ...kept, people };
  assertKept(report);
  const { misread, torn, left, merged, erased } = people;
  assert.deepEqual({ misread, torn, left }, { misread: 0, torn: 0, left: 0 });
  assert.ok(Math.min(merged, erased) > 0, JSON.stringify(people));
  const { scheduled, routed, pooled, addressed } = kept;
  assert.ok(Math.min(scheduled, routed, pooled, addressed) > 0, JSON.stringify(report));
  return report;
}

const beingSentBy = (pid: number) => `select count(*) from messages m
  join ownerships o on o.integration_id = m.integration_id join nodes n on n.id = o.node
  where m.state = 'sending' and n.pid = ${pid}`;
