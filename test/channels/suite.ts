import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';

import type {
  Channel,
  Chat,
  Check,
  Closable,
  Context,
  SentMessage,
  Outcome,
  OutboundMessage,
  VendorRequest,
} from '../../src/channels/channel.ts';
import { type Step, makePlan } from '../../src/compose/plan.ts';
import { faultOutcome } from '../../src/deliver/attempt/attempt.ts';
import { Files } from '../../src/deliver/media/downloads.ts';
import { createHttpClient } from '../../src/lib/http/client.ts';
import { FetchFault } from '../../src/lib/http/fetch.ts';
import { createGuard } from '../../src/lib/net/address-guard.ts';
import { type Clock, systemClock } from '../../src/lib/runtime/clock.ts';
import type { ExpiringValues } from '../../src/lib/runtime/expiring-values.ts';
import {
  ACTIVITY_STREAMS,
  type Activity,
  type ActivityObject,
  endOf,
} from '../../src/model/activity.ts';
import type { Credentials } from '../../src/model/integration.ts';
import type { MessageOptions } from '../../src/model/sending/instructions.ts';
import type { SentPart } from '../../src/model/sending/sent-part.ts';
import { abilitiesOf, watch } from './capabilities.ts';
import { assertNoPlaceholders } from './placeholders.ts';
import { assertSeen } from './seen.ts';

/*
 * Runs a channel against its peer: an emulator of the vendor, or a real server. A channel's tests are a table of
 * messages, expected requests, responses and expected outcomes.
 */

/** The other side of a channel. */
export interface Peer<Seen, Answer> {
  /** Its base URL, or `smtp://127.0.0.1:…` and the like. */
  readonly url: string;
  /** Sets the next answer in place of the default one; once per call. */
  next(answer: Answer): void;
  /** Everything received, in order. */
  readonly seen: readonly Seen[];
  close(): Promise<void>;
}

type Result = Outcome | Check;

/** A message as an API client writes it. */
export interface TestMessage {
  recipient: string;
  key: string;
  /** The content of a note. */
  text: string;
  /** Further properties of the object, or another type. */
  object: Partial<ActivityObject>;
  /** The activity's context. */
  context: unknown;
  /** The activity's exact JSON, where it matters. */
  json: string;
  /** Values of the channel's options. */
  options: MessageOptions;
  /** When the message expires. */
  endTime: string;
}

/** An expected outcome. `detail` is a substring or a pattern; everything else is exact. */
export type Expected = Result extends infer Each
  ? Each extends Result
    ? Omit<Each, 'detail'> & { detail?: string | RegExp }
    : never
  : never;

export interface Case<Seen, Answer> {
  /** A sentence after the channel's name: `sends emoji as they are`. */
  it: string;
  /** Default: `send`. */
  calls?: 'send' | 'edit' | 'remove' | 'check';
  /** Overrides of the default message. */
  message?: Partial<TestMessage>;
  /** The message to edit or remove. */
  earlier?: SentMessage;
  /** Overrides of the suite's credentials; `undefined` removes one. */
  credentials?: { [Name in keyof Credentials]: string | undefined };
  /** The peer's answers, in order. */
  answers?: readonly Answer[];
  /** The expected requests, partially compared; their number is exact. */
  sees?: readonly unknown[];
  outcome: Expected;
  /** Request timeout in milliseconds. */
  timeoutMs?: number;
  /** The time during the case, in ISO 8601; the real time by default. */
  at?: string;
  /** Further assertions. */
  also?(seen: readonly Seen[], result: Result): void | Promise<void>;
}

export interface Suite<Seen, Answer> {
  /** Opened for each case. */
  open(): Promise<Peer<Seen, Answer>>;
  credentials: Credentials | ((peer: Peer<Seen, Answer>) => Credentials);
  recipient: string;
  /** For the web chat, which has no vendor. */
  chat?(peer: Peer<Seen, Answer>): Chat;
  cases: readonly Case<Seen, Answer>[];
}

export function testChannel<Seen, Answer>(channel: Channel, suite: Suite<Seen, Answer>): void {
  const used = new Set<string>();
  const watched = watch(channel, used);
  describe(channel.name, () => {
    for (const each of suite.cases) {
      it(`${channel.name}: ${each.it}`, async () => runCase(watched, suite, each));
    }
    it(`${channel.name} has no placeholders`, () => assertNoPlaceholders(channel));
    it(`${channel.name} has a case for each of its capabilities`, () => {
      assert.deepEqual(
        abilitiesOf(channel).filter((ability) => !used.has(ability)),
        [],
      );
    });
  });
}

