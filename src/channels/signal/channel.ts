import { openEventStream } from '../../lib/http/event-stream.ts';
import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { integerMember, listMember, member, textMember } from '../../lib/json/json-member.ts';
import { serverAddress } from '../../lib/net/server-address.ts';
import {
  type Channel,
  type Context,
  type Destination,
  type Failure,
  type MediaPart,
  type Outcome,
  type Unsupported,
  type VendorRequest,
  fileOf,
  isFailure,
  matching,
  ofChange,
} from '../channel.ts';
import { SERVER_URL } from '../credential-formats.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { readSignal } from './envelope.ts';
import { classifyFailure, failuresIn, hasSuccess } from './errors.ts';
import { toStyled } from './text.ts';

/*
 * Signal, through the HTTP daemon of signal-cli.
 * https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc
 * Text: signal-cli sends up to 2,000 bytes inline and a longer text as a long-text attachment; the apps show 64 KiB
 * of it. A message is identified by its author and the time it was sent, in milliseconds. Files are data URIs, since the
 * daemon may run elsewhere. Nothing is deduplicated.
 */

const MAX_TEXT_BYTES = 65_536;
const MAX_FILE_BYTES = 100 * 1024 * 1024;
/** A file of 32 MiB in base64, as JSON. */
const MAX_RECEIVED_BYTES = 45 * 1024 * 1024;
const MAX_EVENT_LENGTH = 1024 * 1024;
/** The daemon sends a comment every 15 seconds. */
const IDLE_MS = 60_000;

const media = { maxCaptionLength: MAX_TEXT_BYTES, compose: withFile };

export const signal: Channel = {
  name: 'signal',
  title: 'Signal',
  category: 'chat',
  summary: 'Messages to people and groups on Signal, through your own signal-cli.',
  keywords: ['private', 'encrypted', 'signal-cli', 'phone'],
  docs: 'https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc',
  credentials: [
    {
      name: 'address',
      label: 'Daemon URL',
      help: 'The URL of the HTTP daemon of signal-cli, such as http://signal.internal:8080.',
      secret: false,
      format: SERVER_URL,
    },
    {
      name: 'username',
      label: 'Account',
      help: 'The phone number of the Signal account that signal-cli uses, such as +4915112345678.',
      secret: false,
      format: {
        pattern: /^\+[1-9]\d{4,14}$/,
        hint: 'Accounts are phone numbers with + and country code, such as +4915112345678.',
      },
    },
    {
      name: 'secret',
      label: 'Proxy login',
      help: 'user:password for the reverse proxy in front of the daemon, if there is one: the daemon itself has no login.',
      secret: true,
    },
  ],
  needs: [['address', 'username']],
  recipient: {
    format:
      'a phone number with + and country code, the UUID of an account, u: and a username, or group: and a group ID',
    example: '+4915112345678',
    validate: matching(
      /^(?:\+[1-9]\d{4,14}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|u:[A-Za-z_]\w{1,47}\.\d{2,19}|group:[A-Za-z\d+/]{22,43}={0,2})$/,
      'must be +number, a UUID, u:name.01 or group:ID',
    ),
  },
  limits: [
    {
      what: '65,536 bytes of text; beyond 2,000 the apps show it behind Read more',
      link: 'https://github.com/AsamK/signal-cli',
    },
    { what: '100 MB per file', link: 'https://support.signal.org/hc/en-us/articles/360007320391' },
  ],
  text: {
    max: MAX_TEXT_BYTES,
    unit: 'bytes',
    measure: (text) => Buffer.byteLength(text),
    write: (rich) => toStyled(rich).text,
  },
  renderers: {
    text: ({ rich }, to) => requestOf({ ...targetOf(to), ...styledOf(rich) }),
    image: media,
    video: media,
    audio: media,
    document: media,
    reply: quote,
    options: (request, { options: { silent } }) =>
      silent === true ? requestOf({ ...paramsOf(request), noUrgent: true }, request) : request,
  },
  options: [
    {
      name: 'silent',
      label: 'Silent',
      help: 'Sends without a push notification. False by default. Needs signal-cli 0.14.',
      rule: { type: 'boolean' },
      link: 'https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc#send',
    },
  ],
  receipts: ['delivered', 'read'],

  async send(request, _message, context) {
    const { file } = request;
    const params = paramsOf(request);
    if (!file) return sentAs(await call('send', params, context), context);
    const downloaded = await context.download(file.url, { maxBytes: MAX_FILE_BYTES });
    if (isFailure(downloaded)) return downloaded;
    const [type] = (file.mediaType ?? downloaded.mediaType).split(';', 1);
    const name = file.name === undefined ? '' : `;filename=${encodeURIComponent(file.name)}`;
    const base64 = Buffer.from(downloaded.bytes).toString('base64');
    const attachments = [`data:${type ?? ''}${name};base64,${base64}`];
    return sentAs(await call('send', { ...params, attachments }, context), context);
  },

  async edit({ id, kept }, request, context) {
    if (request.file) return unsupported('Signal can edit text messages only');
    // An edit refers to the version before it; a deletion to the first.
    const params = { ...paramsOf(request), editTimestamp: Number(kept ?? id) };
    const answer = await call('send', params, context);
    const outcome = sentAs(answer, context);
    if (outcome.outcome !== 'sent') return ofChange(outcome);
    return { ...outcome, id, ...(outcome.id !== undefined && { kept: outcome.id }) };
  },

  async remove({ id, recipient }, context) {
    const to = targetOf({ recipient, credentials: context.credentials });
    const answer = await call('remoteDelete', { ...to, targetTimestamp: Number(id) }, context);
    const outcome = sentAs(answer, context);
    return outcome.outcome === 'sent' ? { outcome: 'sent' } : ofChange(outcome);
  },

  async check(context) {
    const { username = '' } = context.credentials;
    const answer = await call('listAccounts', {}, context);
    const json = answer?.json();
    // A daemon for one account does not have this method.
    if (integerMember(json, 'error', 'code') === '-32601') {
      return { outcome: 'known', as: 'the only account of the daemon', account: username };
    }
    if (!Array.isArray(member(json, 'result'))) return classifyFailure(answer, context);
    const accounts = listMember(json, 'result').map((one) => textMember(one, 'number'));
    if (accounts.includes(username)) return { outcome: 'known', as: username };
    const detail = `the daemon does not have the account ${username}`;
    return { outcome: 'permanent', blame: 'credentials', detail };
  },

  async listen(context) {
    const { address = '', username = '' } = context.credentials;
    const base = serverAddress(address);
    if (base === undefined || username === '') return classifyFailure(undefined, context);
    const url = `${base}/api/v1/events?account=${encodeURIComponent(username)}`;
    const { dial, signal: ended } = context;
    const stream = await openEventStream(url, {
      dial,
      headers: headersOf(context),
      signal: ended,
      maxEventLength: MAX_EVENT_LENGTH,
      idleMs: IDLE_MS,
    });
    try {
      if (stream.status !== 200) return refusedStream(stream.status);
      context.connected();
      for await (const data of stream.events) {
        await context.emit(readSignal(jsonBody(data), username));
      }
      return undefined;
    } finally {
      stream.close();
    }
  },

  async media(reference, context) {
    const [id = '', recipient = ''] = reference.split(' ');
    const body = { ...targetOf({ recipient, credentials: context.credentials }), id };
    const answer = await call('getAttachment', body, context, MAX_RECEIVED_BYTES);
    if (answer?.truncated) {
      return { outcome: 'permanent', blame: 'content', detail: 'the file is too large' };
    }
    const data = textMember(answer?.json(), 'result', 'data');
    return data === undefined
      ? classifyFailure(answer, context)
      : { bytes: Buffer.from(data, 'base64') };
  },
};

