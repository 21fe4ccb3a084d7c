import assert from 'node:assert/strict';

import { textMember } from '../../src/lib/member.ts';
import { formatKeyRing, generateRingKey } from '../../src/lib/seal.ts';
import type { EngineName } from '../../src/store/engine.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../emulators/http.ts';
import { type CommandLine, call, commandLine } from '../support/command.ts';
import { until } from '../support/until.ts';

/*
 * What every fault is tried on: applications that send through Slack, which has no key against duplicates, half of
 * them with the wish that what is uncertain be held; writers who repeat each message until it is accepted; and
 * the books of what was accepted and what arrived.
 */
export interface LoadOptions {
  /** Where the store is, where it is not on the server that all tests share. */
  database?: string;
  settings?: Record<string, string>;
  /** How many applications of each wish there are. */
  pairs?: number;
  /** What Slack answers, where it does not just take everything. */
  answer?(request: Request, take: () => Reply): Reply | Promise<Reply>;
}

export interface Kept {
  accepted: number;
  lost: number;
  duplicates: number;
  /** Those of the applications that want them held. */
  heldDuplicates: number;
  uncertain: number;
}

interface Application {
  token: string;
  uncertain: string;
}

/** Told how it goes. */
export type Progress = (text: string) => void;

const POLICIES = ['resend', 'hold'] as const;
/** A second passes between two messages to one conversation. */
const CONVERSATIONS = 400;
const WRITERS = 8;
const TOKEN = 'xoxb-fake-token';

export class Load implements AsyncDisposable {
  readonly cli: CommandLine;
  readonly slack: HttpPeer;
  /** How often each text arrived. */
  readonly arrived: ReadonlyMap<string, number>;
  readonly accepted = new Map<string, { id: number; uncertain: string }>();
  /** How often a message was answered otherwise than by 202, by status; 0 when there was no answer. */
  readonly refused = new Map<number, number>();
  readonly applications: Application[] = [];
  #written = 0;
  readonly #pairs: number;

  private constructor(
    cli: CommandLine,
    slack: HttpPeer,
    arrived: ReadonlyMap<string, number>,
    pairs: number,
  ) {
    this.cli = cli;
    this.slack = slack;
    this.arrived = arrived;
    this.#pairs = pairs;
  }

  static async open(engine: EngineName, options: LoadOptions = {}): Promise<Load> {
    const { database, settings = {}, pairs = 1, answer } = options;
    const arrived = new Map<string, number>();
    const slack = await openHttp((request) => {
      const take = () => {
        const text = textMember(request.json, 'text') ?? '';
        arrived.set(text, (arrived.get(text) ?? 0) + 1);
        const channel = textMember(request.json, 'channel') ?? '';
        return { status: 200, body: { ok: true, channel, ts: `1.${arrived.size}` } };
      };
      return answer ? answer(request, take) : take();
    });
    // A folder is all that is needed of the tests' own database where another one is given.
    const cli = await commandLine(database === undefined ? engine : 'sqlite', {
      SWITCHBOARD_SLACK_URL: slack.url,
      SWITCHBOARD_LOG_LEVEL: 'error',
      ...(database !== undefined && {
        SWITCHBOARD_DATABASE: database,
        SWITCHBOARD_SECRET_KEYS: formatKeyRing([generateRingKey()]),
      }),
      ...settings,
    });
    return new Load(cli, slack, arrived, pairs);
  }

  /** Makes the applications. */
  async prepare(url: string): Promise<void> {
    const { stdout } = await this.cli.run(['token']);
    const as = { token: stdout.trim() };
    for (let i = 0; i < this.#pairs; i++) {
      for (const uncertain of POLICIES) {
        this.applications.push({ uncertain, token: await makeSlack(url, as, uncertain) });
      }
    }
  }

  /** Writes until it is enough; resolves when all that was written is accepted. */
  async write(url: () => string, isEnough: () => boolean, writers = WRITERS): Promise<void> {
    const write = async () => {
      while (!isEnough()) await this.post(url, this.#written++);
    };
    await Promise.all(Array.from({ length: writers }, write));
  }

  /** Accepted once, however often it has to be asked for. */
  async post(url: () => string, number: number, text = `text ${number}`): Promise<number> {
    const one = this.applications[number % this.applications.length];
    assert.ok(one);
    const { token, uncertain } = one;
    const json = noteTo(`C${String(number % CONVERSATIONS).padStart(9, '0')}`, text);
    const headers = { 'idempotency-key': `number-${number}` };
    const id = await until(
      `${text} accepted`,
      async () => {
        const status = await call(url(), 'POST', '/1/message', { token, json, headers }).then(
          (answer) => (answer.status === 202 ? { id: Number(answer.body.id) } : answer.status),
          () => 0,
        );
        if (typeof status === 'object') return status.id;
        this.refused.set(status, (this.refused.get(status) ?? 0) + 1);
        return false;
      },
      120_000,
    );
    this.accepted.set(text, { id, uncertain });
    return id;
  }

  /** Waits until nothing more will be done about any message. */
  async settled(url: () => string, patience = 600_000): Promise<void> {
    await until(
      'everything settled',
      async () => {
        for (const { token } of this.applications) {
          for (const state of ['queued', 'sending']) {
            const path = `/1/messages?limit=1&state=${state}`;
            const { body } = await call(url(), 'GET', path, { token });
            if (body.data.length > 0) return false;
          }
        }
        return true;
      },
      patience,
    );
  }

  /** Compares what was accepted with what arrived. */
  async judge(url: string): Promise<Kept> {
    const uncertain = new Set<number>();
    for (const { token } of this.applications) {
      for await (const id of listed(url, token, 'uncertain')) uncertain.add(id);
    }
    const kept = { accepted: this.accepted.size, lost: 0, duplicates: 0, heldDuplicates: 0 };
    for (const [text, { id, uncertain: policy }] of this.accepted) {
      const times = this.arrived.get(text) ?? 0;
      // Of one that is uncertain nobody said that it arrived.
      if (times === 0 && !uncertain.has(id)) kept.lost++;
      const more = Math.max(0, times - 1);
      kept.duplicates += more;
      if (policy === 'hold') kept.heldDuplicates += more;
    }
    return { ...kept, uncertain: uncertain.size };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cli[Symbol.asyncDispose]();
    await this.slack.close();
  }
}

/** What must hold whatever happens. */
export function assertKept(kept: Kept & { inFlight: number }): void {
  const said = JSON.stringify(kept);
  assert.equal(kept.lost, 0, `what was accepted is not lost: ${said}`);
  assert.equal(kept.heldDuplicates, 0, `what is to be held is not repeated: ${said}`);
  assert.ok(kept.duplicates <= kept.inFlight, `only what was under way is repeated: ${said}`);
}

async function makeSlack(
  url: string,
  as: { token: string },
  uncertain: 'resend' | 'hold',
): Promise<string> {
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
  return token;
}

export function noteTo(id: string, content: string) {
  return {
    message: {
      '@context': 'https://www.w3.org/ns/activitystreams',
      type: 'Create',
      generator: { type: 'Service' },
      to: { type: 'Person', id },
      object: { type: 'Note', content },
    },
  };
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
