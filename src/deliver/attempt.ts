import type { Channel, Context, Failure, Outcome } from '../channels/channel.ts';
import type { Step } from '../compose/plan.ts';
import { CertificateFault } from '../lib/certificate.ts';
import type { Clock } from '../lib/clock.ts';
import { FetchFault, type FetchRequest } from '../lib/fetch.ts';
import type { OutgoingNetwork } from '../lib/outgoing.ts';
import { storable } from '../lib/storable.ts';
import { KEPT_CHARACTERS } from '../model/attempt.ts';
import type { Credentials } from '../model/integration.ts';
import type { Taken } from '../store/turn.ts';
import { Files } from './files.ts';
import { type MediaOnHand, NO_MEDIA } from './media-on-hand.ts';
import { maskAll } from './redaction.ts';

/** How long a channel has for one try, in milliseconds. */
const DEADLINE = 15_000;
/** And where a file has to be downloaded and uploaded. */
const DEADLINE_WITH_FILES = 60_000;
/** How much longer it has to say what it knows of a try that was given up. */
const LAST_WORD = 1_000;

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
  renew: Context['renew'];
  hookUrl?: Context['hookUrl'];
  notes?: Context['notes'];
  chat?: Context['chat'];
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
  /** Without the activity that follows, if it does. */
  request: string | null;
  withActivity: 0 | 1;
  answer: string | null;
}

/**
 * Tries to send the next part of a message, until time is up or somebody else aborts it. Never rejects:
 * whatever happens is an outcome.
 */
export async function attempt(
  taken: Taken,
  steps: readonly Step[],
  account: Account,
  surroundings: Surroundings,
  abort: AbortController,
  { json = taken.activity, open, secrets }: MediaOnHand = NO_MEDIA,
): Promise<Tried> {
  const { channel } = account;
  const known = { secrets: [...secrets] };
  const heard: Heard = { status: null, request: null, body: null, answer: null, ...known };
  const step = steps[taken.partsSent];
  const time = hasFiles(step) ? DEADLINE_WITH_FILES : DEADLINE;
  const files = new Files(surroundings.network, abort.signal, open);
  const outcome = await withDeadline(surroundings.clock, abort, time, async () => {
    const context = contextOf(account, surroundings, abort.signal, heard, files);
    const taking = take(step, taken, json, channel, context).finally(() => files.close());
    return channel.insists ? taking.catch(asPassing) : taking;
  });
  const redact = (text: string) => redacted(text, account, heard);
  return {
    outcome: recordable(outcome, redact),
    parts: Math.max(steps.length, 1),
    status: heard.status,
    ...requestOf(heard, taken, redact),
    answer: heard.answer && kept(redact(heard.answer)),
  };
}

/** What was asked, its body included; up to the body where that is the activity itself, which is on record already. */
function requestOf(
  { request, body }: Heard,
  { activity }: Taken,
  redact: (text: string) => string,
): Pick<Tried, 'request' | 'withActivity'> {
  if (request === null || body === null) {
    return { request: request && kept(redact(request)), withActivity: 0 };
  }
  const head = `${request}\n\n`;
  if (body === activity && redact(activity) === activity) {
    return { request: kept(redact(head)), withActivity: 1 };
  }
  return { request: kept(redact(head + body)), withActivity: 0 };
}

const kept = (text: string) => storable(text.slice(0, KEPT_CHARACTERS));

function hasFiles(step: Step | undefined): boolean {
  if (!step || !('wire' in step)) return false;
  return step.wire.file !== undefined || step.wire.enclosed !== undefined;
}

/** Without the account's secrets, and without those that the channel has concealed. */
export function redacted(text: string, { redact }: Account, { secrets }: Heard): string {
  return maskAll(redact(text), secrets);
}

/** What a vendor says may be anything; what is kept of it is free of secrets, and a text. */
function recordable(outcome: Outcome, redact: (text: string) => string): Outcome {
  const { id, detail, code }: { id?: string; detail?: string; code?: string } = outcome;
  return {
    ...outcome,
    ...(id !== undefined && { id: storable(id.slice(0, KEPT_ID)) }),
    ...(detail !== undefined && {
      detail: kept(redact(detail)),
    }),
    ...(code !== undefined && { code: storable(redact(code).slice(0, KEPT_ID)) }),
  };
}