async function runCase<Seen, Answer>(
  channel: Channel,
  suite: Suite<Seen, Answer>,
  { calls = 'send', answers = [], sees, outcome, also, ...given }: Case<Seen, Answer>,
): Promise<void> {
  const peer = await suite.open();
  try {
    for (const answer of answers) peer.next(answer);
    const usual =
      typeof suite.credentials === 'function' ? suite.credentials(peer) : suite.credentials;
    const credentials = withoutMissing({ ...usual, ...given.credentials });
    await using context = openContext({
      credentials,
      url: peer.url,
      ...(suite.chat && { chat: suite.chat(peer) }),
      ...(given.timeoutMs !== undefined && { timeoutMs: given.timeoutMs }),
      ...(given.at !== undefined && { clock: clockAt(given.at) }),
    });
    const message = outgoing({ recipient: suite.recipient, ...given.message });
    assert.equal(channel.recipient.validate(message.recipient), undefined);
    const result = await resultOf(channel, calls, message, given.earlier, context);
    assertOutcome(result, outcome);
    assertNoSecrets(channel, credentials, [
      result,
      stepsOf(channel, 'send', message, undefined, context),
    ]);
    if (calls === 'send' && result.outcome === 'sent' && channel.renderers !== 'whole') {
      assertPlanned(stepsOf(channel, 'send', message, undefined, context), peer.seen);
    }
    if (sees) assertSeen(peer.seen, sees);
    await also?.(peer.seen, result);
  } finally {
    await peer.close();
  }
}

/**
 * Calls the channel as the engine does: step after step until one is not `sent`. A FetchFault becomes a transient
 * outcome.
 */
export async function resultOf(
  channel: Channel,
  calls: 'send' | 'edit' | 'remove' | 'check',
  message: Planned,
  earlier: SentMessage | undefined,
  context: Context,
): Promise<Result> {
  try {
    if (calls === 'check') {
      assert.ok(channel.check, `${channel.name} cannot check`);
      return await channel.check(context);
    }
    const steps = stepsOf(channel, calls, message, earlier, context);
    let result: Result | undefined;
    for (const [i, step] of steps.entries()) {
      const key = i === 0 ? message.key : `${message.key}-${i + 1}`;
      result = await take(channel, step, { ...message, key }, context);
      if (result.outcome !== 'sent') break;
    }
    assert.ok(result, `${channel.name} has nothing to ${calls}`);
    return result;
  } catch (error) {
    if (!(error instanceof FetchFault)) throw error;
    return faultOutcome(error);
  }
}

const TYPES = { send: 'Create', edit: 'Update', remove: 'Delete' } as const;

export function stepsOf(
  channel: Channel,
  calls: keyof typeof TYPES,
  { activity, recipient, options }: Planned,
  earlier: SentMessage | undefined,
  { credentials }: Pick<Context, 'credentials'>,
): Step[] {
  const before = calls === 'send' ? {} : { changed: [earlier ?? { id: 'none' }] };
  const changed = { ...activity, type: TYPES[calls] };
  const expiresAt = endOf(activity);
  const renderContext = { recipient, credentials, options, expiresAt, earlier: before };
  return makePlan(changed, channel, renderContext).steps;
}

async function take(
  channel: Channel,
  step: Step,
  { key, recipient, json, options }: OutboundMessage,
  context: Context,
): Promise<Outcome> {
  const result = {
    send: (vendorRequest: VendorRequest) =>
      channel.send?.(vendorRequest, { key, recipient, json, options }, context),
    edit: (vendorRequest: VendorRequest, part: SentPart) =>
      channel.edit?.({ ...part, recipient }, vendorRequest, context),
    remove: (_: VendorRequest, part: SentPart) => channel.remove?.({ ...part, recipient }, context),
  }[step.does](
    'request' in step ? step.request : { body: {} },
    'id' in step ? partOf(step) : { id: '' },
  );
  assert.ok(result, `${channel.name} cannot ${step.does}`);
  return result;
}

const partOf = ({ id, kept }: SentPart): SentPart => (kept === undefined ? { id } : { id, kept });

/** A message with its activity. */
export type Planned = OutboundMessage & { activity: Activity };

export function outgoing(message: Partial<TestMessage> & { recipient: string }): Planned {
  const {
    recipient,
    key = 'message-1-part-1',
    text = 'Good morning!',
    object = {},
    context,
    options = {},
    endTime,
  } = message;
  const activity: Activity = {
    '@context': ACTIVITY_STREAMS,
    type: 'Create',
    generator: { type: 'Service', id: 1 },
    to: { type: 'Person', id: recipient },
    object: { type: 'Note', ...(object.type === undefined && { content: text }), ...object },
    ...(context !== undefined && { context }),
    ...(endTime !== undefined && { endTime }),
  };
  return { key, recipient, activity, options, json: message.json ?? JSON.stringify(activity) };
}

