import { randomUUID } from 'node:crypto';

import { type FetchAnswer, type FetchRequest, beforehand } from '../lib/fetch.ts';
import { jsonBody } from '../lib/json-body.ts';
import { listMember, member, textMember } from '../lib/member.ts';
import { multipart, toFormFile } from '../lib/multipart.ts';
import { authorizeRequest } from '../lib/oauth1.ts';
import { type Rotated, RotatedToken, type Rotation } from '../lib/rotated-token.ts';
import {
  answerToChallenge,
  askForAppToken,
  isSignedByX,
  readActivities,
} from '../lib/twitter-hook.ts';
import type { Credentials } from '../model/integration.ts';
import {
  type Addressed,
  type Channel,
  type Check,
  type Context,
  type Failure,
  type MediaPart,
  type Unfit,
  type Wire,
  type WireFile,
  fileOf,
  matching,
  unsent,
} from './channel.ts';

/*
 * X (Twitter), direct messages. https://docs.x.com/x-api/direct-messages/manage/introduction
 * Text: 10,000 characters. 15 messages in 15 minutes and 1,440 in 24 hours for a user.
 * Addresses: numeric user ids, 1 to 19 digits. OAuth 1.0a takes the first four credentials; OAuth 2.0 an
 * access token that lasts two hours, and what renews it.
 * Pictures are uploaded: https://docs.x.com/x-api/media/upload-media. Films and moving pictures would have to be in
 * pieces, and wait until X has looked at them; they go as links. Nothing can be edited.
 */
