import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';

import type {
  Channel,
  Check,
  Closable,
  Context,
  Earlier,
  Outcome,
  Outgoing,
} from '../../src/channels/channel.ts';
import { createGuard } from '../../src/lib/addresses.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { FetchFault } from '../../src/lib/fetch.ts';
import { createOutgoing } from '../../src/lib/outgoing.ts';
import { ACTIVITY_STREAMS } from '../../src/model/activity.ts';
import type { Credentials } from '../../src/model/integration.ts';

/*
 * Runs a channel against its peer: an emulator of the vendor, or a real server. A channel's tests are
 * a table: what is sent, what the peer must see, what it answers, what outcome follows.
 */

/** The other side of a channel. */
export interface Peer<Seen, Answer> {
  /** Where it is reached: a base address, or `smtp://127.0.0.1:…` and the like. */
  readonly url: string;
  /** Says what it answers next, instead of what it would by itself; once for each call. */
  next(answer: Answer): void;
  /** What has reached it, in order. */
  readonly seen: readonly Seen[];
  close(): Promise<void>;
}

type Result = Outcome | Check;

/** An outcome to expect. What is said of `detail` is a part of it or a pattern; the rest is exact. */
export type Expected = Result extends infer Each
  ? Each extends Result
    ? Omit<Each, 'detail'> & { detail?: string | RegExp }
    : never
  : never;

export interface Case<Seen, Answer> {
  /** A sentence after the channel's name: `sends emoji as they are`. */
  it: string;
  /** `send` where this is left out. */
  calls?: 'send' | 'edit' | 'remove' | 'check';
  /** What is sent; the rest is ordinary. */
  message?: Partial<Outgoing>;
  /** What is edited or removed. */
  earlier?: Earlier;
  /** Replace those of the suite; `undefined` takes one away. */
  credentials?: { [Name in keyof Credentials]: string | undefined };
  /** What the peer is told to answer, one after the other. */
  answers?: readonly Answer[];
  /** What the peer must have seen, as far as it is said here: as many as there are. */
  sees?: readonly unknown[];
  outcome: Expected;
  /** Milliseconds until a request is given up. */
  patience?: number;
  /** Whatever else has to hold. */
  also?(seen: readonly Seen[], result: Result): void | Promise<void>;
}

export interface Suite<Seen, Answer> {
  /** Opened anew for each case. */
  open(): Promise<Peer<Seen, Answer>>;
  credentials: Credentials | ((peer: Peer<Seen, Answer>) => Credentials);
  recipient: string;
  cases: readonly Case<Seen, Answer>[];
}

export function testChannel<Seen, Answer>(channel: Channel, suite: Suite<Seen, Answer>): void {
  describe(channel.name, () => {
    for (const each of suite.cases) it(each.it, async () => runCase(channel, suite, each));
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
      ...(given.patience !== undefined && { patience: given.patience }),
    });
    const message = outgoing({ recipient: suite.recipient, ...given.message });
    assert.equal(channel.recipient.check(message.recipient), undefined);
    const result = await resultOf(channel, calls, message, given.earlier, context);
    assertOutcome(result, outcome);
    assertSilent(channel, credentials, result);
    if (sees) {
      assert.equal(peer.seen.length, sees.length, inspect(peer.seen));
      assert.partialDeepStrictEqual(peer.seen, sees);
    }
    await also?.(peer.seen, result);
  } finally {
    await peer.close();
  }
}

/** Calls the channel as the engine does: a FetchFault that it lets through is a transient outcome. */
export async function resultOf(
  channel: Channel,
  calls: 'send' | 'edit' | 'remove' | 'check',
  message: Outgoing,
  earlier: Earlier | undefined,
  context: Context,
): Promise<Result> {
  const before = earlier ?? { id: 'none', recipient: message.recipient };
  try {
    const result = {
      send: () => channel.send?.(message, context),
      edit: () => channel.edit?.(before, message, context),
      remove: () => channel.remove?.(before, context),
      check: () => channel.check?.(context),
    }[calls]();
    assert.ok(result, `${channel.name} cannot ${calls}`);
    return await result;
  } catch (error) {
    if (!(error instanceof FetchFault)) throw error;
    return { outcome: 'transient', perhapsSent: error.perhapsSent, detail: error.message };
  }
}

/** A message with everything that a part of a message has. */
export function outgoing(message: Partial<Outgoing> & { recipient: string }): Outgoing {
  const text = message.text ?? 'Good morning!';
  const activity = {
    '@context': ACTIVITY_STREAMS,
    type: 'Create',
    generator: { type: 'Service', id: 1 },
    to: { type: 'Person', id: message.recipient },
    object: { type: 'Note', content: text },
  };
  return {
    key: 'message-1-part-1',
    text,
    activity,
    json: JSON.stringify(message.activity ?? activity),
    ...message,
  };
}

export interface ContextOptions {
  credentials: Credentials;
  url: string;
  /** Milliseconds until a request is given up. */
  patience?: number;
  /** A certificate that is trusted besides the usual ones. */
  ca?: string;
}

/** What a channel may use, for real; loopback may be reached. Closes what was kept. */
export function openContext(options: ContextOptions): Context & AsyncDisposable {
  const { credentials, url, patience = 15_000, ca } = options;
  const network = createOutgoing({
    guard: createGuard({ allow: new BlockList(), allowLoopback: true }),
    deadline: patience,
    ...(ca !== undefined && { ca }),
  });
  const ended = new AbortController();
  // As the engine does, a little later than fetch itself, which can say more of what went wrong.
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(patience + 1000)]);
  let kept: Closable | undefined;
  return {
    credentials,
    url,
    signal,
    clock: systemClock,
    fetch: async (target, request) => network.fetch(target, request, { signal }),
    dial: async (host, port, more) => network.dial(host, port, { ...more, signal }),
    keep: <Kept extends Closable>(open: () => Kept) => (kept ??= open()) as Kept,
    async [Symbol.asyncDispose]() {
      await kept?.close();
      ended.abort();
      await network.close();
    },
  };
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

/** Nobody who reads what became of a message learns a secret. */
function assertSilent(channel: Channel, credentials: Credentials, result: Result): void {
  const said = JSON.stringify(result);
  for (const { name, secret } of channel.credentials) {
    const value = credentials[name];
    if (secret && value) assert.ok(!said.includes(value), `the outcome tells the ${name}`);
  }
}
