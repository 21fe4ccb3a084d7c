import { randomUUID } from 'node:crypto';

import { authorizeRequest } from '../../lib/crypto/oauth1.ts';
import { RotatedToken, type Rotation } from '../../lib/crypto/rotated-token.ts';
import { type FetchAnswer, type FetchRequest, beforeSending } from '../../lib/http/fetch.ts';
import type { multipart } from '../../lib/http/multipart.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { listMember, member, textMember } from '../../lib/json/json-member.ts';
import type { Credentials } from '../../model/integration.ts';
import {
  type Destination,
  type Channel,
  type Check,
  type Closable,
  type Context,
  type Failure,
  type MediaPart,
  type RequestFile,
  type Unsupported,
  type VendorRequest,
  fileOf,
  isFailure,
  matching,
  unsent,
} from '../channel.ts';
import { NOTHING } from '../inbound.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { KEY, refreshRequest, rotatedIn } from './access.ts';
import { classifyFailure } from './errors.ts';
import { answerToChallenge, requestAppToken, isSignedByX, readActivities } from './hook.ts';
import { Uploads, maxBytesFor, progressIn, refusalOf, toXMedia, uploadToX } from './media.ts';

/*
 * X (Twitter), legacy direct messages. https://docs.x.com/x-api/direct-messages/manage/introduction
 * X Chat is end-to-end encrypted and has its own API, https://docs.x.com/xchat/introduction (read on 2026-11-17),
 * which is not supported: messages there are neither received nor sent.
 * Text: 10,000 characters. 15 messages per 15 minutes and 1,440 per 24 hours per user.
 * Addresses: numeric user ids, 1 to 19 digits. OAuth 1.0a uses the first four credentials; OAuth 2.0 an access token
 * that lasts two hours, and its refresh token.
 * A message holds one image or video, uploaded first: https://docs.x.com/x-api/media/introduction. Other files and
 * locations are not supported, nor is editing.
 */