/** The webhook URL for vendors that take one with each message. */
export const HOOK_URL = 'https://switchboard.example/1/hooks/7/random';

export interface ContextOptions {
  credentials: Credentials;
  url: string;
  /** Request timeout in milliseconds. */
  timeoutMs?: number;
  chat?: Chat;
  /** The real clock by default. */
  clock?: Clock;
  /** Values shared between the webhook handler and sending. */
  sharedState?: ExpiringValues;
  /** An additional trusted certificate. */
  ca?: string;
}

/** A real channel context that may reach loopback addresses. Closes the channel's resource. */
export function openContext(
  options: ContextOptions,
): Context & AsyncDisposable & { renewed: Credentials[]; concealed: string[] } {
  const {
    credentials,
    url,
    timeoutMs = 15_000,
    ca,
    chat,
    sharedState,
    clock = systemClock,
  } = options;
  const network = createHttpClient({
    guard: createGuard({ allow: new BlockList(), allowLoopback: true }),
    deadline: timeoutMs,
    ...(ca !== undefined && { ca }),
  });
  const ended = new AbortController();
  // Like in the engine, a little later than the timeout of fetch, whose error says more.
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(timeoutMs + 1000)]);
  const files = new Files(network, signal);
  let kept: Closable | undefined;
  const renewed: Credentials[] = [];
  const concealed: string[] = [];
  return {
    credentials,
    url,
    signal,
    clock,
    fetch: async (target, request) => network.fetch(target, request, { signal }),
    download: async (target, more) => files.download(target, more),
    downloadAll: async (targets, more) => files.downloadAll(targets, more),
    dial: async (host, port, more) => network.dial(host, port, { ...more, signal }),
    resource: <Kept extends Closable>(open: () => Kept) => (kept ??= open()) as Kept,
    storeCredentials: async (changed) => {
      await Promise.resolve();
      renewed.push(changed);
    },
    renewed,
    hookUrl: () => Promise.resolve(HOOK_URL),
    redact: (secret) => void concealed.push(secret),
    concealed,
    ...(sharedState && { sharedState: () => sharedState }),
    ...(chat && { chat }),
    async [Symbol.asyncDispose]() {
      await kept?.close();
      files.close();
      ended.abort();
      await network.close();
    },
  };
}

/** Stands still at this time; timers run as usual. */
function clockAt(time: string): Clock {
  const now = Date.parse(time);
  assert.ok(!Number.isNaN(now), `${time} is not a time`);
  return { ...systemClock, now: () => now };
}

function withoutMissing(credentials: {
  [Name in keyof Credentials]: string | undefined;
}): Credentials {
  return Object.fromEntries(Object.entries(credentials).filter(([, value]) => value !== undefined));
}

export function assertOutcome(actual: Result, expected: Expected): void {
  const { detail, ...rest } = expected;
  const { detail: said, ...got }: Result & { detail?: string } = actual;
  assert.deepEqual(got, rest, JSON.stringify(actual));
  if (detail instanceof RegExp) assert.match(said ?? '', detail);
  else if (detail !== undefined) assert.ok(said?.includes(detail), `${said} lacks ${detail}`);
}

/** The dry run's requests are among those the peer has received, where they can be compared. */
function assertPlanned(steps: readonly Step[], seen: readonly unknown[]): void {
  const bodies = seen.flatMap((one) => {
    const { json, form } = one as { json?: unknown; form?: unknown };
    return typeof json === 'object' ? [json] : typeof form === 'object' ? [form] : [];
  });
  if (bodies.length === 0) return;
  for (const step of steps) {
    const { body: whole, file }: VendorRequest = 'request' in step ? step.request : { body: {} };
    // In place of the uploaded file's id, a dry run has the address of the file.
    const body = JSON.parse(JSON.stringify(whole), (_, value: unknown) =>
      file && typeof value === 'string' && value.includes(file.url) ? undefined : value,
    ) as object;
    const isSeen = bodies.some((one) => isPartOf(body, one));
    assert.ok(
      isSeen,
      `${inspect(body)} was planned, but ${inspect(bodies, { depth: 9 })} was received`,
    );
  }
}

function isPartOf(part: object, whole: unknown): boolean {
  try {
    assert.partialDeepStrictEqual(whole, part);
    return true;
  } catch {
    return false;
  }
}

/** Neither an outcome nor a dry run contains a secret. */
function assertNoSecrets(channel: Channel, credentials: Credentials, results: unknown): void {
  const said = JSON.stringify(results);
  for (const { name, secret } of channel.credentials) {
    const value = credentials[name];
    if (secret && value) assert.ok(!said.includes(value), `the outcome contains the ${name}`);
  }
}
