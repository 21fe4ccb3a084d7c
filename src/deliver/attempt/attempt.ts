import type { Channel, Context, Failure, Outcome } from '../../channels/channel.ts';
import type { Step } from '../../compose/plan.ts';
import type { OutgoingNetwork } from '../../lib/http/client.ts';
import { FetchFault, type FetchRequest } from '../../lib/http/fetch.ts';
import { CertificateFault } from '../../lib/net/certificate.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import { storable } from '../../lib/text/storable.ts';
import { KEPT_CHARACTERS } from '../../model/attempt.ts';
import type { Credentials } from '../../model/integration.ts';
import type { Taken } from '../../store/delivery/dispatch-round.ts';
import { Files } from '../media/downloads.ts';
import { type MediaOnHand, NO_MEDIA } from '../media/media-on-hand.ts';
import { maskAll } from './redaction.ts';

const DEADLINE_MS = 15_000;
/** The deadline of an attempt that downloads and uploads a file. */
const DEADLINE_WITH_FILES_MS = 60_000;
/** After an abort, the channel has this long to report an outcome that it knows for certain. */
const ABORT_GRACE_MS = 1_000;

/** Characters recorded of a vendor's message id or error code. */
const MAX_ID_LENGTH = 1_000;

/** A channel with the credentials and the address to use. */
export interface Account {
  channel: Channel;
  credentials: Credentials;
  /** The operator's override of the channel's address. */
  operatorUrl: string | undefined;
  /** Masks the account's secrets in a text. */
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

/** The outcome of an attempt, with its request and response; secrets are masked. */
export interface Tried {
  outcome: Outcome;
  parts: number;
  status: string | null;
  /** Without its body if that is the activity itself; `withActivity` is 1 then. */
  request: string | null;
  withActivity: 0 | 1;
  answer: string | null;
}

/**
 * Sends the next part of a message. Ends at the deadline, or when `abort` fires. Never rejects: every error becomes an
 * outcome.
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
  const time = hasFiles(step) ? DEADLINE_WITH_FILES_MS : DEADLINE_MS;
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

/** The request as recorded. A body that is the activity itself is left out, because the message row has it already. */
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

/** Masks the account's secrets and those that the channel passed to `conceal`. */
export function redacted(text: string, { redact }: Account, { secrets }: Heard): string {
  return maskAll(redact(text), secrets);
}

/**
 * Vendors may answer anything. Strings are recorded without secrets, truncated, and as text that both stores accept.
 */
function recordable(outcome: Outcome, redact: (text: string) => string): Outcome {
  const { id, detail, code }: { id?: string; detail?: string; code?: string } = outcome;
  return {
    ...outcome,
    ...(id !== undefined && { id: storable(id.slice(0, MAX_ID_LENGTH)) }),
    ...(detail !== undefined && {
      detail: kept(redact(detail)),
    }),
    ...(code !== undefined && { code: storable(redact(code).slice(0, MAX_ID_LENGTH)) }),
  };
}

/** A channel that retries forever retries certificate faults too: the operator may fix the certificate. */
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
      'nothing to send: the text is empty, or no part of the message it changes was sent',
    );
  }
  if (step.does === 'send') {
    if (!channel.send) return impossible(`${channel.title} cannot be sent to yet`);
    // Message ids start over in another store that uses the same account; creation times do not.
    const key = `${id}-${createdAt.toString(36)}-${partsSent + 1}`;
    return channel.send(step.wire, { key, recipient, json }, context);
  }
  const earlier = { id: step.id, recipient };
  if (step.does === 'edit') {
    if (!channel.edit) return impossible(`${channel.title} cannot change sent messages`);
    return channel.edit(earlier, step.wire, context);
  }
  if (!channel.remove) return impossible(`${channel.title} cannot delete sent messages`);
  return channel.remove(earlier, context);
}

export interface Heard {
  status: string | null;
  /** Method and URL. Headers are never recorded, since they usually contain credentials. */
  request: string | null;
  body: string | null;
  answer: string | null;
  /** Further texts to mask. */
  secrets: string[];
}

/** The context of a channel call. It records the last request and response in `heard`. */
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
  detail: 'no answer within the time limit',
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
  // Never removed, because the signal belongs to this attempt alone.
  abort.signal.addEventListener('abort', () => {
    if (isOver) return;
    callOff();
    callOff = clock.after(ABORT_GRACE_MS, () => resolve(LOST));
  });
  send().then(resolve, (error: unknown) => resolve(faultOutcome(error)));
  const outcome = await promise;
  isOver = true;
  callOff();
  return outcome;
}

/** The outcome for an error that a channel threw. An unexpected one counts as transient. */
export function faultOutcome(error: unknown): Failure {
  if (error instanceof CertificateFault) {
    return { outcome: 'permanent', blame: 'credentials', detail: error.message };
  }
  if (error instanceof FetchFault) {
    return { outcome: 'transient', perhapsSent: error.perhapsSent, detail: error.message };
  }
  const detail = `internal error: ${error instanceof Error ? error.message : String(error)}`;
  return { outcome: 'transient', perhapsSent: true, detail };
}

function impossible(detail: string): Outcome {
  return { outcome: 'permanent', blame: 'unsupported', detail };
}
