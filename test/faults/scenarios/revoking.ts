import assert from 'node:assert/strict';

import { textMember } from '../../../src/lib/json/json-member.ts';
import type { EngineName } from '../../../src/store/schema.ts';
import { call } from '../../support/programs/command.ts';
import { until } from '../../support/until.ts';
import { Load, type Progress, noteTo } from './load.ts';
import { Nodes } from './nodes.ts';

/*
 * People stop messages while nodes are killed under load. After a stop was acknowledged, no message to the person is
 * accepted, and none starts: only the one that was on its way may still arrive. Every other waiting message is
 * suppressed.
 */
export interface RevokeOptions {
  engine: EngineName;
  nodes: number;
  /** Each stops messages once; a node is killed after every third. */
  people: number;
  /** Messages to each person. */
  messages: number;
  progress: Progress;
}

export interface RevokeReport {
  accepted: number;
  refused: number;
  suppressed: number;
  kills: number;
  /** Messages that arrived after their stop was acknowledged. */
  onTheirWay: number;
}

export async function revokeAgainAndAgain(options: RevokeOptions): Promise<RevokeReport> {
  const { engine, people, messages, progress } = options;
  await using load = await Load.open(engine, { pairs: 1 });
  const nodes = await Nodes.start(load.cli, options.nodes);
  await load.prepare(nodes.newest);
  const [application] = load.applications;
  assert.ok(application);
  const { token } = application;
  const report: RevokeReport = {
    accepted: 0,
    refused: 0,
    suppressed: 0,
    kills: 0,
    onTheirWay: 0,
  };

  const addressOf = (person: number) => `C${String(person).padStart(9, '0')}`;
  const arrivedAt = (person: number) =>
    load.slack.seen.filter(({ json }) => textMember(json, 'channel') === addressOf(person)).length;
  /** The number of messages that had arrived when the stop was acknowledged. */
  const acknowledged = new Map<number, number>();

  /** Repeats a request until it is answered. */
  const ask = (what: string, path: string, json: object, key: string) =>
    until(
      what,
      async () => {
        const headers = { 'idempotency-key': key };
        const answer = await call(nodes.url(), 'POST', path, { token, json, headers }).catch(
          () => undefined,
        );
        return answer && answer.status < 500 && answer.status !== 409 && answer;
      },
      120_000,
    );

  async function write(person: number): Promise<void> {
    for (let i = 0; i < messages; i++) {
      const wasStopped = acknowledged.has(person);
      const name = `${person}-${i}`;
      const { status, body } = await ask(name, '/1/message', noteTo(addressOf(person), name), name);
      if (status === 202) {
        assert.ok(!wasStopped, `message ${name} was accepted after the stop`);
        report.accepted++;
      } else {
        assert.equal(body.code, 'recipient_suppressed');
        report.refused++;
      }
    }
  }

  async function stop(person: number): Promise<void> {
    const json = { family: 'slack', address: addressOf(person), state: 'revoked' };
    const { status } = await ask(`stop ${person}`, '/1/consents', json, `stop-${person}`);
    acknowledged.set(person, arrivedAt(person));
    assert.equal(status, 201);
  }

  const writing = Promise.all(Array.from({ length: people }, (_, person) => write(person)));
  for (let person = 0; person < people; person++) {
    await until('a message to the person', () => arrivedAt(person) > 0, 120_000);
    await stop(person);
    progress(`${person + 1}/${people} people stopped messages`);
    if (person % 3 !== 0) continue;
    const { process: victim } = nodes.takeOut();
    victim.kill('SIGKILL');
    await victim.exited;
    report.kills++;
    await nodes.add();
  }
  await writing;
  await load.settled(nodes.url);
  for (const [person, before] of acknowledged) {
    const late = arrivedAt(person) - before;
    assert.ok(late <= 1, `${late} messages to person ${person} arrived after the stop`);
    report.onTheirWay += late;
  }
  const { body } = await call(nodes.url(), 'GET', '/1/messages?limit=1000&state=suppressed', {
    token,
  });
  report.suppressed = body.data.length;
  await nodes.stop();
  return report;
}
