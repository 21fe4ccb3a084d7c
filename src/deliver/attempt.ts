import type { Channel, Closable, Context, Outcome, Outgoing } from '../channels/channel.ts';
import type { Clock } from '../lib/clock.ts';
import { FetchFault, type FetchRequest } from '../lib/fetch.ts';
import type { OutgoingNetwork } from '../lib/outgoing.ts';
import { split } from '../lib/split.ts';
import type { Activity } from '../model/activity.ts';
import type { Credentials } from '../model/integration.ts';
import { textOf } from '../model/text.ts';
import type { Taken } from '../store/turn.ts';

/** How long a channel has for one try, in milliseconds. */
const DEADLINE = 15_000;
/** How much longer it has to say what it knows of a try that was given up. */
const LAST_WORD = 1_000;

/** How much of a request and of an answer is kept. */
const KEPT_CHARACTERS = 2_000;
/** How much of what a channel calls a message or an error. */
const KEPT_ID = 1_000;

/** Where a channel is reached, and as whom. */
export interface Account {
  channel: Channel;
  credentials: Credentials;
  /** Where the operator says that the channel is, instead of where it says itself. */
  operatorUrl: string | undefined;
  /** Takes the account's secrets out of a text. */
  redact(text: string): string;
  keep: Context['keep'];
}

export interface Surroundings {
  network: OutgoingNetwork;
  clock: Clock;
}

/** How a try went, with what was said, free of secrets. */
export interface Tried {
  outcome: Outcome;
  parts: number;
  status: string | null;
  request: string | null;
  answer: string | null;
}

/**
 * Tries to send the next part of a message, until time is up or somebody else aborts it. Never rejects:
 * whatever happens is an outcome.
 */
export async function attempt(
  taken: Taken,
  account: Account,
  surroundings: Surroundings,
  abort: AbortController,
): Promise<Tried> {
  const { channel, redact } = account;
  const heard: Heard = { status: null, request: null, answer: null };
  let parts = 1;
  const outcome = await withDeadline(surroundings.clock, abort, async () => {
    if (!channel.send) return unbuilt(channel);
    const { outgoing, of } = toOutgoing(taken, channel);
    parts = of;
    return channel.send(outgoing, contextOf(account, surroundings, abort.signal, heard));
  });
  const shown = (text: string | null) => text && storable(redact(text).slice(0, KEPT_CHARACTERS));
  return {
    outcome: recordable(outcome, redact),
    parts,
    status: heard.status,
    request: shown(heard.request),
    answer: shown(heard.answer),
  };
}

/** What a vendor says may be anything; what is kept of it is free of secrets, and a text. */
function recordable(outcome: Outcome, redact: (text: string) => string): Outcome {
  const { id, detail, code }: { id?: string; detail?: string; code?: string } = outcome;
  return {
    ...outcome,
    ...(id !== undefined && { id: storable(id.slice(0, KEPT_ID)) }),
    ...(detail !== undefined && {
      detail: storable(redact(detail).slice(0, KEPT_CHARACTERS)),
    }),
    ...(code !== undefined && { code: storable(redact(code).slice(0, KEPT_ID)) }),
  };
}

/** PostgreSQL takes no NUL, and one that it refuses would hold up all that is recorded with it. */
const storable = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed();

/** The part that follows those that are out, and how many there are. */
function toOutgoing(taken: Taken, channel: Channel): { outgoing: Outgoing; of: number } {
  const { id, recipient, activity: json, partsSent } = taken;
  const key = `${id}-${partsSent + 1}`;
  if (!channel.text) return { outgoing: new Whole(key, recipient, json), of: 1 };
  const activity = JSON.parse(json) as Activity;
  const texts = split(textOf(activity), channel.text);
  const text = texts[partsSent] ?? '';
  return { outgoing: { key, recipient, text, activity, json }, of: Math.max(texts.length, 1) };
}

/** A message that goes out in one piece; read only if the channel wants to know what is in it. */
class Whole implements Outgoing {
  readonly key: string;
  readonly recipient: string;
  readonly json: string;

  constructor(key: string, recipient: string, json: string) {
    this.key = key;
    this.recipient = recipient;
    this.json = json;
  }

  get activity(): Activity {
    return JSON.parse(this.json) as Activity;
  }

  get text(): string {
    return textOf(this.activity);
  }
}

interface Heard {
  status: string | null;
  request: string | null;
  answer: string | null;
}

/** What a channel may use; what it asks and hears is written down. */
export function contextOf(
  { channel, credentials, operatorUrl, keep }: Account,
  { network, clock }: Surroundings,
  signal: AbortSignal,
  heard: Heard,
): Context {
  const trusted = operatorUrl === undefined ? {} : { trusted: operatorUrl };
  return {
    credentials,
    url: operatorUrl ?? channel.url ?? '',
    async fetch(url, request) {
      if (request?.isPrivate) return network.fetch(url, request, { signal, ...trusted });
      heard.request = inWords(url, request);
      heard.answer = heard.status = null;
      const answer = await network.fetch(url, request, { signal, ...trusted });
      heard.status = String(answer.status);
      heard.answer = answer.text;
      return answer;
    },
    dial: (host, port, options) => network.dial(host, port, { ...options, signal }),
    signal,
    clock,
    keep,
  };
}

/** Without headers, where credentials usually are. */
function inWords(url: string, { method = 'GET', body }: FetchRequest = {}): string {
  return body === undefined ? `${method} ${url}` : `${method} ${url}\n\n${body}`;
}

const LOST: Outcome = {
  outcome: 'transient',
  perhapsSent: true,
  detail: 'the channel did not answer in time',
};

async function withDeadline(
  clock: Clock,
  abort: AbortController,
  send: () => Promise<Outcome>,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let callOff = clock.after(DEADLINE, () => abort.abort());
  const onAbort = () => {
    callOff();
    callOff = clock.after(LAST_WORD, () => resolve(LOST));
  };
  abort.signal.addEventListener('abort', onAbort);
  send().then(resolve, (error: unknown) => resolve(faultOutcome(error)));
  try {
    return await promise;
  } finally {
    callOff();
    abort.signal.removeEventListener('abort', onAbort);
  }
}

/** What no channel should have let happen counts as a failure that may pass. */
export function faultOutcome(error: unknown): Extract<Outcome, { outcome: 'transient' }> {
  if (error instanceof FetchFault) {
    return { outcome: 'transient', perhapsSent: error.perhapsSent, detail: error.message };
  }
  const detail = `a fault of ours: ${error instanceof Error ? error.message : String(error)}`;
  return { outcome: 'transient', perhapsSent: true, detail };
}

function unbuilt({ title }: Channel): Outcome {
  const detail = `${title} cannot be sent to yet`;
  return { outcome: 'permanent', blame: 'unsupported', detail };
}

/** Something that lasts from one try to the next, of whatever type the channel wants. */
export class Keeper {
  #kept: Closable | undefined;

  readonly keep: Context['keep'] = <Kept extends Closable>(open: () => Kept): Kept => {
    this.#kept ??= open();
    // A channel opens one kind of thing only, so it is what the channel opened before.
    return this.#kept as Kept;
  };

  async close(): Promise<void> {
    const kept = this.#kept;
    this.#kept = undefined;
    await kept?.close();
  }
}
