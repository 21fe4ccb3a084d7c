import assert from 'node:assert/strict';

import { Tokens } from '../../../src/http/auth/tokens.ts';
import { type Clock, systemClock } from '../../../src/lib/runtime/clock.ts';
import type { MessageState } from '../../../src/model/message.ts';
import type { EngineName } from '../../../src/store/schema.ts';
import { type Endpoint, openEndpoint } from '../../emulators/endpoint.ts';
import type { HttpPeer } from '../../emulators/server/http.ts';
import type { TestClock } from '../clock.ts';
import { WAIT_TIMEOUT_MS, until } from '../until.ts';
import { integrate, message } from './activity.ts';
import type { Client } from './client.ts';
import { type TestService, type TestServiceOptions, startTestService } from './service.ts';

/** The interval at which a node checks its lease. */
const STEP_MS = 1_000;

/** Polls of a message that is being sent until the clock is advanced. */
const POLLS_WHILE_SENDING = 200;

/** Long enough for any clock that a test advances. */
const TOKEN_SECONDS = 1_000 * 24 * 60 * 60;

/** A message as the API returns it. */
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

/** The part of a channel emulator that is used here. */
type OtherSide = Pick<HttpPeer, 'url' | 'close'>;

export interface DeliveryService<Peer extends OtherSide = HttpPeer> extends AsyncDisposable {
  service: TestService;
  peer: Peer;
  /** Calls for the application; its token stays valid when a test advances the clock. */
  app: Client;
  /** The same for the team's owner. */
  api: Client;
  applicationId: number;
  integrationId: number;
  /** Sends a text; returns the message's id. */
  send(text: string, to: string, change?: Record<string, unknown>): Promise<number>;
  /** Sends several texts in one call. */
  sendAll(messages: readonly { text: string; to: string }[]): Promise<number[]>;
  show(id: number): Promise<Shown>;
  /** Waits until the message matches. */
  message(id: number, isWanted: (message: Shown) => boolean): Promise<Shown>;
  /** Waits until the message waits for that reason. */
  waiting(id: number, reason: string): Promise<NonNullable<Shown['waiting']>>;
  /** Waits until the message is settled. */
  settled(id: number): Promise<Shown>;
  attempts(id: number): Promise<ShownAttempt[]>;
  /** Changes the integration; omitted fields stay. */
  change(fields: Record<string, unknown>): Promise<void>;
}

export interface DeliverySetup<Peer extends OtherSide> extends TestServiceOptions {
  channel: string;
  /** Starts the channel emulator. */
  open(): Promise<Peer>;
  /** Default: `address` is the URL of the emulator. */
  credentials?: Record<string, string> | ((peer: Peer) => Record<string, string>);
}

/** A delivering service, an application with an integration, and the emulator of its channel. */
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
      throw new Error(`timed out waiting for message ${id}: ${JSON.stringify(last)}`, { cause });
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
      // In parallel, so that the stop does not wait for a response that a test left open.
      await Promise.all([service[Symbol.asyncDispose](), peer.close()]);
    },
  };
}

/** A client for a user or an application, with a token that stays valid when a test advances the clock. */
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

/** The same with a webhook endpoint whose responses the test sets. */
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

/** Polls, and advances the clock by a step after each poll, until `find` returns a value. */
export function asTimePasses<Found>(
  clock: TestClock,
  step: number,
  what: string,
  find: () => Found | undefined | false | Promise<Found | undefined | false>,
): Promise<Found> {
  const lookAndAdvance = async () => {
    const found = await find();
    if (found === undefined || found === false) await clock.advanceGently(step);
    return found;
  };
  // Without a pause between polls, because each one advances the clock.
  return until(what, lookAndAdvance, WAIT_TIMEOUT_MS, 0);
}

/** Advances the clock in steps shorter than a lease, and lets the node renew its lease at each of them. */
export async function passTime(
  { rounds }: TestService,
  clock: TestClock,
  milliseconds: number,
): Promise<void> {
  for (let left = milliseconds; left > 0; left -= STEP_MS) {
    // If the clock advanced during a round, the node would wait for a time that comes one step later.
    await until('the node has checked its lease', () => !rounds.isRunning);
    const before = rounds.ended;
    clock.advance(Math.min(left, STEP_MS));
    if (left >= STEP_MS) await until('the node checks its lease', () => rounds.ended > before);
  }
}

/** Advances the clock until a message is sent. */
export function whenSent(
  sb: DeliveryService,
  clock: TestClock,
  id: number,
  step = 500,
): Promise<Shown> {
  let polls = 0;
  const look = async () => {
    const found = await sb.show(id);
    if (found.state === 'sent') return found;
    // On a busy machine, a step with each poll would exceed the deadline of an attempt before the channel has answered.
    if (found.state !== 'sending' || ++polls % POLLS_WHILE_SENDING === 0) clock.advance(step);
    return false;
  };
  return until(`message ${id} is sent`, look, WAIT_TIMEOUT_MS, 0);
}