export const twitter: Channel = {
  name: 'twitter',
  title: 'X (Twitter)',
  aliases: ['x'],
  docs: 'https://docs.x.com/x-api/direct-messages/manage/introduction',
  credentials: [
    {
      name: 'consumer_key',
      label: 'API key, or OAuth 2.0 client ID',
      help: 'At developer.x.com, choose your app, then Keys and tokens: API Key; for OAuth 2.0, Client ID.',
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'API key secret, or OAuth 2.0 client secret',
      help: 'At developer.x.com, choose your app, then Keys and tokens: API Key Secret; for OAuth 2.0, Client Secret. It also verifies what X sends to our hook.',
      secret: true,
    },
    {
      name: 'token',
      label: 'Access token',
      help: 'At developer.x.com, choose your app, then Keys and tokens, Access Token, with permission to send direct messages; for OAuth 2.0, a user token with dm.write.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Access token secret',
      help: 'OAuth 1.0a only: X shows it beside the access token, once.',
      secret: true,
    },
    {
      name: 'refresh',
      label: 'Refresh token',
      help: 'OAuth 2.0 only: comes with the user token when the scope offline.access was asked for.',
      secret: true,
    },
  ],
  needs: [
    ['consumer_key', 'consumer_secret', 'token', 'secret'],
    ['consumer_key', 'token', 'refresh'],
  ],
  recipient: {
    form: 'a numeric user id, not the @name',
    example: '2244994945',
    check: matching(/^\d{1,19}$/, 'must be a numeric user id, 1 to 19 digits, not the @name'),
  },
  limits: [
    {
      what: '10,000 characters of text',
      link: 'https://developer.x.com/en/docs/x-api/v1/direct-messages/sending-and-receiving/api-reference/new-event',
    },
    {
      what: '15 messages in 15 minutes and 1,440 in 24 hours',
      link: 'https://docs.x.com/x-api/fundamentals/rate-limits',
    },
    {
      what: '5 MB for a picture',
      link: 'https://docs.x.com/x-api/media/introduction',
    },
  ],
  url: 'https://api.x.com',
  text: { most: 10_000, measure: (text) => text.length },
  forms: {
    text: ({ text }, to) => messageTo(to, { text }),
    image: { caption: 10_000, compose: picture },
  },
  pace: { integration: { count: 15, seconds: 15 * 60, burst: 15 } },

  async send({ call: path = '', body, file }, _message, context) {
    const media = file && (await upload(file, context));
    if (media && typeof media !== 'string') return media;
    const attachments = media === undefined ? {} : { attachments: [{ media_id: media }] };
    const answer = await call('POST', path, context, { ...body, ...attachments });
    if ('outcome' in answer) return answer;
    const id = textMember(answer.json(), 'data', 'dm_event_id');
    return answer.status === 201 && id !== undefined
      ? { outcome: 'sent', id }
      : sort(answer, context);
  },

  async remove({ id }, context) {
    const answer = await call('DELETE', `dm_events/${encodeURIComponent(id)}`, context);
    if ('outcome' in answer) return answer;
    const isGone = answer.status === 404 || member(answer.json(), 'data', 'deleted') === true;
    return isGone ? { outcome: 'sent' } : sort(answer, context);
  },

  async check(context) {
    const answer = await call('GET', 'users/me', context);
    if ('outcome' in answer) return answer;
    const name = textMember(answer.json(), 'data', 'username');
    const isKnown = answer.status === 200 && name !== undefined;
    return isKnown ? { outcome: 'known', as: `@${name}` } : sort(answer, context);
  },

  hook: {
    needs: [['consumer_secret']],
    setup: 'At developer.x.com, choose your app: Webhooks, Add; and subscribe the account to it.',
    verify({ method, query, body, header }, { credentials: { consumer_secret: secret = '' } }) {
      const isGenuine =
        method === 'GET'
          ? answerToChallenge(query.get('crc_token'), secret) !== undefined
          : isSignedByX(body, header('x-twitter-webhooks-signature'), secret);
      return isGenuine ? undefined : 'it is neither a challenge nor signed by X';
    },
    parse: ({ method, body }) => (method === 'GET' ? [] : readActivities(jsonBody(body))),
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
      const detail = 'this is no address of media at X';
      return Promise.resolve({ outcome: 'permanent', blame: 'content', detail });
    }
    // Only what was sent by message is for the one it was sent to, and for OAuth 1.0a.
    if (!hostname.startsWith('ton.')) return Promise.resolve({ url: reference });
    if (secret === undefined) {
      const detail = 'X gives media of messages to those with OAuth 1.0a only';
      return Promise.resolve({ outcome: 'permanent', blame: 'unsupported', detail });
    }
    const authorization = signed('GET', reference, context);
    return Promise.resolve({ url: reference, headers: { authorization } });
  },
};

/** The app has a hook, and the account is subscribed to it. https://docs.x.com/x-api/webhooks/quickstart */
async function register(address: string, context: Context): Promise<Check> {
  const { consumer_key: key = '', consumer_secret = '', secret } = context.credentials;
  if (secret === undefined || consumer_secret === '') {
    const detail = 'X takes addresses with the keys of OAuth 1.0a only';
    return { outcome: 'permanent', blame: 'unsupported', detail };
  }
  const token = await askForAppToken(context.url, key, consumer_secret, context.fetch);
  if (typeof token !== 'string') return sort(token, context);
  const hooks = `${context.url}/2/webhooks`;
  const made = await context.fetch(hooks, request('POST', `Bearer ${token}`, { url: address }));
  // A hook that is there already is told to those who ask.
  const known =
    made.status < 300 ? made : await context.fetch(hooks, request('GET', `Bearer ${token}`));
  const data =
    made.status < 300
      ? [member(made.json(), 'data') ?? made.json()]
      : listMember(known.json(), 'data');
  const id = textMember(
    data.find((each) => textMember(each, 'url') === address),
    'id',
  );
  if (id === undefined) return sort(made, context);
  const path = `account_activity/webhooks/${encodeURIComponent(id)}/subscriptions/all`;
  const answer = await call('POST', path, context);
  if ('outcome' in answer) return answer;
  const isDone = answer.status < 300 || /already/i.test(answer.text);
  return isDone ? { outcome: 'known', as: `webhook ${id}` } : sort(answer, context);
}

