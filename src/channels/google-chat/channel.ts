import { AccessToken } from '../../lib/crypto/access-token.ts';
import { idempotencyKey } from '../../lib/crypto/idempotency-key.ts';
import type { FetchAnswer, FetchRequest } from '../../lib/http/fetch.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { jsonBytes } from '../../lib/json/json-length.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import { INDENTED_LINE } from '../../lib/rich-text/accidental-formats.ts';
import { payloadOf } from '../../model/button.ts';
import {
  type Button,
  type Channel,
  type Context,
  type Failure,
  type MediaPart,
  type Unsupported,
  type VendorRequest,
  denied,
  isFailure,
  matching,
} from '../channel.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { GOOGLE_CHAT_CREDENTIALS } from './credentials.ts';
import { classifyFailure, statusIn } from './errors.ts';
import { readChatEvent } from './events.ts';
import { GOOGLE_CHAT_OPTIONS, withChatOptions } from './options.ts';
import { type ServiceAccount, requestServiceAccountToken, readKeyFile } from './service-account.ts';
import { toChatMarkdown } from './text.ts';
import { faultOfChatRequest } from './verify.ts';

/*
 * Google Chat API. https://developers.google.com/workspace/chat/create-messages
 * A message has up to 32,000 bytes in total. 60 writes a minute per space, shared by all apps, and 3,000 a minute per
 * project: https://developers.google.com/workspace/chat/limits
 * Addresses: spaces/AAAA. An app sends as a service account; an incoming webhook sends to its own space only, and can
 * edit nothing: https://developers.google.com/workspace/chat/quickstart/webhooks
 * Text is Markdown on request: https://developers.google.com/workspace/chat/format-messages
 * Only users can upload files; cards show images from their URLs.
 * An app may be a Workspace add-on: it sends the same requests, but receives events in another format, with another
 * token. Compared on 2026-11-17 with https://developers.google.com/workspace/chat/verify-requests-from-chat and
 * https://developers.google.com/workspace/add-ons/chat/build.
 */
