import assert from 'node:assert/strict';

import { formatKeyRing, generateRingKey } from '../../../src/lib/crypto/seal.ts';
import { textMember } from '../../../src/lib/json/json-member.ts';
import type { EngineName } from '../../../src/store/schema.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../../emulators/server/http.ts';
import {
  type CommandLine,
  type Serving,
  call,
  commandLine,
} from '../../support/programs/command.ts';
import { until } from '../../support/until.ts';

/*
 * The load for fault tests: applications that send through Slack, which cannot detect duplicates, half of them with the
 * policy `hold`; writers that repeat each message until it is accepted; and records of what was accepted and what arrived.
 */
export interface LoadOptions {
  /** The database URL or file; by default one on the server that all tests share. */
  database?: string;
  settings?: Record<string, string>;
  /** The number of applications per policy. */
  pairs?: number;
  /**
   * Whether some of the messages are scheduled, others have two routes, of which the first fails, others go to a pool of
   * two integrations, of which the first is limited, and others to contacts.
   */
  scheduled?: boolean;
  /** Slack's response; by default it accepts every request. */
  answer?(request: Request, take: () => Reply): Reply | Promise<Reply>;
}

export interface Kept {
  accepted: number;
  lost: number;
  duplicates: number;
  /** Duplicates for applications with the policy `hold`. */
  heldDuplicates: number;
  /** Scheduled messages, and those that arrived before their time. */
  scheduled: number;
  early: number;
  /** Messages with two routes, and those to a pool. */
  routed: number;
  pooled: number;
  /** Messages to contacts, and some of them that the conversation with the contact lacks. */
  addressed: number;
  unlisted: number;
  uncertain: number;
}

interface Application {
  token: string;
  /** The integration that messages without a pool have. */
  integrationId: number;
  uncertain: string;
}

export type Progress = (text: string) => void;

const POLICIES = ['resend', 'hold'] as const;
/** Many, because Slack allows one message per second and conversation. */
const CONVERSATIONS = 400;
/** Every fourth message is scheduled. */
const SCHEDULED_EVERY = 4;
/** Every fourth message, another one, has two routes, and every eighth of the others goes to a pool. */
const ROUTED_AT = 2;
const POOLED_EVERY = 8;
const POOLED_AT = 1;
const ADDRESSED_AT = 5;
/** Messages that are looked for in the conversations with contacts. */
const LOOKED_FOR = 20;
/** The beginning of conversations that do not exist. */
const GONE = 'C9';
/** How far ahead a message is scheduled. */
const AHEAD_MS = 1_500;
const WRITERS = 8;
const TOKEN = 'xoxb-fake-token';
/**
 * The members of each pool. Slack limits the first for longer than a member may keep a message, but not forever: a
 * message that may have been sent stays there.
 */
const LIMITED_TOKEN = 'xoxb-fake-limited';
const MEMBER_TOKENS = [LIMITED_TOKEN, 'xoxb-fake-member'];
const LIMITED_MS = 8_000;
const LIMITED = { status: 429, headers: { 'retry-after': '1' }, body: { ok: false } };

export class Load implements AsyncDisposable {
  readonly cli: CommandLine;
  readonly slack: HttpPeer;
  /** Number of arrivals by text. */
  readonly arrived: ReadonlyMap<string, number>;
  readonly accepted = new Map<
    string,
    {
      id: number;
      uncertain: string;
      isRouted: boolean;
      isPooled: boolean;
      /** The conversations of the application, and the contact to whom it was sent. */
      contact?: { token: string; externalId: string };
      sendAt?: number;
    }
  >();
  /** When each text arrived first. */
  readonly #firstAt: ReadonlyMap<string, number>;
  /** Number of responses other than 202 by status; 0 stands for no response. */
  readonly refused = new Map<number, number>();
  readonly applications: Application[] = [];
  #written = 0;
  readonly #pairs: number;
  readonly #isScheduling: boolean;

  private constructor(
    cli: CommandLine,
    slack: HttpPeer,
    arrived: ReadonlyMap<string, number>,
    firstAt: ReadonlyMap<string, number>,
    pairs: number,
    isScheduling: boolean,
  ) {
    this.#isScheduling = isScheduling;
    this.#firstAt = firstAt;
    this.cli = cli;
    this.slack = slack;
    this.arrived = arrived;
    this.#pairs = pairs;
  }