export const twitter: Channel = {
  name: 'twitter',
  title: 'X (Twitter)',
  category: 'chat',
  summary: 'Direct messages on X, formerly Twitter.',
  keywords: ['dm', 'tweet', 'x.com'],
  aliases: ['x'],
  docs: 'https://docs.x.com/x-api/direct-messages/manage/introduction',
  dashboard: 'https://developer.x.com',
  credentials: [
    {
      name: 'consumer_key',
      label: 'API key, or OAuth 2.0 client ID',
      help: 'At developer.x.com, choose your app, then Keys and tokens > API Key. For OAuth 2.0: Client ID.',
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'API key secret, or OAuth 2.0 client secret',
      help: 'At developer.x.com, choose your app, then Keys and tokens > API Key Secret. For OAuth 2.0: Client Secret. Also verifies webhook requests from X.',
      secret: true,
    },
    {
      name: 'token',
      label: 'Access token',
      help: 'At developer.x.com, choose your app, then Keys and tokens > Access Token, with permission to send direct messages. For OAuth 2.0: a user token with the scope dm.write.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Access token secret',
      help: 'OAuth 1.0a only. X shows it once, next to the access token.',
      secret: true,
    },
    {
      name: 'refresh',
      label: 'Refresh token',
      help: 'OAuth 2.0 only. Issued with the user token if you request the scope offline.access.',
      secret: true,
    },
  ],
  needs: [
    ['consumer_key', 'consumer_secret', 'token', 'secret'],
    ['consumer_key', 'token', 'refresh'],
  ],
  needNames: ['OAuth 1.0a', 'OAuth 2.0'],
  recipient: {
    format: 'a numeric user ID, not the @name',
    example: '2244994945',
    validate: matching(/^\d{1,19}$/, 'must be a numeric user ID, 1 to 19 digits, not the @name'),
  },
  limits: [
    {
      what: '10,000 characters of text',
      link: 'https://developer.x.com/en/docs/x-api/v1/direct-messages/sending-and-receiving/api-reference/new-event',
    },
    {
      what: '15 messages per 15 minutes and 1,440 per 24 hours',
      link: 'https://docs.x.com/x-api/fundamentals/rate-limits',
    },
    {
      what: '5 MB per image, 15 MB per animated GIF, 140 seconds per video',
      link: 'https://docs.x.com/x-api/media/quickstart/best-practices',
    },
  ],
  url: 'https://api.x.com',
  text: { max: 10_000, measure: (text) => text.length },
  renderers: {
    text: ({ text }, to) => messageTo(to, { text }),
    image: { maxCaptionLength: 10_000, compose: (part, to) => withMedia('image', part, to) },
    video: { maxCaptionLength: 10_000, compose: (part, to) => withMedia('video', part, to) },
  },
  pace: { integration: { count: 15, seconds: 15 * 60, burst: 15 } },

  async send({ call: path = '', body, file }, { key }, context) {
    const media = file && (await attach(file, key, context));
    if (media && typeof media !== 'string') return media;
    const attachments = media === undefined ? {} : { attachments: [{ media_id: media }] };
    const answer = await call('POST', path, context, { ...body, ...attachments });
    if (isFailure(answer)) return answer;
    const id = textMember(answer.json(), 'data', 'dm_event_id');
    if (answer.status !== 201 || id === undefined) {
      return sentUnlessRefused(answer, classifyFailure(answer, context));
    }
    stateOf(context).uploads.forget(key);
    return { outcome: 'sent', id };
  },

  async remove({ id }, context) {
    const answer = await call('DELETE', `dm_events/${encodeURIComponent(id)}`, context);
    if (isFailure(answer)) return answer;
    const isGone = answer.status === 404 || member(answer.json(), 'data', 'deleted') === true;
    if (isGone) return { outcome: 'sent' };
    return sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  async check(context) {
    const answer = await call('GET', 'users/me', context);
    if (isFailure(answer)) return answer;
    const name = textMember(answer.json(), 'data', 'username');
    const isKnown = answer.status === 200 && name !== undefined;
    return isKnown ? { outcome: 'known', as: `@${name}` } : classifyFailure(answer, context);
  },

  hook: {
    needs: [['consumer_secret']],
    setup: 'At developer.x.com, choose your app, then Webhooks > Add, and subscribe the account.',
    verify({ method, query, body, header }, { credentials: { consumer_secret: secret = '' } }) {
      const isGenuine =
        method === 'GET'
          ? answerToChallenge(query.get('crc_token'), secret) !== undefined
          : isSignedByX(body, header('x-twitter-webhooks-signature'), secret);
      return isGenuine ? undefined : 'neither a challenge nor signed by X';
    },
    parse: ({ method, body }) => (method === 'GET' ? [NOTHING] : readActivities(jsonBody(body))),
    answer({ method, query }, { credentials: { consumer_secret: secret = '' } }) {
      const text = answerToChallenge(query.get('crc_token'), secret);
      return method === 'GET' && text !== undefined ? { text, type: 'application/json' } : {};
    },
    register,
  },
  receipts: ['read'],

  media(reference, context) {
    const { protocol, hostname = '' } = URL.parse(reference) ?? {};
    const { secret } = context.credentials;
    if (protocol !== 'https:' || !/^(?:ton\.(?:twitter|x)|\w+\.twimg)\.com$/.test(hostname)) {
      const detail = 'not an X media URL';
      return Promise.resolve({ outcome: 'permanent', blame: 'content', detail });
    }
    // Only media sent in messages is private, and requires OAuth 1.0a.
    if (!hostname.startsWith('ton.')) return Promise.resolve({ url: reference });
    if (secret === undefined) {
      const detail = 'downloading message media requires OAuth 1.0a';
      return Promise.resolve({ outcome: 'permanent', blame: 'unsupported', detail });
    }
    const authorization = signed('GET', reference, context);
    return Promise.resolve({ url: reference, headers: { authorization } });
  },
};

/** Registers the app's webhook and subscribes the account to it. https://docs.x.com/x-api/webhooks/quickstart */
async function register(address: string, context: Context): Promise<Check> {
  const { consumer_key: key = '', consumer_secret = '', secret } = context.credentials;
  if (secret === undefined || consumer_secret === '') {
    const detail = 'registering a webhook requires OAuth 1.0a keys';
    return { outcome: 'permanent', blame: 'unsupported', detail };
  }
  const token = await requestAppToken(context.url, key, consumer_secret, context.fetch);
  if (typeof token !== 'string') return classifyFailure(token, context);
  const hooks = `${context.url}/2/webhooks`;
  const created = await context.fetch(hooks, request('POST', `Bearer ${token}`, { url: address }));
  // The list has a webhook that was registered before.
  const listed =
    created.status < 300 ? created : await context.fetch(hooks, request('GET', `Bearer ${token}`));
  const data =
    created.status < 300
      ? [member(created.json(), 'data') ?? created.json()]
      : listMember(listed.json(), 'data');
  const id = textMember(
    data.find((each) => textMember(each, 'url') === address),
    'id',
  );
  if (id === undefined) return classifyFailure(created, context);
  const path = `account_activity/webhooks/${encodeURIComponent(id)}/subscriptions/all`;
  const answer = await call('POST', path, context);
  if (isFailure(answer)) return answer;
  const isDone = answer.status < 300 || /already/i.test(answer.text);
  return isDone ? { outcome: 'known', as: `webhook ${id}` } : classifyFailure(answer, context);
}

function messageTo({ recipient }: Destination, body: object): VendorRequest {
  return { call: `dm_conversations/with/${recipient}/messages`, body: { ...body } };
}

function withMedia(
  kind: 'image' | 'video',
  part: MediaPart,
  to: Destination,
): VendorRequest | Unsupported {
  const unsupported = refusalOf(kind, part);
  if (unsupported !== undefined) return { unsupported };
  const { text } = part.caption;
  return { ...messageTo(to, text === '' ? {} : { text }), file: fileOf(part) };
}

/** State kept between sends. */
class State implements Closable {
  readonly tokens: RotatedToken<Failure>;
  readonly uploads = new Uploads();

  constructor({ token, refresh = '' }: Credentials) {
    this.tokens = new RotatedToken<Failure>(token, refresh);
  }

  close(): void {
    this.tokens.close();
  }
}

const stateOf = (context: Context) => context.resource(() => new State(context.credentials));

/** The media id, once X has processed it; or the failure. */
async function attach(file: RequestFile, key: string, context: Context): Promise<string | Failure> {
  const now = context.clock.now();
  const { uploads } = stateOf(context);
  const uploadedId = uploads.find(key, now);
  const answer = await beforeSending(async () =>
    uploadedId === undefined
      ? upload(file, context)
      : call('GET', `media/upload?command=STATUS&media_id=${uploadedId}`, context),
  );
  if (isFailure(answer)) return answer;
  const progress = progressIn(answer);
  if (!progress) return refusedMedia(answer, key, context);
  const { id, state } = progress;
  if (state === 'failed') {
    uploads.forget(key);
    return { outcome: 'permanent', blame: 'content', detail: progress.description };
  }
  if (state === 'ready') return id;
  const { seconds, description: detail } = progress;
  if (uploads.recordPending(key, id, now))
    return { outcome: 'limited', scope: 'message', seconds, detail };
  uploads.forget(key);
  return { outcome: 'transient', maybeSent: false, detail: `${detail}; processing takes too long` };
}

async function upload(file: RequestFile, context: Context): Promise<CallResult> {
  const downloaded = await context.download(file.url, { maxBytes: maxBytesFor(file) });
  if (isFailure(downloaded)) return downloaded;
  const media = toXMedia(file, downloaded);
  if (typeof media === 'string') return { outcome: 'permanent', blame: 'content', detail: media };
  return uploadToX(media, async (method, path, body) => call(method, path, context, body));
}

/** No message was sent yet, so the recipient cannot be at fault. */
function refusedMedia(answer: FetchAnswer, key: string, context: Context): Failure {
  const failure = unsent(classifyFailure(answer, context));
  if (failure.outcome !== 'permanent' || failure.blame === 'credentials') return failure;
  const { uploads } = stateOf(context);
  const { detail, code = '' } = failure;
  if (uploads.find(key, context.clock.now()) === undefined) {
    return failure.blame === 'recipient' ? { ...failure, blame: 'unsupported' } : failure;
  }
  // X no longer knows the media: the next attempt uploads it again.
  uploads.forget(key);
  return { outcome: 'transient', maybeSent: false, detail, code };
}

type Form = ReturnType<typeof multipart>;
type CallResult = FetchAnswer | Failure;
type Method = 'GET' | 'POST' | 'DELETE';

/** The response, or why no request was made. */
async function call(
  method: Method,
  path: string,
  context: Context,
  body?: object | Form,
): Promise<CallResult> {
  const url = `${context.url}/2/${path}`;
  const ask = async (authorization: string) =>
    context.fetch(url, request(method, authorization, body));
  const { secret } = context.credentials;
  if (!CREDENTIAL_NAMES.every((name) => KEY.test(context.credentials[name] ?? 'none')))
    return malformedCredentials();
  if (secret !== undefined) return ask(signed(method, url, context));
  const { tokens } = stateOf(context);
  const first = await tokens.get(rotation(context));
  if (typeof first !== 'string') return first;
  const answer = await ask(`Bearer ${first}`);
  if (answer.status !== 401) return answer;
  tokens.forget(first);
  const second = await tokens.get(rotation(context));
  return typeof second === 'string' ? ask(`Bearer ${second}`) : second;
}

const CREDENTIAL_NAMES = ['consumer_key', 'consumer_secret', 'token', 'secret', 'refresh'] as const;

function malformedCredentials(): Failure {
  const detail = 'invalid characters in the keys or tokens';
  return { outcome: 'permanent', blame: 'credentials', detail };
}

function request(method: Method, authorization: string, body?: object | Form): FetchRequest {
  if (!body) return { method, headers: { authorization } };
  if ('headers' in body) return { ...body, method, headers: { authorization, ...body.headers } };
  const headers = { authorization, 'content-type': 'application/json' };
  return { method, headers, body: JSON.stringify(body) };
}

/** https://docs.x.com/fundamentals/authentication/oauth-1-0a/creating-a-signature; the body is not signed. */
function signed(method: Method, url: string, { credentials, clock }: Context): string {
  const keys = {
    consumerKey: credentials.consumer_key ?? '',
    consumerSecret: credentials.consumer_secret ?? '',
    token: credentials.token ?? '',
    tokenSecret: credentials.secret ?? '',
  };
  const timestamp = Math.floor(clock.now() / 1000);
  return authorizeRequest(method, url, keys, {
    timestamp,
    nonce: randomUUID().replaceAll('-', ''),
  });
}

function rotation(context: Context): Rotation<Failure> {
  return {
    now: context.clock.now(),
    ask: async (refresh) => {
      const { consumer_key: id = '', consumer_secret: secret } = context.credentials;
      const tokenRequest = refreshRequest(refresh, { id, secret });
      // If this request fails, the message was not sent.
      const answer = await beforeSending(async () =>
        context.fetch(`${context.url}/2/oauth2/token`, tokenRequest),
      );
      return rotatedIn(answer, refresh) ?? refused(answer, context);
    },
    store: async (token, refresh) => {
      try {
        await context.storeCredentials({ token, refresh });
      } catch {
        const detail = 'storing the new token failed; the next attempt requests another';
        return { outcome: 'transient', maybeSent: false, detail };
      }
    },
  };
}

/** No message was sent yet, so the message cannot be at fault. */
function refused(answer: FetchAnswer, context: Context): Failure {
  const failure = classifyFailure(answer, context);
  if (failure.outcome === 'limited') return failure;
  const { detail, code = '' } = failure;
  return answer.status >= 400 && answer.status < 500
    ? { outcome: 'permanent', blame: 'credentials', detail, code }
    : { outcome: 'transient', maybeSent: false, detail, code };
}