function messageTo({ recipient }: Addressed, body: object): Wire {
  return { call: `dm_conversations/with/${recipient}/messages`, body: { ...body } };
}

/** By what it is said to be, or is called; what nothing is said of is tried. */
function picture(part: MediaPart, to: Addressed): Wire | Unfit {
  const { url, mediaType, caption } = part;
  const [, extension] = /\.(\w{1,8})$/.exec(URL.parse(url)?.pathname ?? '') ?? [];
  const kind = mediaType?.replace(/^image\//i, '') ?? extension ?? 'png';
  if (!/^(png|jpe?g|webp)$/i.test(kind)) return { unfit: 'X takes pictures in PNG, JPEG and WebP' };
  return {
    ...messageTo(to, caption.text === '' ? {} : { text: caption.text }),
    file: fileOf(part),
  };
}

const LARGEST_PICTURE = 5_000_000;

/** The id of the picture; or why there is none. */
async function upload(file: WireFile, context: Context): Promise<string | Failure> {
  const downloaded = await context.download(file.url, { most: LARGEST_PICTURE });
  if ('outcome' in downloaded) return downloaded;
  const form = multipart([
    ['media_category', 'dm_image'],
    ['media', toFormFile(file, downloaded)],
  ]);
  const answer = await beforehand(async () => call('POST', 'media/upload', context, form));
  if ('outcome' in answer) return answer;
  const id = textMember(answer.json(), 'data', 'id');
  if (answer.status < 300 && id !== undefined) return id;
  const failure = unsent(sort(answer, context));
  const isRefused = failure.outcome === 'permanent' && failure.blame === 'recipient';
  return isRefused ? { ...failure, blame: 'unsupported' } : failure;
}

type Form = ReturnType<typeof multipart>;
type Said = FetchAnswer | Failure;
type Method = 'GET' | 'POST' | 'DELETE';

/** What was answered; or why nothing was asked. */
async function call(
  method: Method,
  path: string,
  context: Context,
  body?: object | Form,
): Promise<Said> {
  const url = `${context.url}/2/${path}`;
  const ask = async (authorization: string) =>
    context.fetch(url, request(method, authorization, body));
  const { token, secret, refresh = '' } = context.credentials;
  if (!USED.every((name) => KEY.test(context.credentials[name] ?? 'none'))) return unlikely();
  if (secret !== undefined) return ask(signed(method, url, context));
  const tokens = context.keep(() => new RotatedToken<Failure>(token, refresh));
  const first = await tokens.get(rotation(context));
  if (typeof first !== 'string') return first;
  const answer = await ask(`Bearer ${first}`);
  if (answer.status !== 401) return answer;
  tokens.forget(first);
  const second = await tokens.get(rotation(context));
  return typeof second === 'string' ? ask(`Bearer ${second}`) : second;
}

const USED = ['consumer_key', 'consumer_secret', 'token', 'secret', 'refresh'] as const;
const KEY = /^[\x21-\x7e]{1,1000}$/;

function unlikely(): Failure {
  const detail = 'there are characters in these keys and tokens that X does not use';
  return { outcome: 'permanent', blame: 'credentials', detail };
}

function request(method: Method, authorization: string, body?: object | Form): FetchRequest {
  if (!body) return { method, headers: { authorization } };
  if ('headers' in body) return { ...body, method, headers: { authorization, ...body.headers } };
  const headers = { authorization, 'content-type': 'application/json' };
  return { method, headers, body: JSON.stringify(body) };
}

/** https://docs.x.com/fundamentals/authentication/oauth-1-0a/creating-a-signature; what is in a body is not signed. */
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

/** https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token */
function rotation(context: Context): Rotation<Failure> {
  return {
    now: context.clock.now(),
    ask: async (refresh) => {
      const asking = { ...refreshRequest(refresh, context.credentials), isPrivate: true } as const;
      // It was not the message that perhaps arrived.
      const answer = await beforehand(async () =>
        context.fetch(`${context.url}/2/oauth2/token`, asking),
      );
      return rotated(answer, refresh) ?? refused(answer, context);
    },
    store: async (token, refresh) => {
      try {
        await context.renew({ token, refresh });
      } catch {
        const detail = 'the new token could not be stored; another is asked for';
        return { outcome: 'transient', perhapsSent: false, detail };
      }
    },
  };
}

/** An app that can keep a secret says it; any other names itself. */
function refreshRequest(
  refresh: string,
  { consumer_key: id = '', consumer_secret: secret }: Credentials,
): FetchRequest {
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refresh });
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
  if (secret === undefined) form.set('client_id', id);
  else headers['authorization'] = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  return { method: 'POST', headers, body: form.toString() };
}