  static async open(engine: EngineName, options: LoadOptions = {}): Promise<Load> {
    const { database, settings = {}, pairs = 1, scheduled = false, answer } = options;
    const arrived = new Map<string, number>();
    const firstAt = new Map<string, number>();
    const slack = await openHttp((request) => {
      const text = textMember(request.json, 'text') ?? '';
      const since = firstAt.get(text) ?? Date.now();
      firstAt.set(text, since);
      const channel = textMember(request.json, 'channel') ?? '';
      const isFirst = request.headers['authorization'] === `Bearer ${LIMITED_TOKEN}`;
      if (isFirst && Date.now() < since + LIMITED_MS) return LIMITED;
      if (channel.startsWith(GONE))
        return { status: 200, body: { ok: false, error: 'channel_not_found' } };
      const take = () => {
        arrived.set(text, (arrived.get(text) ?? 0) + 1);
        return { status: 200, body: { ok: true, channel, ts: `1.${arrived.size}` } };
      };
      return answer ? answer(request, take) : take();
    });
    // With another database, only the folder of the test database is used.
    const cli = await commandLine(database === undefined ? engine : 'sqlite', {
      SWITCHBOARD_SLACK_URL: slack.url,
      SWITCHBOARD_LOG_LEVEL: 'error',
      ...(database !== undefined && {
        SWITCHBOARD_DATABASE: database,
        SWITCHBOARD_SECRET_KEYS: formatKeyRing([generateRingKey()]),
      }),
      ...settings,
    });
    return new Load(cli, slack, arrived, firstAt, pairs, scheduled);
  }

