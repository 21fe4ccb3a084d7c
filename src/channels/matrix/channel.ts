import { randomUUID } from 'node:crypto';

import { type Access, AccessToken } from '../../lib/crypto/access-token.ts';
import { type FetchRequest, beforeSending } from '../../lib/http/fetch.ts';
import { MEDIA_TYPE } from '../../lib/http/multipart.ts';
import { integerMember, textMember } from '../../lib/json/json-member.ts';
import { serverAddress } from '../../lib/net/server-address.ts';
import { toHtmlBlocks } from '../../lib/rich-text/html.ts';
import type { Credentials } from '../../model/integration.ts';
import {
  type Channel,
  type Context,
  type Failure,
  type RequestFile,
  type Unsupported,
  type VendorRequest,
  isFailure,
  unsent,
} from '../channel.ts';
import { SERVER_URL } from '../credential-formats.ts';
import { foreignAnswer, isSuccess } from '../unexpected-success.ts';
import {
  MATRIX_OPTIONS,
  fileOfEvent,
  mediaContent,
  placeContent,
  replacement,
  textContent,
  withMatrixOptions,
} from './content.ts';
import { type ParsedResponse, type MatrixCall, DirectRooms, whoami } from './direct.ts';
import { classifyFailure } from './errors.ts';
import { isAddress, parseId, parseMxc, sentAs } from './ids.ts';
import { asReply, inThread } from './relations.ts';
import { MatrixSync } from './sync.ts';
import { bytesInEvent } from './text.ts';

/*
 * Matrix client-server API.
 * https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid
 * An event has up to 65,536 bytes, including what the homeserver adds. The homeserver sets the rate limit. Addresses:
 * room ids, with a server name or (from room version 12) without, and user ids; 255 bytes. Media must be uploaded to
 * a homeserver (mxc://…): https://spec.matrix.org/latest/client-server-api/#content-repository
 */
export const matrix: Channel = {
  name: 'matrix',
  title: 'Matrix',
  category: 'team-chat',
  summary: 'An account in rooms on any Matrix homeserver.',
  keywords: ['element', 'synapse', 'self-hosted', 'community'],
  aliases: ['gitter'],
  docs: 'https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid',
  credentials: [
    {
      name: 'address',
      label: 'Homeserver URL',
      help: 'The URL of the client API, such as https://matrix.example.org. In Element: All settings > Help & About > Homeserver.',
      secret: false,
      format: SERVER_URL,
    },
    {
      name: 'token',
      label: 'Access token',
      help: 'In Element, sign in as the bot and open All settings > Help & About > Access Token. For an application service, its as_token.',
      secret: true,
    },
    {
      name: 'username',
      label: 'User ID',
      help: 'The full ID of the bot, such as @bot:example.org.',
      secret: false,
      format: { pattern: /^@[^\s:]+:\S+$/, hint: 'User IDs look like @bot:example.org.' },
    },
    {
      name: 'secret',
      label: 'Homeserver token',
      help: 'For application services only: hs_token in the registration file. The service then acts as the User ID.',
      secret: true,
    },
    {
      name: 'refresh',
      label: 'Refresh token',
      help: 'Only if access tokens expire: refresh_token in the login response.',
      secret: true,
    },
  ],
  needs: [['token', 'address']],
  recipient: {
    format: 'a room ID (!…) or a user ID (@name:server)',
    example: '!AbCdEfGhIjKlMnOpQr:example.org',
    validate: (id) =>
      isAddress(id)
        ? undefined
        : 'must be a room ID (!…) or a user ID (@name:server), at most 255 bytes',
  },
  limits: [
    {
      what: '65,536 bytes per event',
      link: 'https://spec.matrix.org/latest/client-server-api/#size-limits',
    },
    {
      what: 'a rate set by the homeserver',
      link: 'https://spec.matrix.org/latest/client-server-api/#rate-limiting',
    },
    {
      what: 'a file size set by the homeserver',
      link: 'https://spec.matrix.org/latest/client-server-api/#get_matrixclientv1mediaconfig',
    },
  ],
  text: {
    max: 60_000,
    unit: 'bytes',
    measure: bytesInEvent,
    write: (rich) => toHtmlBlocks(rich, HTML),
    shows: ['lists', 'tables', 'headings'],
  },
  renderers: {
    text: textContent,
    image: mediaContent('m.image'),
    video: mediaContent('m.video'),
    audio: mediaContent('m.audio'),
    document: mediaContent('m.file'),
    place: placeContent,
    reply: (vendorRequest, id) => withBody(vendorRequest, asReply(vendorRequest.body, id)),
    thread: (vendorRequest, id) => withBody(vendorRequest, inThread(vendorRequest.body, id)),
    options: withMatrixOptions,
  },
  options: MATRIX_OPTIONS,
  // By transaction id.
  idempotent: true,

  async send({ body, file }, { key, recipient }, context) {
    const { direct } = stateOf(context);
    const content = await withUpload(body, file, context);
    if (content.outcome !== 'answered') return content;
    const isPerson = recipient.startsWith('@');
    const room = isPerson
      ? await direct.find(recipient, context.clock.now(), callWith(context))
      : recipient;
    if (typeof room !== 'string') return unsent(room);
    const answer = await put(room, key, content.value, context);
    if (answer.outcome === 'answered') return sentAs(room, answer.value);
    if (isPerson) direct.doubt(recipient);
    return answer;
  },

  // https://spec.matrix.org/latest/client-server-api/#event-replacements
  async edit(earlier, { body, file }, context) {
    const { room, event } = parseId(earlier.id, earlier.recipient);
    const state = file?.isKept ? await fileIn(room, event, context) : undefined;
    const whole = state ? asAnswered({ ...body, ...state }) : await withUpload(body, file, context);
    if (whole.outcome !== 'answered') return whole;
    const change = replacement(event, whole.value);
    // Repeating an edit is harmless; a key derived from the text would prevent restoring an earlier text.
    const answer = await put(room, randomUUID(), change, context);
    return answer.outcome === 'answered' ? { outcome: 'sent', id: earlier.id } : answer;
  },

  async remove(earlier, context) {
    const { room, event } = parseId(earlier.id, earlier.recipient);
    const path = `rooms/${encode(room)}/redact/${encode(event)}/${randomUUID()}`;
    const answer = await callWith(context)('PUT', path, (json) => json ?? {}, {});
    const isDone = answer.outcome === 'answered' || answer.code === 'M_NOT_FOUND';
    return isDone ? { outcome: 'sent' } : answer;
  },

  async check(context) {
    const self = await whoami(callWith(context));
    if (self.outcome === 'answered') return { outcome: 'known', as: self.value };
    // The check has no recipient, so the credentials must be at fault.
    return self.outcome === 'permanent' ? { ...self, blame: 'credentials' } : self;
  },

  receipts: ['read'],

  async listen(context) {
    const sync = new MatrixSync(callWith(context), () => context.connected());
    return sync.run(context.cursor, async (inboundEvents, since) =>
      context.emit(inboundEvents, since),
    );
  },

  /** https://spec.matrix.org/latest/client-server-api/#get_matrixclientv1mediadownloadservernamemediaid */
  async media(reference, context) {
    const file = parseMxc(reference);
    if (!file)
      return { outcome: 'permanent', blame: 'content', detail: 'invalid Matrix file reference' };
    const base = serverAddress(context.credentials.address ?? '');
    if (base === undefined) return NO_SERVER;
    const token = await tokenOf(base, context);
    if (typeof token !== 'string') return token;
    const path = `_matrix/client/v1/media/download/${encode(file.server)}/${encode(file.media)}`;
    return { url: `${base}/${path}`, headers: { authorization: `Bearer ${token}` } };
  },
};