const TWO_HOURS = 7200;

function rotated(answer: FetchAnswer, before: string): Rotated | undefined {
  const json = answer.json();
  const token = textMember(json, 'access_token');
  if (answer.status !== 200 || token === undefined || !KEY.test(token)) return undefined;
  const seconds = Number(member(json, 'expires_in') ?? TWO_HOURS);
  return { token, refresh: textMember(json, 'refresh_token') ?? before, seconds };
}

/** No message was sent yet, and none can be blamed. */
function refused(answer: FetchAnswer, context: Context): Failure {
  const failure = sort(answer, context);
  if (failure.outcome === 'limited') return failure;
  const { detail, code = '' } = failure;
  return answer.status >= 400 && answer.status < 500
    ? { outcome: 'permanent', blame: 'credentials', detail, code }
    : { outcome: 'transient', perhapsSent: false, detail, code };
}

/** Of a day, and of a quarter of an hour: the first that is used up says when it is over. */
const WINDOWS = ['x-user-limit-24hour', 'x-app-limit-24hour', 'x-rate-limit'];

function secondsToWait(answer: FetchAnswer, now: number): number | undefined {
  const used = WINDOWS.find((name) => answer.header(`${name}-remaining`) === '0');
  const reset = Number(answer.header(`${used ?? 'x-rate-limit'}-reset`) ?? Number.NaN);
  return Number.isFinite(reset) ? Math.max(0, Math.ceil(reset - now / 1000)) : undefined;
}

/** What the app may not do, whoever the message is for. */
const OF_APP = /client-forbidden|client-not-enrolled|oauth1-permissions|unsupported-authentication/;

/** What an answer means that is no success. https://docs.x.com/x-api/fundamentals/response-codes-and-errors */
function sort(answer: FetchAnswer, { clock }: Context): Failure {
  const { status } = answer;
  const json = answer.json();
  const type = textMember(json, 'type') ?? '';
  const [own] = /[\w-]+$/.exec(type.startsWith('http') ? type : '') ?? [];
  const code = own ?? textMember(json, 'error') ?? String(status);
  const errors = member(json, 'errors');
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const said =
    textMember(json, 'detail') ??
    textMember(json, 'error_description') ??
    textMember(first, 'message') ??
    textMember(json, 'message') ??
    textMember(json, 'title');
  const detail = said ?? `X answered ${status} without a reason`;
  if (status === 429) {
    const seconds = secondsToWait(answer, clock.now());
    const wait = seconds === undefined ? {} : { seconds };
    return { outcome: 'limited', whom: 'integration', ...wait, detail, code };
  }
  if (status >= 500 || status < 400 || (said === undefined && status !== 401)) {
    const surely = status === 503 || (status >= 300 && status < 500);
    return { outcome: 'transient', perhapsSent: !surely, detail, code };
  }
  const permanent = { outcome: 'permanent', detail, code } as const;
  if (status === 401 || OF_APP.test(type)) return { ...permanent, blame: 'credentials' };
  const isAbout = status === 403 || status === 404 || /participant/.test(answer.text);
  return { ...permanent, blame: isAbout ? 'recipient' : 'content' };
}
