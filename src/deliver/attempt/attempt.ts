import type { Channel, Context, Failure, Outcome } from '../../channels/channel.ts';
import type { Step } from '../../compose/plan.ts';
import type { HttpClient } from '../../lib/http/client.ts';
import { FetchFault, type FetchRequest } from '../../lib/http/fetch.ts';
import { CertificateFault } from '../../lib/net/certificate.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import { storable } from '../../lib/text/storable.ts';
import { MAX_RECORDED_LENGTH } from '../../model/attempt.ts';
import type { Credentials } from '../../model/integration.ts';
import { readInstructions } from '../../model/sending/instructions.ts';
import type { ClaimedMessage } from '../../store/delivery/dispatch-round.ts';
import { Files } from '../media/downloads.ts';
import { type MessageMedia, NO_MEDIA } from '../media/message-media.ts';
import { maskAll } from './redaction.ts';

const DEADLINE_MS = 15_000;
/** The deadline of an attempt that downloads and uploads a file. */
const DEADLINE_WITH_FILES_MS = 60_000;
/** After an abort, the channel has this long to report an outcome that it knows for certain. */
const ABORT_GRACE_MS = 1_000;

/** Characters recorded of a vendor's message id or error code. */
const MAX_ID_LENGTH = 1_000;

/** A channel with the credentials and the base URL to use. */
export interface Account {
  channel: Channel;
  credentials: Credentials;
  /** The operator's override of the channel's base URL. */
  operatorUrl: string | undefined;
  /** Masks the account's secrets in a text. */
  redact(text: string): string;
  resource: Context['resource'];
  storeCredentials: Context['storeCredentials'];
  hookUrl?: Context['hookUrl'];
  sharedState?: Context['sharedState'];
  chat?: Context['chat'];
  tokenOf?: Context['tokenOf'];
  unsubscribeUrl?: string;
}

export interface CallEnvironment {
  network: HttpClient;
  clock: Clock;
}

/** The outcome of an attempt, with its request and response; secrets are masked. */
export interface AttemptRecord {
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
  claimed: ClaimedMessage,
  steps: readonly Step[],
  account: Account,
  environment: CallEnvironment,
  abort: AbortController,
  { json = claimed.activity, open, secrets }: MessageMedia = NO_MEDIA,
): Promise<AttemptRecord> {
  const { channel } = account;
  const initial = { secrets: [...secrets] };
  const exchange: Exchange = { status: null, request: null, body: null, answer: null, ...initial };
  const step = steps[claimed.partsSent];
  const time = hasFiles(step) ? DEADLINE_WITH_FILES_MS : DEADLINE_MS;
  const files = new Files(environment.network, abort.signal, open);
  const outcome = await withDeadline(environment.clock, abort, time, async () => {
    const context = contextOf(account, environment, abort.signal, exchange, files);
    const sending = sendStep(step, claimed, json, channel, context).finally(() => files.close());
    return channel.retryForever ? sending.catch(asTransient) : sending;
  });
  const redact = (text: string) => redacted(text, account, exchange);
  return {
    outcome: recordable(outcome, redact),
    parts: Math.max(steps.length, 1),
    status: exchange.status,
    ...requestOf(exchange, claimed, redact),
    answer: exchange.answer && truncated(redact(exchange.answer)),
  };
}

/** The request as recorded. A body that is the activity itself is left out, because the message row has it already. */
function requestOf(
  { request, body }: Exchange,
  { activity }: ClaimedMessage,
  redact: (text: string) => string,
): Pick<AttemptRecord, 'request' | 'withActivity'> {
  if (request === null || body === null) {
    return { request: request && truncated(redact(request)), withActivity: 0 };
  }
  const head = `${request}\n\n`;
  if (body === activity && redact(activity) === activity) {
    return { request: truncated(redact(head)), withActivity: 1 };
  }
  return { request: truncated(redact(head + body)), withActivity: 0 };
}

const truncated = (text: string) => storable(text.slice(0, MAX_RECORDED_LENGTH));

function hasFiles(step: Step | undefined): boolean {
  if (!step || !('request' in step)) return false;
  return step.request.file !== undefined || step.request.attachments !== undefined;
}

/** Masks the account's secrets and those that the channel passed to `conceal`. */
export function redacted(text: string, { redact }: Account, { secrets }: Exchange): string {
  return maskAll(redact(text), secrets);
}

/**
 * Vendors may answer anything. Strings are recorded without secrets, truncated, and as text that both stores accept.
 */
function recordable(outcome: Outcome, redact: (text: string) => string): Outcome {
  const { id, kept, detail, code }: { id?: string; kept?: string; detail?: string; code?: string } =
    outcome;
  return {
    ...outcome,
    ...(id !== undefined && { id: storable(id.slice(0, MAX_ID_LENGTH)) }),
    ...(kept !== undefined && { kept: storable(kept.slice(0, MAX_ID_LENGTH)) }),
    ...(detail !== undefined && {
      detail: truncated(redact(detail)),
    }),
    ...(code !== undefined && { code: storable(redact(code).slice(0, MAX_ID_LENGTH)) }),
  };
}

