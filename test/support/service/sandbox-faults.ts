import assert from 'node:assert/strict';
import { type TestContext, it } from 'node:test';

import { findChannel } from '../../../src/channels/index.ts';
import { LIMIT_SECONDS, type SandboxFault, numberOf } from '../../../src/sandbox/faults.ts';
import { loadSimulator } from '../../../src/sandbox/index.ts';
import { LOGIN_REFUSAL_MS } from '../../../src/sandbox/sessions.ts';
import { WITHOUT_HTTP, faultsOf, receiptStates } from '../../../src/sandbox/simulator.ts';
import type { EngineName } from '../../../src/store/schema.ts';
import { TestClock } from '../clock.ts';
import { WAIT_TIMEOUT_MS, until } from '../until.ts';
import type { Reply } from './client.ts';
import { feedOf } from './feed.ts';
import { type SentReports, watchReports } from './sandbox-reports.ts';
import { REPORTED, type SandboxTest, openSandboxes } from './sandbox.ts';

/* Every fault of a simulated channel, by its magic address. */

interface Trial {
  sandbox: SandboxTest;
  clock: TestClock;
  /** The message to the magic address. */
  id: number;
  reports: SentReports;
}

const PAUSE_MS = 5;
const POLL_STEP_MS = 500;
const OUTAGE_MS = 600_000;
/** Polls of a message that is being sent until the clock is advanced. */
const POLLS_WHILE_SENDING = 40;
/** The same, after the message has arrived at the simulator. */
const POLLS_AFTER_ARRIVAL = 4;
/** Steps for what takes long, so that it takes few of them. */
const LONG_STEP_MS = 5_000;

/** Advances the clock step by step until the message matches. */
async function later(
  { sandbox, clock, id }: Trial,
  isWanted: (message: Reply['body']) => boolean,
  { stepMs = 1_000, pollsWhileSending = POLLS_WHILE_SENDING } = {},
): Promise<Reply['body']> {
  let polls = 0;
  const step = async () => {
    const { body } = await sandbox.app.get(`/1/messages/${id}`);
    if (isWanted(body)) return body;
    // On a busy machine, a step with each poll would exceed the deadline of an attempt before the simulator answers.
    if (body.state !== 'sending' || ++polls % pollsWhileSending === 0) clock.advance(stepMs);
    return undefined;
  };
  return until(`message ${id}`, step, WAIT_TIMEOUT_MS, PAUSE_MS);
}

/** Advances the clock while it waits, for vendors that are polled. */
function ticking<Found>(
  { clock }: Trial,
  what: string,
  find: () => Promise<Found | false>,
): Promise<Found> {
  return until(what, async () => {
    const found = await find();
    if (found === false) clock.advance(POLL_STEP_MS);
    return found;
  });
}

const attemptsOf = async ({ sandbox, id }: Trial) =>
  (await sandbox.app.get(`/1/messages/${id}/attempts`)).body.data;

/** Sessions have no HTTP status. */
const isSession = ({ sandbox }: Trial) =>
  sandbox.simulator.recipientOf === WITHOUT_HTTP.recipientOf;
const isXmpp = ({ sandbox }: Trial) => sandbox.simulator.channel === 'xmpp';
const isOut = ({ state }: { state: string }) => /^(sent|delivered|read)$/.test(state);
const hasFailed = ({ state }: { state: string }) => state === 'failed';
const received = async ({ sandbox }: Trial) =>
  (await feedOf(sandbox.app)).filter(({ type }) => type === 'message.received');
const shownTo = async ({ sandbox }: Trial) =>
  (await sandbox.phone()).filter(({ author }) => author === 'application');

const refused = async (trial: Trial) => {
  const { error } = await later(trial, hasFailed);
  assert.equal(error.code, 'recipient');
  assert.deepEqual(await shownTo(trial), []);
};

/** Reports that arrive together may become one event. */
const reported = async (trial: Trial, state: string) => {
  await later(trial, (message) => message.state === state);
  const types: string[] = (await feedOf(trial.sandbox.app)).map(({ type }) => type);
  assert.ok(types.includes(`message.${state}`), types.join());
};