/** Where nothing may fail, somebody may still put the certificate right. */
function asPassing(error: unknown): never {
  throw error instanceof CertificateFault ? new FetchFault(error.message, false, error) : error;
}

async function take(
  step: Step | undefined,
  { id, recipient, partsSent, createdAt }: Taken,
  json: string,
  channel: Channel,
  context: Context,
): Promise<Outcome> {
  if (!step) {
    return impossible(
      'there is nothing to send: the text is empty, or nothing is out of the earlier message that it changes',
    );
  }
  if (step.does === 'send') {
    if (!channel.send) return impossible(`${channel.title} cannot be sent to yet`);
    // Numbers begin anew in another store that sends by the same account; moments do not.
    const key = `${id}-${createdAt.toString(36)}-${partsSent + 1}`;
    return channel.send(step.wire, { key, recipient, json }, context);
  }
  const earlier = { id: step.id, recipient };
  if (step.does === 'edit') {
    if (!channel.edit) return impossible(`${channel.title} cannot change what was sent`);
    return channel.edit(earlier, step.wire, context);
  }
  if (!channel.remove) return impossible(`${channel.title} cannot take back what was sent`);
  return channel.remove(earlier, context);
}

export interface Heard {
  status: string | null;
  /** Method and URL. Headers, where credentials usually are, are in none of it. */
  request: string | null;
  body: string | null;
  answer: string | null;
  /** What else must not be on record. */
  secrets: string[];
}

/** What a channel may use; what it asks and hears is written down. */
export function contextOf(
  { channel, credentials, operatorUrl, keep, renew, hookUrl, notes, chat }: Account,
  { network, clock }: Surroundings,
  signal: AbortSignal,
  heard: Heard,
  files: Files,
): Context {
  const reach = operatorUrl === undefined ? { signal } : { signal, trusted: operatorUrl };
  return {
    credentials,
    url: operatorUrl ?? channel.url ?? '',
    async fetch(url, request) {
      if (request?.isPrivate) return network.fetch(url, request, reach);
      heard.request = `${request?.method ?? 'GET'} ${url}`;
      heard.body = inWords(request?.body);
      heard.answer = heard.status = null;
      const answer = await network.fetch(url, request, reach);
      heard.status = String(answer.status);
      heard.answer = answer.text;
      return answer;
    },
    download: (url, options) => files.download(url, options),
    downloadAll: (urls, options) => files.downloadAll(urls, options),
    dial: (host, port, options) => network.dial(host, port, { ...options, signal }),
    signal,
    clock,
    keep,
    renew,
    conceal: (secret) => void (secret.length > 0 && heard.secrets.push(secret)),
    ...(hookUrl && {
      async hookUrl() {
        const url = await hookUrl();
        if (url !== undefined) heard.secrets.push(url, encodeURIComponent(url));
        return url;
      },
    }),
    ...(notes && { notes }),
    ...(chat && { chat }),
  };
}

function inWords(body: FetchRequest['body']): string | null {
  if (body === undefined || typeof body === 'string') return body ?? null;
  return `[${body.length} bytes]`;
}

const LOST: Outcome = {
  outcome: 'transient',
  perhapsSent: true,
  detail: 'the channel did not answer in time',
};

async function withDeadline(
  clock: Clock,
  abort: AbortController,
  time: number,
  send: () => Promise<Outcome>,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let isOver = false;
  let callOff = clock.after(time, () => abort.abort());
  // It stays there: the signal is of this try alone.
  abort.signal.addEventListener('abort', () => {
    if (isOver) return;
    callOff();
    callOff = clock.after(LAST_WORD, () => resolve(LOST));
  });
  send().then(resolve, (error: unknown) => resolve(faultOutcome(error)));
  const outcome = await promise;
  isOver = true;
  callOff();
  return outcome;
}

/** What no channel should have let happen counts as a failure that may pass. */
export function faultOutcome(error: unknown): Failure {
  if (error instanceof CertificateFault) {
    return { outcome: 'permanent', blame: 'credentials', detail: error.message };
  }
  if (error instanceof FetchFault) {
    return { outcome: 'transient', perhapsSent: error.perhapsSent, detail: error.message };
  }
  const detail = `a fault of ours: ${error instanceof Error ? error.message : String(error)}`;
  return { outcome: 'transient', perhapsSent: true, detail };
}

function impossible(detail: string): Outcome {
  return { outcome: 'permanent', blame: 'unsupported', detail };
}