/** A channel that retries forever retries certificate faults too: the operator may fix the certificate. */
function asTransient(error: unknown): never {
  throw error instanceof CertificateFault ? new FetchFault(error.message, false, error) : error;
}

async function sendStep(
  step: Step | undefined,
  { id, recipient, partsSent, createdAt, instructions, route }: ClaimedMessage,
  json: string,
  channel: Channel,
  context: Context,
): Promise<Outcome> {
  if (!step) {
    return unsupported(
      'nothing to send: the text is empty, or the message to change was never sent',
    );
  }
  if (step.does === 'send') {
    if (!channel.send) return unsupported(`sending through ${channel.title} is not supported yet`);
    // Message ids start over in another store that uses the same account; creation times do not.
    // Two routes may use the same account.
    const way = route ? `.${route}` : '';
    const key = `${id}-${createdAt.toString(36)}-${partsSent + 1}${way}`;
    const { options = {} } = readInstructions(instructions);
    return channel.send(step.request, { key, recipient, json, options }, context);
  }
  const { kept } = step;
  const earlier = { id: step.id, recipient, ...(kept !== undefined && { kept }) };
  if (step.does === 'edit') {
    if (!channel.edit) return unsupported(`${channel.title} cannot change sent messages`);
    return channel.edit(earlier, step.request, context);
  }
  if (!channel.remove) return unsupported(`${channel.title} cannot delete sent messages`);
  return channel.remove(earlier, context);
}

export interface Exchange {
  status: string | null;
  /** Method and URL. Headers are never recorded, since they usually contain credentials. */
  request: string | null;
  body: string | null;
  answer: string | null;
  /** Further texts to mask. */
  secrets: string[];
}

/** The context of a channel call. It records the last request and response in `exchange`. */
export function contextOf(
  account: Account,
  { network, clock }: CallEnvironment,
  signal: AbortSignal,
  exchange: Exchange,
  files: Files,
): Context {
  const { channel, credentials, operatorUrl, resource, storeCredentials } = account;
  const { hookUrl, sharedState, chat, tokenOf, unsubscribeUrl } = account;
  const fetchOptions = operatorUrl === undefined ? { signal } : { signal, trusted: operatorUrl };
  return {
    credentials,
    url: operatorUrl ?? channel.url ?? '',
    async fetch(url, request) {
      if (request?.isPrivate) return network.fetch(url, request, fetchOptions);
      exchange.request = `${request?.method ?? 'GET'} ${url}`;
      exchange.body = textOfBody(request?.body);
      exchange.answer = exchange.status = null;
      const answer = await network.fetch(url, request, fetchOptions);
      exchange.status = String(answer.status);
      exchange.answer = answer.text;
      return answer;
    },
    download: (url, options) => files.download(url, options),
    downloadAll: (urls, options) => files.downloadAll(urls, options),
    dial: (host, port, options) => network.dial(host, port, { ...options, signal }),
    signal,
    clock,
    resource,
    storeCredentials,
    redact: (secret) => void (secret.length > 0 && exchange.secrets.push(secret)),
    ...(hookUrl && {
      async hookUrl() {
        const url = await hookUrl();
        if (url !== undefined) exchange.secrets.push(url, encodeURIComponent(url));
        return url;
      },
    }),
    ...(sharedState && { sharedState }),
    ...(chat && { chat }),
    ...(tokenOf && { tokenOf }),
    ...(unsubscribeUrl !== undefined && { unsubscribeUrl }),
  };
}

function textOfBody(body: FetchRequest['body']): string | null {
  if (body === undefined || typeof body === 'string') return body ?? null;
  return `[${body.length} bytes]`;
}

const LOST: Outcome = {
  outcome: 'transient',
  maybeSent: true,
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
  let cancel = clock.after(time, () => abort.abort());
  // Never removed, because the signal belongs to this attempt alone.
  abort.signal.addEventListener('abort', () => {
    if (isOver) return;
    cancel();
    cancel = clock.after(ABORT_GRACE_MS, () => resolve(LOST));
  });
  send().then(resolve, (error: unknown) => resolve(faultOutcome(error)));
  const outcome = await promise;
  isOver = true;
  cancel();
  return outcome;
}

/** The outcome for an error that a channel threw. An unexpected one counts as transient. */
export function faultOutcome(error: unknown): Failure {
  if (error instanceof CertificateFault) {
    return { outcome: 'permanent', blame: 'credentials', detail: error.message };
  }
  if (error instanceof FetchFault) {
    return { outcome: 'transient', maybeSent: error.maybeSent, detail: error.message };
  }
  const detail = `internal error: ${error instanceof Error ? error.message : String(error)}`;
  return { outcome: 'transient', maybeSent: true, detail };
}

function unsupported(detail: string): Outcome {
  return { outcome: 'permanent', blame: 'unsupported', detail };
}