/** https://spec.matrix.org/latest/client-server-api/#mroommessage-msgtypes */
const HTML = { newline: '<br>', tables: true, headings: 6 };

const withBody = (
  vendorRequest: VendorRequest,
  body: VendorRequest['body'] | undefined,
): VendorRequest | Unsupported =>
  body
    ? { ...vendorRequest, body }
    : { unsupported: 'Matrix message IDs are event IDs, which start with $' };

type Content = ParsedResponse<VendorRequest['body']> | Failure;

const asAnswered = (value: VendorRequest['body']): Content => ({ outcome: 'answered', value });

/** https://spec.matrix.org/latest/client-server-api/#get_matrixclientv3roomsroomideventeventid */
async function fileIn(room: string, event: string, context: Context) {
  const path = `rooms/${encode(room)}/event/${encode(event)}`;
  const answer = await beforeSending(async () => callWith(context)('GET', path, fileOfEvent));
  return answer.outcome === 'answered' ? answer.value : undefined;
}

/** The content of an event, after uploading its file, if any. */
async function withUpload(
  body: VendorRequest['body'],
  file: RequestFile | undefined,
  context: Context,
): Promise<Content> {
  if (!file) return { outcome: 'answered', value: body };
  const downloaded = await context.download(file.url, { maxBytes: Number.POSITIVE_INFINITY });
  if (isFailure(downloaded)) return downloaded;
  const { bytes } = downloaded;
  const mimetype = MEDIA_TYPE.test(file.mediaType ?? '') ? file.mediaType : downloaded.mediaType;
  const uploaded = await beforeSending(async () =>
    upload(bytes, `${mimetype}`, file.name, context),
  );
  if (uploaded.outcome !== 'answered') return refusedUpload(uploaded);
  const info = { mimetype, size: bytes.length };
  return { outcome: 'answered', value: { ...body, info, url: uploaded.value } };
}

/** Nothing was sent yet, so the recipient cannot be at fault. */
function refusedUpload(failure: Failure): Failure {
  const isRefused = failure.outcome === 'permanent' && failure.blame === 'recipient';
  return isRefused ? { ...failure, blame: 'unsupported' } : unsent(failure);
}