/** Waits until the vendor has reported these states, in this order, and later ones of another message. */
const reportedStates = async (trial: Trial, expected: readonly string[]) => {
  const { sandbox, reports } = trial;
  await ticking(trial, 'the reports', async () => reports.count() >= expected.length);
  assert.deepEqual(reports.states(), expected);
  const other = await sandbox.send({ type: 'Note', content: 'Marker' }, sandbox.recipient);
  await later({ ...trial, id: other }, ({ state }) => /^(delivered|read)$/.test(state));
  assert.equal(reports.count(), expected.length + 1);
};

const stateOf = async ({ sandbox, id }: Trial) =>
  (await sandbox.app.get(`/1/messages/${id}`)).body.state;

/** What must come of a message to the magic address. */
const EXPECTED: Record<SandboxFault, (trial: Trial) => Promise<void>> = {
  read: (trial) => reported(trial, 'read'),
  blocked: refused,
  unknown: refused,
  async limited(trial) {
    const began = trial.clock.now();
    await later(trial, isOut, { stepMs: LONG_STEP_MS });
    assert.ok(trial.clock.now() - began >= 29_000, 'it did not wait for the limit');
    const [first] = await attemptsOf(trial);
    // XMPP has no answer that means it.
    assert.equal(first.outcome, isXmpp(trial) ? 'transient' : 'limited');
  },
  async server_error(trial) {
    await later(trial, ({ failed_attempts: count }) => count >= 2);
    const [first] = await attemptsOf(trial);
    assert.equal(first.status, isSession(trial) ? null : '500');
    assert.deepEqual(await shownTo(trial), []);
  },
  async unavailable(trial) {
    await later(trial, ({ failed_attempts: count }) => count >= 2);
    const [first] = await attemptsOf(trial);
    const status = isSession(trial) ? null : '503';
    assert.deepEqual([first.outcome, first.status], ['transient', status]);
  },
  async lost_answer(trial) {
    await later(trial, isOut);
    const attempts = await attemptsOf(trial);
    const { channel } = trial.sandbox.simulator;
    const { idempotent = false } = findChannel(channel) ?? {};
    assert.deepEqual(
      attempts.map(({ outcome }: { outcome: string }) => outcome),
      [idempotent ? 'transient' : 'uncertain', 'sent'],
    );
    // The policy for uncertain messages is to resend: the person sees both, unless the vendor recognizes repeats. Some
    // do for a while only, which the channel does not rely on.
    const { length } = await shownTo(trial);
    const isRecognized = idempotent || ['groupme', 'mattermost'].includes(channel);
    assert.equal(length, isRecognized ? 1 : 2);
  },
  async slow(trial) {
    const began = trial.clock.now();
    await until('it arrives', async () => (await shownTo(trial)).length > 0);
    await later(trial, isOut, { pollsWhileSending: POLLS_AFTER_ARRIVAL });
    assert.ok(trial.clock.now() - began >= 5_000, 'the answer was not slow');
    // The report came before the answer.
    const states = receiptStates(trial.sandbox.simulator);
    if (states.includes('delivered')) await reported(trial, 'delivered');
  },
  async malformed(trial) {
    await later(trial, isOut);
    const [attempt, ...others] = await attemptsOf(trial);
    assert.equal(attempt.answer, '{"ok":');
    assert.deepEqual(others, []);
    assert.equal((await shownTo(trial)).length, 1);
  },
  async credentials(trial) {
    const { sandbox } = trial;
    await later(trial, ({ error }) => error?.code === 'credentials');
    if (!findChannel(sandbox.simulator.channel)?.check) return;
    // Some protocols refuse credentials at the login only, and then each login for some seconds.
    trial.clock.advance(LOGIN_REFUSAL_MS);
    const check = await sandbox.app.post(`/1/integrations/${sandbox.integrationId}/check`, {});
    assert.equal(check.body.status, 'ok');
    await later(trial, isOut);
  },
  async late_receipt(trial) {
    const began = trial.clock.now();
    // In small steps: a session must not time out meanwhile.
    await later(trial, ({ state }) => state === 'delivered');
    assert.ok(trial.clock.now() - began >= 60_000, 'the report was not late');
  },
  async reordered_receipts(trial) {
    await reported(trial, 'read');
    await reportedStates(trial, ['read', 'delivered']);
    assert.equal(await stateOf(trial), 'read');
  },
  async repeated_receipts(trial) {
    await reported(trial, 'delivered');
    await reportedStates(trial, ['delivered', 'delivered']);
    assert.equal(await stateOf(trial), 'delivered');
  },
  async no_receipt(trial) {
    await later(trial, isOut);
    await reportedStates(trial, []);
    assert.equal(trial.reports.hasLate(), false);
    const shown = await trial.sandbox.shown('it', ({ text }) => text === 'Hello');
    assert.equal(shown.status, undefined);
    assert.equal(await stateOf(trial), 'sent');
  },
  async repeated_webhook(trial) {
    const { sandbox, reports } = trial;
    await sandbox.shown('the answer', ({ author }) => author === 'person');
    const count = () => reports.count() - reports.states().length;
    await ticking(trial, 'the repetition', async () => count() === 2);
    await sandbox.act('reply', { text: 'Marker' });
    const contents = async () =>
      (await received(trial)).map(({ data }): string => data.object.content);
    await ticking(trial, 'the next one', async () => (await contents()).includes('Marker'));
    assert.deepEqual(await contents(), ['Hello', 'Marker']);
    assert.equal(count(), 3);
  },
  async reordered_webhooks(trial) {
    const events = await ticking(trial, 'both answers', async () => {
      const found = await received(trial);
      return found.length === 2 && found;
    });
    assert.deepEqual(
      events.map(({ data }) => data.object.content),
      ['Second', 'First'],
    );
  },
  async outage(trial) {
    const began = trial.clock.now();
    await later(trial, ({ failed_attempts: count }) => count > 0);
    trial.clock.leap(OUTAGE_MS - 60_000);
    await later(trial, isOut, { stepMs: LONG_STEP_MS });
    assert.ok(trial.clock.now() - began >= OUTAGE_MS, 'the outage was too short');
    assert.ok((await attemptsOf(trial)).length > 1);
  },
  async stop(trial) {
    const [event] = await ticking(trial, 'STOP', async () => {
      const found = await received(trial);
      return found.length > 0 && found;
    });
    assert.equal(event?.data.object.content, 'STOP');
  },
};

