import assert from 'node:assert/strict';

import { textMember } from '../../src/lib/member.ts';
import type { EngineName } from '../../src/store/engine.ts';
import { type HttpPeer, openHttp } from '../emulators/http.ts';
import { type CommandLine, type Serving, call, commandLine } from '../support/command.ts';
import { until } from '../support/until.ts';

/*
 * A service under load is killed with SIGKILL again and again. What it accepted must arrive; what arrives
 * twice can only be what was being sent at a kill; and nothing may arrive twice for an application that
 * wants it held instead.
 */
export interface KillOptions {
  engine: EngineName;
  kills: number;
  /** How many messages are accepted in the course of it, at the least. */
  messages: number;
  /** Told how it goes. */
  progress(text: string): void;
}

export interface KillReport {
  accepted: number;
  kills: number;
  /** How many messages were being sent at the kills, all together. */
  inFlight: number;
  lost: number;
  duplicates: number;
  /** Those of the application that wants them held. */
  heldDuplicates: number;
  uncertain: number;
}

/** Slack has no key against duplicates; a second passes between two messages to one conversation. */
const CONVERSATIONS = 400;
const WRITERS = 8;
const POLICIES = ['resend', 'hold'] as const;
const TOKEN = 'xoxb-fake-token';

export async function killAgainAndAgain(options: KillOptions): Promise<KillReport> {
  const arrived = new Map<string, number>();
  const slack = await openHttp(({ json }) => {
    const text = textMember(json, 'text') ?? '';
    arrived.set(text, (arrived.get(text) ?? 0) + 1);
    const channel = textMember(json, 'channel') ?? '';
    return { status: 200, body: { ok: true, channel, ts: `1.${arrived.size}` } };
  });
  const settings = { SWITCHBOARD_SLACK_URL: slack.url, SWITCHBOARD_LOG_LEVEL: 'error' };
  const cli = await commandLine(options.engine, settings);
  try {
    return await run(cli, slack, arrived, options);
  } finally {
    await cli[Symbol.asyncDispose]();
    await slack.close();
  }
}

async function run(
  cli: CommandLine,
  slack: HttpPeer,
  arrived: ReadonlyMap<string, number>,
  { kills, messages, progress }: KillOptions,
): Promise<KillReport> {
  let serving: Serving = await cli.serve();
  const userToken = (await cli.run(['token'])).stdout.trim();
  const applications: { uncertain: string; token: string }[] = [];
  for (const uncertain of POLICIES) {
    applications.push({ uncertain, ...(await makeSlack(serving.url, userToken, uncertain)) });
  }

  // Writers go on until there were enough kills and messages; each message is repeated until it is accepted.
  const accepted = new Map<string, { id: number; uncertain: string }>();
  let killed = 0;
  let written = 0;
  const isEnough = () => killed >= kills && accepted.size >= messages;
  const write = async () => {
    while (!isEnough()) {
      const number = written++;
      const one = applications[number % applications.length];
      assert.ok(one);
      const id = await post(() => serving.url, one.token, number);
      accepted.set(`text ${number}`, { id, uncertain: one.uncertain });
    }
  };
  const writers = Array.from({ length: WRITERS }, write);

  let inFlight = 0;
  const share = Math.ceil(messages / (kills + 1));
  for (let i = 0; i < kills; i++) {
    const [before, arrivedBefore] = [accepted.size, slack.seen.length];
    // Only when it is at work again; and then at any moment.
    const enough = Math.max(1, Math.floor(Math.random() * 2 * share));
    await until(
      'the service at work',
      () => accepted.size >= before + enough && slack.seen.length > arrivedBefore,
      60_000,
    );
    serving.process.kill('SIGKILL');
    await serving.process.exited;
    inFlight += await beingSent(cli);
    killed++;
    progress(`${killed}/${kills} kills, ${accepted.size} accepted`);
    serving = await cli.serve();
  }
  await Promise.all(writers);

  const tokens = applications.map(({ token }) => token);
  await until(
    'everything settled',
    async () => {
      for (const token of tokens) {
        for (const state of ['queued', 'sending']) {
          const path = `/1/messages?limit=1&state=${state}`;
          const { body } = await call(serving.url, 'GET', path, { token });
          if (body.data.length > 0) return false;
        }
      }
      return true;
    },
    600_000,
  );
  const report = await judge(serving.url, applications, accepted, arrived);
  await serving.stop();
  return { ...report, kills, inFlight };
}