export const googleChat: Channel = {
  name: 'google-chat',
  title: 'Google Chat',
  category: 'team-chat',
  summary: 'An app or a webhook in the spaces of Google Workspace.',
  keywords: ['gchat', 'hangouts', 'g suite', 'workspace', 'team'],
  docs: 'https://developers.google.com/workspace/chat/create-messages',
  dashboard: 'https://console.cloud.google.com',
  credentials: GOOGLE_CHAT_CREDENTIALS,
  needs: [['address'], ['token'], ['consumer_key', 'consumer_secret']],
  needNames: ['Webhook', 'Key file', 'Email and key'],
  recipient: {
    format: 'the name of a space, spaces/…',
    example: 'spaces/AAAAqWB1Abc',
    validate: matching(
      /^spaces\/[A-Za-z0-9_-]{1,128}$/,
      'must be the name of a space, such as spaces/AAAAqWB1Abc',
    ),
  },
  limits: [
    {
      what: '32,000 bytes per message',
      link: 'https://developers.google.com/workspace/chat/create-messages',
    },
    {
      what: '60 writes per minute in a space (all apps together), 3,000 messages per minute for a project',
      link: 'https://developers.google.com/workspace/chat/limits',
    },
  ],
  url: 'https://chat.googleapis.com/v1',
  // The rest of 32,000 is for the other fields of a message.
  text: {
    max: 30_000,
    unit: 'bytes',
    measure: jsonBytes,
    write: toChatMarkdown,
    formats: () => [INDENTED_LINE],
    shows: ['lists'],
  },
  renderers: {
    text: ({ text }, { recipient }) => messageTo(recipient, text),
    image: {
      maxCaptionLength: 26_000,
      compose: (part, { recipient }) =>
        unsupportedImage(part) ??
        withWidget(messageTo(recipient, part.caption.text), {
          image: { imageUrl: part.url, altText: (part.name ?? 'image').slice(0, 200) },
        }),
    },
    buttons: {
      max: 20,
      maxLabelLength: 80,
      kinds: ['link', 'reply'],
      withMedia: true,
      add: addButtons,
    },
    reply: inThread,
    thread: inThread,
    options: withChatOptions,
  },
  options: GOOGLE_CHAT_OPTIONS,
  pace: {
    integration: { count: 3000, seconds: 60, burst: 50 },
    recipient: () => 1,
  },
  idempotent: true,

  async send({ call: path = '', body }, { key }, context) {
    const query = new URLSearchParams({
      requestId: idempotencyKey(key, body),
      fields: 'name,thread(name)',
      ...('thread' in body && { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' }),
    });
    const answer = await call(
      'POST',
      `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`,
      body,
      context,
    );
    return sentAs(answer) ?? sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  async edit({ id }, { body }, context) {
    const { thread: _, ...change } = body;
    const whole = { text: '', cardsV2: [], ...change };
    const path = `${nameIn(id)}?updateMask=text,cardsV2&fields=name`;
    const answer = await call('PATCH', path, whole, context);
    if (sentAs(answer)) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, classifyFailure(answer, context, 'message'), id);
  },

  async remove({ id }, context) {
    const answer = await call('DELETE', nameIn(id), undefined, context);
    const isGone =
      'status' in answer && (answer.status === 200 || statusIn(answer) === 'NOT_FOUND');
    if (isGone) return { outcome: 'sent' };
    return sentUnlessRefused(answer, classifyFailure(answer, context, 'message'));
  },

  async check(context) {
    const auth = authMethodOf(context);
    if (isFailure(auth)) return auth;
    if ('webhook' in auth) {
      // A webhook has no identity to query. An empty message is refused, but only after the webhook is recognized.
      const answer = await call('POST', `${auth.space}/messages?fields=name`, {}, context);
      const isRecognized = 'status' in answer && statusIn(answer) === 'INVALID_ARGUMENT';
      const failure = classifyFailure(answer, context);
      const isToBlame = failure.outcome === 'permanent' && failure.blame === 'credentials';
      return isRecognized && !isToBlame
        ? { outcome: 'known', as: `the webhook of ${auth.space}`, account: auth.space }
        : failure;
    }
    const answer = await call('GET', 'spaces?pageSize=1&fields=nextPageToken', undefined, context);
    if (!('status' in answer) || answer.status !== 200 || answer.json() === undefined) {
      return classifyFailure(answer, context);
    }
    return 'account' in auth
      ? { outcome: 'known', as: auth.account.email }
      : { outcome: 'known', as: 'a Google Chat app', account: null };
  },

  hook: {
    needs: [['username']],
    setup:
      'At console.cloud.google.com, open Google Chat API > Configuration. Turn on interactive features, and enter the URL under Connection settings > HTTP endpoint URL. For Authentication Audience, choose Project Number; Workspace add-ons do not have this option.',

    verify: (request, context) => faultOfChatRequest(request, context, googleChat.url),
    parse: ({ body }) => readChatEvent(jsonBody(body)),
    answer: () => ({ text: '{}', type: 'application/json' }),
  },

  /** https://developers.google.com/workspace/chat/api/reference/rest/v1/media/download */
  async media(reference, context) {
    const auth = authMethodOf(context);
    const token = await bearerOf(auth, context);
    if (typeof token !== 'string') return token;
    const path = reference.split('/').map(encodeURIComponent).join('/');
    const headers = { authorization: `Bearer ${token}` };
    return { url: `${context.url}/media/${path}?alt=media`, headers };
  },
};

function messageTo(space: string, text: string): VendorRequest {
  // Without this, the markup depends on when the app was created.
  const content = text === '' ? {} : { text, markupSyntax: 'MARKUP_SYNTAX_MARKDOWN' };
  return { call: `${space}/messages`, body: content };
}

const IMAGE = /^image\/(?:png|jpe?g|gif|webp|bmp)$/i;

function unsupportedImage({ url, mediaType }: MediaPart): Unsupported | undefined {
  if (mediaType !== undefined && !IMAGE.test(mediaType)) {
    return { unsupported: 'Google Chat does not show images of this type' };
  }
  const isFetched = /^https:\/\//i.test(url) && url.length <= 2000;
  return isFetched ? undefined : { unsupported: 'Google Chat shows images from https URLs only' };
}

/** All widgets of a message go on one card. */
function withWidget(vendorRequest: VendorRequest, widget: object): VendorRequest {
  const before = member(vendorRequest.body, 'cardsV2', '0', 'card', 'sections', '0', 'widgets');
  const others: unknown[] = Array.isArray(before) ? before : [];
  const widgets = [...others, widget];
  const card = { cardId: 'card', card: { sections: [{ widgets }] } };
  return { ...vendorRequest, body: { ...vendorRequest.body, cardsV2: [card] } };
}

/** The rest of 32,000 is for the name of a thread. */
const MAX_BYTES_WITH_BUTTONS = 30_500;

function addButtons(
  vendorRequest: VendorRequest,
  buttons: readonly Button[],
): VendorRequest | Unsupported {
  const added = withWidget(vendorRequest, { buttonList: { buttons: buttons.map(toButton) } });
  return Buffer.byteLength(JSON.stringify(added.body)) > MAX_BYTES_WITH_BUTTONS
    ? {
        unsupported:
          'Google Chat accepts at most 32,000 bytes per message, including buttons and thread',
      }
    : added;
}

function toButton(button: Button): object {
  const { name, url } = button;
  const parameters = [
    { key: 'name', value: name },
    { key: 'value', value: payloadOf(button) },
  ];
  const action = { function: 'reply', parameters };
  return { text: name, onClick: url === undefined ? { action } : { openLink: { url } } };
}

/** Our ids have the thread after a colon. An id that is not a Google resource name is a thread key of ours. */
function inThread(vendorRequest: VendorRequest, id: string): VendorRequest {
  const [name] = /spaces\/[\w-]+\/threads\/[\w-]+$/.exec(id) ?? [];
  const [, space, threadId] = /^(spaces\/[\w-]+)\/messages\/([\w-]+)\.[\w.-]+$/.exec(id) ?? [];
  const threadName = name ?? (threadId === undefined ? undefined : `${space}/threads/${threadId}`);
  const thread = threadName === undefined ? { threadKey: id.slice(0, 4000) } : { name: threadName };
  return { ...vendorRequest, body: { ...vendorRequest.body, thread } };
}

const nameIn = (id: string) => id.split(':', 1)[0] ?? '';

const invalidCredentials = (detail: string): Failure => ({
  outcome: 'permanent',
  blame: 'credentials',
  detail,
});

const HEADER = /^[\x21-\x7e]{1,4000}$/;
const WEBHOOK = /^https?:\/\/[^\s@#?]+\/v1\/(?<space>spaces\/[\w-]{1,128})\/messages\?[^\s#]+$/;

type AuthMethod =
  | { account: ServiceAccount }
  | { token: string }
  | { webhook: string; space: string };

/** Prefers app credentials, since an app can do more than a webhook. */
function authMethodOf({ credentials }: Context): AuthMethod | Failure {
  const { token, address, consumer_key: email, consumer_secret: privateKey } = credentials;
  if (token?.trim().startsWith('{')) {
    const account = readKeyFile(token);
    return account ? { account } : invalidCredentials('invalid service account key file');
  }
  if (token) return HEADER.test(token) ? { token } : invalidCredentials('invalid access token');
  if (email && privateKey) return { account: { email, privateKey } };
  const { space } = WEBHOOK.exec(address ?? '')?.groups ?? {};
  const isSigned = /[?&]key=\w/.test(address ?? '') && /[?&]token=\w/.test(address ?? '');
  if (address === undefined || space === undefined || !isSigned) {
    return invalidCredentials('invalid Google Chat webhook URL');
  }
  return { webhook: address, space };
}

/** Rejects ids that would lead to another path. */
const PATH = /^spaces(?:\/[\w-]{1,128}\/messages(?:\/[\w.-]{1,200})?)?(?:\?[^#]*)?$/;

async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body: object | undefined,
  context: Context,
): Promise<FetchAnswer | Failure> {
  const { url, fetch } = context;
  const auth = authMethodOf(context);
  if (isFailure(auth)) return auth;
  if (!PATH.test(path) || path.includes('..')) {
    return { outcome: 'permanent', blame: 'content', detail: 'invalid Google Chat message ID' };
  }
  const request: FetchRequest = {
    method,
    ...(body && { headers: JSON_BODY, body: JSON.stringify(body) }),
  };
  if ('webhook' in auth) return throughWebhook(auth, method, path, request, context);
  const ask = async (token: string) =>
    fetch(`${url}/${path}`, {
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${token}` },
    });
  const token = await bearerOf(auth, context);
  if (typeof token !== 'string') return token;
  const answer = await ask(token);
  if (answer.status !== 401 || 'token' in auth) return answer;
  tokensOf(context).forget(token);
  const next = await bearerOf(auth, context);
  return typeof next === 'string' ? ask(next) : next;
}

const tokensOf = (context: Context) => context.resource(() => new AccessToken<Failure>());

async function bearerOf(auth: AuthMethod | Failure, context: Context): Promise<string | Failure> {
  if (isFailure(auth)) return auth;
  if ('webhook' in auth)
    return invalidCredentials('a webhook URL cannot fetch files; use a service account');
  if ('token' in auth) return auth.token;
  return tokensOf(context).get(context.clock.now(), () => issue(auth.account, context));
}

const JSON_BODY = { 'content-type': 'application/json; charset=UTF-8' };

/** The URL stays in one piece, so that it is redacted wherever it is logged. */
async function throughWebhook(
  { webhook, space }: { webhook: string; space: string },
  method: string,
  path: string,
  request: FetchRequest,
  { fetch }: Context,
): Promise<FetchAnswer | Failure> {
  const [to, query = ''] = path.split('?', 2);
  if (method !== 'POST') {
    const detail = 'a webhook URL cannot edit or delete messages; use a service account';
    return { outcome: 'permanent', blame: 'unsupported', detail };
  }
  if (to !== `${space}/messages`) {
    const detail = `the webhook can send to ${space} only`;
    return { outcome: 'permanent', blame: 'recipient', detail };
  }
  return fetch(`${webhook}&${query}`, request);
}

const SCOPE = 'https://www.googleapis.com/auth/chat.bot';

async function issue(account: ServiceAccount, { url, fetch, clock }: Context) {
  // A test server that replaces Google Chat replaces the token endpoint too.
  const endpoint = url === googleChat.url ? {} : { endpoint: `${url}/token` };
  const access = await requestServiceAccountToken(account, SCOPE, {
    now: clock.now(),
    fetch,
    ...endpoint,
  });
  if (!access) return invalidCredentials('invalid service account private key');
  return 'token' in access ? access : denied(access);
}

/** A success, with the names of the message and its thread. Undefined for other responses. */
function sentAs(answer: FetchAnswer | Failure): { outcome: 'sent'; id: string } | undefined {
  if (isFailure(answer) || answer.status !== 200) return undefined;
  const json = answer.json();
  const [name, thread] = [textMember(json, 'name'), textMember(json, 'thread', 'name')];
  if (name === undefined) return undefined;
  return { outcome: 'sent', id: thread === undefined ? name : `${name}:${thread}` };
}