const unsupported = (detail: string): Failure => ({
  outcome: 'permanent',
  blame: 'unsupported',
  detail,
});

/** The account and the recipient of a call. */
function targetOf({ recipient, credentials }: Pick<Destination, 'recipient' | 'credentials'>) {
  const account = credentials.username ?? '';
  if (recipient.startsWith('group:')) return { account, groupId: recipient.slice(6) };
  if (recipient.startsWith('u:')) return { account, username: [recipient.slice(2)] };
  return { account, recipient: [recipient] };
}

function styledOf(rich: MediaPart['caption']['rich']) {
  const { text, styles } = toStyled(rich);
  return { message: text, ...(styles.length > 0 && { textStyles: styles }) };
}

function withFile(part: MediaPart, to: Destination): VendorRequest {
  const params = { ...targetOf(to), ...styledOf(part.caption.rich) };
  return { ...requestOf(params), file: fileOf(part) };
}

/** A call of `send`, as in JSON-RPC. */
function requestOf(params: object, request: Partial<VendorRequest> = {}): VendorRequest {
  return { ...request, body: { method: 'send', params } };
}

function paramsOf({ body }: VendorRequest): Record<string, unknown> {
  const { params } = body;
  return typeof params === 'object' ? { ...params } : {};
}

/** A sent message has the bare time, since its author is the account; a received one `time:author`. */
const ID = /^(\d{13})(?::([^\s:]{1,60}))?$/;

function quote(request: VendorRequest, id: string): VendorRequest | Unsupported {
  const [, timestamp, author = paramsOf(request)['account']] = ID.exec(id) ?? [];
  if (timestamp === undefined) return { unsupported: 'Signal IDs are times in milliseconds' };
  const quoted = { quoteTimestamp: Number(timestamp), quoteAuthor: author };
  return requestOf({ ...paramsOf(request), ...quoted }, request);
}

function sentAs(answer: FetchAnswer | undefined, context: Context): Outcome {
  const id = integerMember(answer?.json(), 'result', 'timestamp');
  if (answer?.status !== 200 || id === undefined || !hasSuccess(answer)) {
    return sentUnlessRefused(answer, classifyFailure(answer, context));
  }
  const failures = failuresIn(answer);
  if (failures.length === 0) return { outcome: 'sent', id };
  const types = [...new Set(failures)].join(', ');
  return { outcome: 'sent', id, detail: `${failures.length} members did not get it: ${types}` };
}

function headersOf({ credentials: { secret = '' } }: Context): Record<string, string> {
  const login = Buffer.from(secret).toString('base64');
  return secret === '' ? {} : { authorization: `Basic ${login}` };
}

/** Undefined when the address is malformed, or there is no account. */
async function call(
  method: string,
  params: object,
  context: Context,
  maxBytes?: number,
): Promise<FetchAnswer | undefined> {
  const { address = '', username = '' } = context.credentials;
  const base = serverAddress(address);
  if (base === undefined || username === '') return undefined;
  return context.fetch(`${base}/api/v1/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headersOf(context) },
    body: JSON.stringify({ jsonrpc: '2.0', id: '1', method, params }),
    ...(maxBytes !== undefined && { maxBytes }),
  });
}

function refusedStream(status: number): Failure {
  const detail = `signal-cli answered ${status} to the request for events`;
  const code = String(status);
  // 400: the daemon does not have the account.
  if ([400, 401, 403, 404, 421].includes(status)) {
    return { outcome: 'permanent', blame: 'credentials', detail, code };
  }
  return { outcome: 'transient', maybeSent: false, detail, code };
}