async function makeSlack(url: string, userToken: string, uncertain: string) {
  const as = { token: userToken };
  const { body: me } = await call(url, 'GET', '/1/users/me', as);
  const json = { team_id: me.team_id, owner_id: me.id, state: 'enable' };
  const { body: application } = await call(url, 'POST', '/1/applications', { ...as, json });
  const path = `/1/applications/${application.id}`;
  await call(url, 'PUT', `${path}/delivery`, { ...as, json: { uncertain } });
  const { body: minted } = await call(url, 'POST', `${path}/tokens`, as);
  const token = String(minted.token);
  const fields = { name: 'slack', state: 'enable', token: TOKEN };
  const integration = { application_id: application.id, ...fields };
  const made = await call(url, 'POST', '/1/integrations', { token, json: integration });
  assert.equal(made.status, 201);
  return { token };
}

/** Accepted once, however often it has to be asked for. */
async function post(url: () => string, token: string, number: number): Promise<number> {
  const json = {
    message: {
      '@context': 'https://www.w3.org/ns/activitystreams',
      type: 'Create',
      generator: { type: 'Service' },
      to: { type: 'Person', id: `C${String(number % CONVERSATIONS).padStart(9, '0')}` },
      object: { type: 'Note', content: `text ${number}` },
    },
  };
  const headers = { 'idempotency-key': `number-${number}` };
  return until(
    `text ${number} accepted`,
    async () => {
      try {
        const answer = await call(url(), 'POST', '/1/message', { token, json, headers });
        return answer.status === 202 && Number(answer.body.id);
      } catch {
        // It was killed; the next one takes it.
        return false;
      }
    },
    120_000,
  );
}

/** How many messages were being sent when nobody was left to send them. */
async function beingSent(cli: CommandLine): Promise<number> {
  const database = cli.environment['SWITCHBOARD_DATABASE'] ?? '';
  const statement = `select count(*) as count from messages where state = 'sending'`;
  if (!database.startsWith('postgres')) {
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(database);
    try {
      return Number(db.prepare(statement).get()?.['count']);
    } finally {
      db.close();
    }
  }
  const { default: pg } = await import('pg');
  const client = new pg.Client(database);
  await client.connect();
  try {
    return Number((await client.query(statement)).rows[0].count);
  } finally {
    await client.end();
  }
}

async function judge(
  url: string,
  applications: readonly { token: string; uncertain: string }[],
  accepted: ReadonlyMap<string, { id: number; uncertain: string }>,
  arrived: ReadonlyMap<string, number>,
): Promise<Omit<KillReport, 'kills' | 'inFlight'>> {
  const uncertain = new Set<number>();
  for (const { token } of applications) {
    for await (const id of listed(url, token, 'uncertain')) uncertain.add(id);
  }
  const report = {
    accepted: accepted.size,
    lost: 0,
    duplicates: 0,
    heldDuplicates: 0,
    uncertain: uncertain.size,
  };
  for (const [text, { id, uncertain: policy }] of accepted) {
    const times = arrived.get(text) ?? 0;
    // Of one that is uncertain nobody said that it arrived.
    if (times === 0 && !uncertain.has(id)) report.lost++;
    const more = Math.max(0, times - 1);
    report.duplicates += more;
    if (policy === 'hold') report.heldDuplicates += more;
  }
  return report;
}

async function* listed(url: string, token: string, state: string): AsyncGenerator<number> {
  let after = '';
  for (;;) {
    const path = `/1/messages?limit=1000&state=${state}${after}`;
    const { body } = await call(url, 'GET', path, { token });
    for (const { id } of body.data) yield Number(id);
    const last = body.data.at(-1);
    if (!last) return;
    after = `&starting_after=${last.id}`;
  }
}
