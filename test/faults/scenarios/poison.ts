import assert from 'node:assert/strict';

import type { EngineName } from '../../../src/store/schema.ts';
import { type Serving, call } from '../../support/programs/command.ts';
import { until } from '../../support/until.ts';
import { Load, type Progress } from './load.ts';

/*
 * A message that crashes every process that sends it: the process is killed the moment the message reaches Slack. This
 * message must become uncertain, and no other may.
 */
export interface PoisonOptions {
  engine: EngineName;
  /** The number of other messages. */
  messages: number;
  progress: Progress;
}

export interface PoisonReport {
  accepted: number;
  crashes: number;
  lost: number;
  duplicates: number;
  /** Maximum number of other messages in flight at the crashes. */
  inFlight: number;
  /** Other messages that were set aside. */
  alsoSetAside: number;
  setAsideAfterSeconds: number;
}

const POISON = 'poison';
/** Maximum messages in flight of one integration. */
const CONCURRENCY = 8;

export async function crashBySending(options: PoisonOptions): Promise<PoisonReport> {
  let serving: Serving | undefined;
  let crashes = 0;
  await using load = await Load.open(options.engine, {
    async answer({ text }, take) {
      if (!text.includes(POISON)) return take();
      const victim = serving?.process;
      victim?.kill('SIGKILL');
      await victim?.exited;
      return { status: 500 };
    },
  });
  const current = () => serving?.url ?? '';
  serving = await load.cli.serve();
  await load.prepare(serving);
  let isOver = false;
  // The supervisor restarts the service whenever it ends.
  const supervising = (async () => {
    for (;;) {
      await serving.process.exited;
      if (isOver) return;
      options.progress(`${++crashes} crashes, ${load.accepted.size} accepted`);
      serving = await load.cli.serve();
    }
  })();

  // For the application with the policy `resend`, in its own conversation.
  const poison = await load.post(current, 0, POISON);
  const since = performance.now();
  let number = 0;
  const others = Array.from({ length: 4 }, async () => {
    while (number < options.messages) await load.post(current, ++number);
  });
  const token = load.applications[0]?.token ?? '';
  const show = () => call(current(), 'GET', `/1/messages/${poison}`, { token });
  const setAside = await until(
    'the poison is set aside',
    async () => {
      const reply = await show().catch(() => undefined);
      return reply?.body?.error?.code === 'crashed' && reply.body;
    },
    120_000,
  );
  const setAsideAfterSeconds = Math.round((performance.now() - since) / 100) / 10;
  assert.equal(setAside.state, 'uncertain');
  await Promise.all(others);
  const crashed = crashes;
  await load.settled(current);
  assert.equal(crashes, crashed, 'no further crash');
  const kept = await load.judge(current());
  let alsoSetAside = 0;
  for (const [text, { id, uncertain }] of load.accepted) {
    if (uncertain === 'hold' || text === POISON) continue;
    const { body } = await call(current(), 'GET', `/1/messages/${id}`, { token });
    if (body.state !== 'sent') alsoSetAside++;
  }
  isOver = true;
  await serving.stop();
  await supervising;
  const inFlight = crashes * CONCURRENCY * load.applications.length;
  const { accepted, lost, duplicates } = kept;
  const report = { accepted, crashes, lost, duplicates, inFlight, alsoSetAside };
  assert.equal(lost, 0, JSON.stringify(report));
  assert.equal(kept.heldDuplicates, 0);
  assert.ok(duplicates <= inFlight, JSON.stringify(report));
  assert.equal(alsoSetAside, 0, 'all other messages are sent');
  assert.equal(crashes, 3, 'two crashes with other messages in flight, and one in isolation');
  return { ...report, setAsideAfterSeconds };
}