/** How standing faults end that would otherwise repeat forever. */
const ENDS: Partial<Record<SandboxFault, Record<string, number>>> = {
  limited: { seconds: LIMIT_SECONDS },
  lost_answer: { times: 1 },
  credentials: { times: 1 },
  outage: { seconds: OUTAGE_MS / 1_000 },
};

export function testFaults(name: string, engine: EngineName): void {
  it(`${name} triggers each fault by its address (${engine})`, (t) =>
    testEach(t, name, engine, async (fault, sandbox) => {
      const to = sandbox.simulator.magicAddress(numberOf(fault));
      assert.equal(findChannel(name)?.recipient.validate(to), undefined);
      return { to, content: sandbox.simulator.isMagicText ? to : 'Hello' };
    }));
}

/** The same faults, as the page and the API set them for an address. */
export function testStandingFaults(name: string, engine: EngineName): void {
  it(`${name} has each fault as a standing one (${engine})`, (t) =>
    testEach(t, name, engine, async (fault, { app, integrationId, simulator, recipient }) => {
      const other = simulator.people.find(
        ({ address, isOnlyInRooms }) => address !== recipient && !isOnlyInRooms,
      );
      const to = other?.address ?? recipient;
      const behaviours = [{ fault, to, ...ENDS[fault] }];
      const set = await app.put(`/1/sandbox/${integrationId}/behaviour`, { behaviours });
      assert.equal(set.status, 204, set.text);
      return { to, content: 'Hello' };
    }));
}

async function testEach(
  t: TestContext,
  name: string,
  engine: EngineName,
  provoke: (fault: SandboxFault, sandbox: SandboxTest) => Promise<{ to: string; content: string }>,
): Promise<void> {
  const clock = new TestClock();
  await using sandboxes = await openSandboxes(engine, { clock });
  const simulator = await loadSimulator(name);
  assert.ok(simulator);
  for (const fault of faultsOf(simulator)) {
    const sandbox = await sandboxes.open(name);
    await t.test(fault, async () => {
      const { to, content } = await provoke(fault, sandbox);
      const options = /^read$|receipt/.test(fault) ? REPORTED[name] : undefined;
      using reports = watchReports(sandbox);
      const id = await sandbox.send({ type: 'Note', content }, to, options);
      await EXPECTED[fault]({ sandbox, clock, id, reports });
    });
  }
}
