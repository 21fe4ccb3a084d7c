import assert from 'node:assert/strict';

import { Tokens } from '../../src/http/tokens.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import type { MessageState } from '../../src/model/message.ts';
import type { EngineName } from '../../src/store/engine.ts';
import { type Endpoint, openEndpoint } from '../emulators/endpoint.ts';
import type { HttpPeer } from '../emulators/http.ts';
import { integrate, message } from './activity.ts';
import type { Client } from './client.ts';
import type { TestClock } from './clock.ts';
import { type TestService, type TestServiceOptions, startTestService } from './service.ts';
import { PATIENCE, until } from './until.ts';

/** How often a node looks after its lease. */
const STEP = 1_000;

/** Long enough for any clock that a test turns. */
const TOKEN_SECONDS = 1_000 * 24 * 60 * 60;

/** A message as it is shown. */
export interface Shown {
  id: number;
  integration_id: number;
  state: MessageState;
  to: string;
  attempts: number;
  failed_attempts: number;
  parts_sent: number;
  channel_ids: string[];
  expires_at: string | null;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  error: { code: string; title: string; detail: string | null; help: string } | null;
  waiting: {
    reason: string;
    until: string | null;
    estimated: boolean;
    detail: string;
  } | null;
}

export interface ShownAttempt {
  number: number;
  started_at: string;
  duration_ms: number;
  part: number;
  outcome: string;
  status: string | null;
  code: string | null;
  detail: string | null;
  request: string | null;
  answer: string | null;
}

/** The other side of a channel, as far as it matters here. */
type OtherSide = Pick<HttpPeer, 'url' | 'close'>;

export interface DeliveryService<Peer extends OtherSide = HttpPeer> extends AsyncDisposable {
  service: TestService;
  peer: Peer;
  /** Calls for the application, and goes on to whatever the clock says. */
  app: Client;
  /** The same for the team's owner. */
  api: Client;
  applicationId: number;
  integrationId: number;
  /** Has a text sent; answers the message's id. */
  send(text: string, to: string, change?: Record<string, unknown>): Promise<number>;
  /** Has several sent in one call. */
  sendAll(messages: readonly { text: string; to: string }[]): Promise<number[]>;
  show(id: number): Promise<Shown>;
  /** The message, once it is as wanted. */
  message(id: number, isWanted: (message: Shown) => boolean): Promise<Shown>;
  /** Why a message waits, once it waits for that reason. */
  waiting(id: number, reason: string): Promise<NonNullable<Shown['waiting']>>;
  /** The message, once nothing more will be done about it. */
  settled(id: number): Promise<Shown>;
  attempts(id: number): Promise<ShownAttempt[]>;
  /** Changes the integration; what is left out stays. */
  change(fields: Record<string, unknown>): Promise<void>;
}

export interface DeliverySetup<Peer extends OtherSide> extends TestServiceOptions {
  channel: string;
  /** Opens the other side of the channel. */
  open(): Promise<Peer>;
  /** `address` is that of the other side where this is left out. */
  credentials?: Record<string, string> | ((peer: Peer) => Record<string, string>);
}