/** https://spec.matrix.org/latest/client-server-api/#post_matrixmediav3upload */
async function upload(bytes: Uint8Array, type: string, name = 'file', context: Context) {
  const path = `_matrix/media/v3/upload?filename=${encode(name)}`;
  return authorizedCall(context, path, uriIn, (authorization) => ({
    method: 'POST',
    headers: { authorization, 'content-type': type },
    body: bytes,
  }));
}

function uriIn(json: unknown): string | undefined {
  const uri = textMember(json, 'content_uri');
  return uri !== undefined && /^mxc:\/\/[^/\s]+\/[\w-]+$/.test(uri) ? uri : undefined;
}

const encode = encodeURIComponent;

/** State kept between sends. */
class State {
  readonly access = new AccessToken<Failure>();
  readonly direct = new DirectRooms();
  /** Credentials issued by the homeserver in place of ours, and the token it last refused. */
  renewed: Credentials = {};
  refused: string | undefined;

  close(): void {
    this.access.close();
  }
}

const stateOf = (context: Context): State => context.resource(() => new State());

async function put(room: string, key: string, body: object, context: Context) {
  const path = `rooms/${encode(room)}/send/m.room.message/${encode(key)}`;
  return callWith(context)('PUT', path, (json) => textMember(json, 'event_id') ?? '', body);
}

const TOKEN = /^[\x21-\x7e]{1,4096}$/;

function callWith(context: Context): MatrixCall {
  return async (method, path, read, body, { tooLong, ...more } = {}) =>
    authorizedCall(
      context,
      `_matrix/client/v3/${path}`,
      read,
      (authorization) => ({
        method,
        headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        ...more,
      }),
      tooLong,
    );
}

/** Sends a request, and repeats it with a new token when the homeserver rejects the current one. */
async function authorizedCall<Value>(
  context: Context,
  path: string,
  read: (json: unknown) => Value | undefined,
  request: (authorization: string) => FetchRequest,
  tooLong?: () => void,
): Promise<ParsedResponse<Value> | Failure> {
  const { address = '', token: configured = '', refresh, username, secret } = context.credentials;
  const base = serverAddress(address);
  if (base === undefined) return NO_SERVER;
  if (!TOKEN.test(configured)) return credentialsFailure('invalid access token');
  const url = new URL(`${base}/${path}`);
  // An application service names the user it acts as.
  if (secret && username) url.searchParams.set('user_id', username);
  const call = async (token: string) => context.fetch(url.href, request(`Bearer ${token}`));
  const token = await tokenOf(base, context);
  if (typeof token !== 'string') return token;
  let answer = await call(token);
  if (textMember(answer.json(), 'errcode') === 'M_UNKNOWN_TOKEN' && refresh) {
    const state = stateOf(context);
    state.refused = token;
    state.access.forget(token);
    const other = await tokenOf(base, context);
    if (typeof other !== 'string') return other;
    answer = await call(other);
  }
  const isRead = isSuccess(answer) && !foreignAnswer(answer);
  const json = isRead ? answer.json() : undefined;
  // Also undefined if it has too many values.
  if (isRead && json === undefined) tooLong?.();
  const value = isRead ? read(json) : undefined;
  return value === undefined ? classifyFailure(answer, context) : { outcome: 'answered', value };
}

const NO_EXPIRY_SECONDS = 10 * 365 * 86_400;

/** A configured token is used until it is refused, since its lifetime is unknown. */
function tokenOf(base: string, context: Context) {
  const state = stateOf(context);
  const { token = '', refresh = '' } = { ...context.credentials, ...state.renewed };
  const isUsedUp = token === state.refused || token === state.renewed.token;
  return state.access.get(context.clock.now(), async () =>
    isUsedUp && refresh !== ''
      ? refreshed(refresh, state, base, context)
      : Promise.resolve({ token, seconds: NO_EXPIRY_SECONDS }),
  );
}

/** https://spec.matrix.org/latest/client-server-api/#post_matrixclientv3refresh */
async function refreshed(
  refresh: string,
  state: State,
  base: string,
  context: Context,
): Promise<Access | Failure> {
  const answer = await context.fetch(`${base}/_matrix/client/v3/refresh`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ refresh_token: refresh }),
    isPrivate: true,
  });
  const json = answer.json();
  const token = textMember(json, 'access_token');
  if (answer.status !== 200 || token === undefined) {
    return unsent(classifyFailure(answer, context));
  }
  state.renewed = { token, refresh: textMember(json, 'refresh_token') ?? refresh };
  // Stored before use: at the first use, the homeserver invalidates the old tokens.
  await context.storeCredentials(state.renewed);
  const lifetimeMs = Number(integerMember(json, 'expires_in_ms') ?? NO_EXPIRY_SECONDS * 1000);
  return { token, seconds: lifetimeMs / 1000 };
}

const NO_SERVER: Failure = credentialsFailure('invalid server address');

function credentialsFailure(detail: string): Failure {
  return { outcome: 'permanent', blame: 'credentials', detail };
}
