import type { EngineName } from '../../src/store/engine.ts';
import { until } from '../support/until.ts';
import { askStore } from './ask.ts';
import { type Kept, Load, type Progress, assertKept } from './load.ts';
import { Nodes } from './nodes.ts';

/*
 * Nodes under load are killed with SIGKILL again and again. What they accepted must arrive; what arrives twice can
 * only be what was being sent at a kill; and nothing may arrive twice for an application that wants it held
 * instead.
 */
export interface KillOptions {
  engine: EngineName;
  nodes: number;
  kills: number;
  /** How many messages are accepted in the course of it, at the least. */
  messages: number;
  progress: Progress;
}

export interface KillReport extends Kept {
  nodes: number;
  kills: number;
  /** How many messages were being sent at the kills, all together. */
  inFlight: number;
}

export async function killAgainAndAgain(options: KillOptions): Promise<KillReport> {
  const { engine, kills, messages, progress } = options;
  await using load = await Load.open(engine, { pairs: options.nodes });
  const nodes = await Nodes.start(load.cli, options.nodes);
  await load.prepare(nodes.url());

  let killed = 0;
  const isEnough = () => killed >= kills && load.accepted.size >= messages;
  const writing = load.write(nodes.url, isEnough);
  let inFlight = 0;
  const share = Math.ceil(messages / (kills + 1));
  for (let i = 0; i < kills; i++) {
    const [before, arrivedBefore] = [load.accepted.size, load.slack.seen.length];
    // Only when it is at work again; and then at any moment.
    const enough = Math.max(1, Math.floor(Math.random() * 2 * share));
    await until(
      'the service at work',
      () => load.accepted.size >= before + enough && load.slack.seen.length > arrivedBefore,
      60_000,
    );
    const { process: victim } = nodes.takeOut();
    // Stopped first, so that nobody takes over before it is counted what it leaves behind.
    victim.kill('SIGSTOP');
    inFlight += await askStore(load.cli, beingSentBy(victim.child.pid ?? 0));
    victim.kill('SIGKILL');
    await victim.exited;
    killed++;
    progress(`${killed}/${kills} kills, ${load.accepted.size} accepted`);
    await nodes.add();
  }
  await writing;
  await load.settled(nodes.url);
  const kept = await load.judge(nodes.url());
  await nodes.stop();
  const report = { nodes: options.nodes, kills, inFlight, ...kept };
  assertKept(report);
  return report;
}

const beingSentBy = (pid: number) => `select count(*) from messages m
  join ownerships o on o.integration_id = m.integration_id join nodes n on n.id = o.node
  where m.state = 'sending' and n.pid = ${pid}`;