/** A service that delivers, an application with an integration, and the other side of its channel. */
export async function openDelivery<Peer extends OtherSide>(
  engine: EngineName,
  { channel, open, credentials, environment, ...options }: DeliverySetup<Peer>,
): Promise<DeliveryService<Peer>> {
  const peer = await open();
  const service = await startTestService(engine, {
    ...options,
    environment: {
      SWITCHBOARD_ROLE: 'all',
      ...(peer.url.startsWith('http') && {
        [`SWITCHBOARD_${channel.toUpperCase()}_URL`]: peer.url,
      }),
      ...environment,
    },
  });
  const { application } = await service.application();
  const app = await clientOf(service, 'application', application.id, options.clock);
  const api = await clientOf(service, 'user', service.owner.id, options.clock);
  const given =
    typeof credentials === 'function' ? credentials(peer) : (credentials ?? { address: peer.url });
  const { id: integrationId } = await integrate(app, application.id, {
    name: channel,
    ...given,
  });
  const show = async (id: number): Promise<Shown> => (await app.get(`/1/messages/${id}`)).body;
  const attemptsOf = async (id: number): Promise<ShownAttempt[]> =>
    (await app.get(`/1/messages/${id}/attempts`)).body.data;
  const reach = async (id: number, isWanted: (found: Shown) => boolean) => {
    let last: Shown | undefined;
    try {
      return await until(`message ${id}`, async () => {
        last = await show(id);
        return isWanted(last) && last;
      });
    } catch (cause) {
      throw new Error(`waited in vain for message ${id}: ${JSON.stringify(last)}`, { cause });
    }
  };
  return {
    service,
    peer,
    app,
    api,
    applicationId: application.id,
    integrationId,
    async send(text, to, change = {}) {
      return (await app.post('/1/message', { message: activity(text, to, change) })).body.id;
    },
    async sendAll(messages) {
      const { body } = await app.post('/1/messages', {
        messages: messages.map(({ text, to }) => activity(text, to)),
      });
      return body.data.map(({ id }: { id: number }) => id);
    },
    show,
    message: reach,
    async waiting(id, reason) {
      const { waiting } = await reach(id, (found) => found.waiting?.reason === reason);
      if (!waiting) throw new Error(`message ${id} does not wait`);
      return waiting;
    },
    async settled(id) {
      const found = await reach(id, ({ state }) => state !== 'queued' && state !== 'sending');
      assert.equal(found.attempts, (await attemptsOf(id)).length, `message ${id} counts attempts`);
      return found;
    },
    attempts: attemptsOf,
    async change(fields) {
      await app.put(`/1/integrations/${integrationId}`, { name: channel, ...fields });
    },
    async [Symbol.asyncDispose]() {
      // Together, lest a stop wait for an answer that a test left open.
      await Promise.all([service[Symbol.asyncDispose](), peer.close()]);
    },
  };
}

/** Calls for a user or an application, and goes on to whatever the clock says. */
export async function clientOf(
  service: TestService,
  kind: 'user' | 'application',
  id: number,
  clock: Clock = systemClock,
): Promise<Client> {
  const tokens = new Tokens(service.store, clock);
  const { key, token } = await tokens.mint(kind, id, service.team.id, 'minted', TOKEN_SECONDS);
  await service.store.keys.insert(key);
  return service.as(token);
}

/** The same with an endpoint that the test can turn. */
export function openWebhookDelivery(
  engine: EngineName,
  options: TestServiceOptions & { credentials?: Record<string, string> } = {},
): Promise<DeliveryService<Endpoint>> {
  return openDelivery(engine, { ...options, channel: 'webhook', open: () => openEndpoint() });
}

function activity(text: string, to: string, change: Record<string, unknown> = {}) {
  const object = { type: 'Note', content: text };
  return message({ to: { type: 'Person', id: to }, object, ...change }).message;
}

/** Turns a clock, a step at each look, until something is there, or is so; answers it. */
export function asTimePasses<Found>(
  clock: TestClock,
  step: number,
  what: string,
  find: () => Found | undefined | false | Promise<Found | undefined | false>,
): Promise<Found> {
  const lookAndTurn = async () => {
    const found = await find();
    if (found === undefined || found === false) clock.advance(step);
    return found;
  };
  // It comes the sooner the more often the clock is turned.
  return until(what, lookAndTurn, PATIENCE, 0);
}

/** Turns a clock in steps that are shorter than a lease, and lets the node look after it at each of them. */
export async function passTime(
  { store: { ownerships } }: TestService,
  clock: TestClock,
  milliseconds: number,
): Promise<void> {
  let rounds = 0;
  // What a node does last, each second.
  const forget = ownerships.forget.bind(ownerships);
  ownerships.forget = async (...args) => {
    await forget(...args);
    rounds++;
  };
  for (let left = milliseconds; left > 0; left -= STEP) {
    const before = rounds;
    clock.advance(Math.min(left, STEP));
    if (left >= STEP) await until('the node looks after its lease', () => rounds > before);
  }
  ownerships.forget = forget;
}

/** Turns a clock until a message is sent; answers it. */
export function whenSent(
  sb: DeliveryService,
  clock: TestClock,
  id: number,
  step = 500,
): Promise<Shown> {
  return asTimePasses(clock, step, `message ${id} is sent`, async () => {
    const found = await sb.show(id);
    return found.state === 'sent' && found;
  });
}