  /** Creates the applications. */
  async prepare({ url, signIn }: Serving): Promise<void> {
    const as = { token: await signIn() };
    for (let i = 0; i < this.#pairs; i++) {
      for (const uncertain of POLICIES) {
        const made = await makeSlack(url, as, uncertain, this.#isScheduling);
        this.applications.push({ uncertain, ...made });
      }
    }
  }

  /** Sends until `isEnough`; resolves when every message sent is accepted. */
  async write(url: () => string, isEnough: () => boolean, writers = WRITERS): Promise<void> {
    const write = async () => {
      while (!isEnough()) await this.post(url, this.#written++);
    };
    await Promise.all(Array.from({ length: writers }, write));
  }

  /** Repeats the request until the message is accepted, which happens once. */
  async post(url: () => string, number: number, text = `text ${number}`): Promise<number> {
    const one = this.applications[number % this.applications.length];
    assert.ok(one);
    const { token, uncertain } = one;
    const isScheduled = this.#isScheduling && number % SCHEDULED_EVERY === 0;
    const sendAt = isScheduled ? Date.now() + AHEAD_MS : undefined;
    const isRouted = this.#isScheduling && number % SCHEDULED_EVERY === ROUTED_AT;
    const isPooled = this.#isScheduling && number % POOLED_EVERY === POOLED_AT;
    const isAddressed = this.#isScheduling && number % POOLED_EVERY === ADDRESSED_AT;
    const conversation = conversationOf(number);
    const externalId = `person-${conversation}`;
    const routes = [{ after: 'PT1H' }, { via: one.integrationId, to: conversation }];
    const via = isPooled ? 'pool:pair' : one.integrationId;
    const address = isAddressed ? `contact:external:${externalId}` : conversation;
    const json = {
      ...noteTo(isRouted ? `${GONE}${conversation.slice(2)}` : address, text, via),
      ...(isRouted && { routes }),
      ...(sendAt !== undefined && { send_at: new Date(sendAt).toISOString() }),
    };
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
    const timed = sendAt === undefined ? {} : { sendAt };
    const contact = isAddressed ? { contact: { token, externalId } } : {};
    this.accepted.set(text, { id, uncertain, isRouted, isPooled, ...contact, ...timed });
    return id;
  }

  /** Waits until all messages are settled. */
  async settled(url: () => string, timeoutMs = 600_000): Promise<void> {
    await until(
      'everything settled',
      async () => {
        for (const { token } of this.applications) {
          for (const state of ['scheduled', 'queued', 'sending']) {
            const path = `/1/messages?limit=1&state=${state}`;
            const { body } = await call(url(), 'GET', path, { token });
            if (body.data.length > 0) return false;
          }
        }
        return true;
      },
      timeoutMs,
    );
  }

  /** Compares the accepted messages with those that arrived. */
  async judge(url: string): Promise<Kept> {
    const uncertain = new Set<number>();
    for (const { token } of this.applications) {
      for await (const id of listed(url, token, 'uncertain')) uncertain.add(id);
    }
    const none = { lost: 0, duplicates: 0, heldDuplicates: 0, scheduled: 0, early: 0 };
    const kept = { accepted: this.accepted.size, ...none, routed: 0, pooled: 0, addressed: 0 };
    let unlisted = 0;
    for (const [text, { id, uncertain: policy, sendAt, ...kind }] of this.accepted) {
      if (kind.isRouted) kept.routed++;
      if (kind.isPooled) kept.pooled++;
      if (kind.contact && kept.addressed++ < LOOKED_FOR) {
        if (!(await isListed(url, id, kind.contact))) unlisted++;
      }
      if (sendAt !== undefined) kept.scheduled++;
      if ((this.#firstAt.get(text) ?? Infinity) < (sendAt ?? 0)) kept.early++;
      const times = this.arrived.get(text) ?? 0;
      // An uncertain message need not have arrived.
      if (times === 0 && !uncertain.has(id)) kept.lost++;
      const more = Math.max(0, times - 1);
      kept.duplicates += more;
      if (policy === 'hold') kept.heldDuplicates += more;
    }
    return { ...kept, unlisted, uncertain: uncertain.size };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cli[Symbol.asyncDispose]();
    await this.slack.close();
  }
}

/** The invariants of every fault. */
export function assertKept(kept: Kept & { inFlight: number }): void {
  const summary = JSON.stringify(kept);
  assert.equal(kept.lost, 0, `no accepted message is lost: ${summary}`);
  assert.equal(kept.early, 0, `no message leaves before its time: ${summary}`);
  assert.equal(kept.unlisted, 0, `conversations have every message: ${summary}`);
  assert.equal(kept.heldDuplicates, 0, `no held message is repeated: ${summary}`);
  assert.ok(kept.duplicates <= kept.inFlight, `only messages in flight are repeated: ${summary}`);
}

async function makeSlack(
  url: string,
  as: { token: string },
  uncertain: 'resend' | 'hold',
  hasPool: boolean,
): Promise<Pick<Application, 'token' | 'integrationId'>> {
  const { body: me } = await call(url, 'GET', '/1/users/me', as);
  const json = { team_id: me.team_id, owner_id: me.id, state: 'enable' };
  const { body: application } = await call(url, 'POST', '/1/applications', { ...as, json });
  const path = `/1/applications/${application.id}`;
  await call(url, 'PUT', `${path}/delivery`, { ...as, json: { uncertain } });
  const { body: minted } = await call(url, 'POST', `${path}/tokens`, as);
  const token = String(minted.token);
  const integrate = async (secret: string): Promise<number> => {
    const fields = { name: 'slack', state: 'enable', token: secret };
    const integration = { application_id: application.id, ...fields };
    const made = await call(url, 'POST', '/1/integrations', { token, json: integration });
    assert.equal(made.status, 201);
    return made.body.id;
  };
  const integrationId = await integrate(TOKEN);
  if (hasPool) {
    const members = [];
    for (const secret of MEMBER_TOKENS) members.push({ integration_id: await integrate(secret) });
    const pool = { name: 'pair', failover_after: 'PT5S', members };
    const made = await call(url, 'POST', '/1/pools', { token, json: pool });
    assert.equal(made.status, 201);
    await makeContacts(url, token);
  }
  return { token, integrationId };
}

const conversationOf = (number: number): string =>
  `C${String(number % CONVERSATIONS).padStart(9, '0')}`;

/** Those to whom messages are sent. */
async function makeContacts(url: string, token: string): Promise<void> {
  for (let number = ADDRESSED_AT; number < CONVERSATIONS; number += POOLED_EVERY) {
    const address = conversationOf(number);
    const addresses = [{ channel: 'slack', address }];
    const json = { external_id: `person-${address}`, addresses };
    const made = await call(url, 'POST', '/1/contacts', { token, json });
    assert.equal(made.status, 201);
  }
}

/** Whether the conversation with the contact has the message. */
async function isListed(
  url: string,
  id: number,
  { token, externalId }: { token: string; externalId: string },
): Promise<boolean> {
  const path = `/1/conversations?search=${externalId}`;
  const { body } = await call(url, 'GET', path, { token });
  for (const conversation of body.data) {
    const all = `/1/conversations/${conversation.id}/messages?limit=1000`;
    const { body: timeline } = await call(url, 'GET', all, { token });
    if (timeline.data.some((entry: { id: string }) => entry.id === `message:${id}`)) return true;
  }
  return false;
}

export function noteTo(id: string, content: string, via?: string | number) {
  return {
    message: {
      '@context': 'https://www.w3.org/ns/activitystreams',
      type: 'Create',
      generator: { type: 'Service', ...(via !== undefined && { id: String(via) }) },
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
