import { verify } from 'node:crypto';

import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import { parseJson } from '../../../lib/json/parse-json.ts';
import { readMarkdown } from '../../../lib/rich-text/readers.ts';
import type { Phone } from '../../phone.ts';
import { type ShownButton, type ShownContent, shownText } from '../../shown.ts';
import type { Simulator } from '../../simulator.ts';
import { fieldsIn } from '../../wire/fields.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { fileReply, showOnce } from '../files.ts';
import { fakeKey, fakePublicKey, publishedKey } from './fake-key.ts';
import { KEY_ID, PROJECT, chatEvents } from './google-chat-events.ts';

/*
 * Google Chat and Google's token endpoint, at least as strict as documented: fields that Google would silently ignore
 * are refused. https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages
 */
export const EMAIL = 'example@project.iam.gserviceaccount.com';
/** The key of the service account, as a file. */
export const KEY_FILE = JSON.stringify({
  type: 'service_account',
  private_key: fakeKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  client_email: EMAIL,
});

export const googleError = (code: number, status: string, message: string, more = {}): Reply => ({
  status: code,
  body: { error: { code, message, status, ...more } },
});

/** https://google.aip.dev/194 */
const quotaExceeded = (what: string, seconds: number) =>
  googleError(429, 'RESOURCE_EXHAUSTED', `Quota exceeded for ${what}.`, {
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` }],
  });

const invalid = (message: string) => googleError(400, 'INVALID_ARGUMENT', message);
const ok = (body: object): Reply => ({ status: 200, body });

export const googleChat: Simulator = {
  channel: 'google-chat',
  credentials: { token: KEY_FILE, username: PROJECT },
  people: [
    { address: 'spaces/dm-ada', name: 'Ada Example', userId: 'users/1000000000000000001' },
    { address: 'spaces/dm-grace', name: 'Grace Example', userId: 'users/1000000000000000002' },
    { address: 'spaces/AAAAqWB1Abc', name: 'Engines', isRoom: true },
  ],
  isRoom: (address) => address.startsWith('spaces/AAAA'),
  magicAddress: (number) => `spaces/fault-${number}`,

  recipientOf(request) {
    const { space, message } = routeOf(request);
    return request.method === 'POST' && message === undefined ? space : undefined;
  },

  async respond(request, phone) {
    const { method } = request;
    const { pathname, query, space, message } = routeOf(request);
    if (pathname === '/token' && method === 'POST') return issue(request, phone);
    const isKeys = pathname === '/jwk' || pathname === '/certs';
    if (isKeys && method === 'GET') return ok({ keys: [publishedKey(KEY_ID)] });
    const isWebhook = query.has('key');
    if (isWebhook && query.get('key') !== 'fake-key') {
      return invalid('API key not valid. Please pass a valid API key.');
    }
    if (!isWebhook && !isIssued(request, phone)) {
      return googleError(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    }
    const [, file] = /^\/media\/(\w{1,40})$/.exec(pathname) ?? [];
    if (file !== undefined && method === 'GET' && query.get('alt') === 'media') {
      return fileReply(await phone.file(file)) ?? googleError(404, 'NOT_FOUND', 'no such media');
    }
    if (pathname === '/spaces' && method === 'GET') return ok({});
    if (space === undefined) return { status: 404, body: '<html>' };
    const type = request.headers['content-type'] ?? '';
    if (request.text !== '' && type !== 'application/json; charset=UTF-8') return invalid(type);
    if (message !== undefined && !isWebhook) return change(request, phone);
    return method === 'POST' ? create(request, phone) : googleError(405, 'UNIMPLEMENTED', '');
  },

  refusals: {
    blocked: () =>
      googleError(403, 'PERMISSION_DENIED', 'This Chat app is not a member of this space.'),
    unknown: () => googleError(404, 'NOT_FOUND', 'Space not found.'),
    limited: (seconds) => quotaExceeded('writes per space', seconds),
    // A new token would not help, unlike after 401.
    credentials: () =>
      googleError(
        403,
        'PERMISSION_DENIED',
        `Google Chat API has not been used in project ${PROJECT} before or it is disabled.`,
      ),
  },

  /** https://developers.google.com/workspace/chat/limits */
  limits: [
    {
      count: 3_000,
      seconds: 60,
      per: 'account',
      refuse: (seconds) => quotaExceeded('message writes per minute per project', seconds),
    },
    { count: 60, seconds: 60, per: 'recipient' },
  ],
  reports: chatEvents,
};

const ROUTE = /^\/(spaces\/[\w-]{1,128})\/messages(?:\/([\w.-]{1,200}))?$/;

/** The path of a request, without the version that paths of incoming webhooks begin with. */
function routeOf({ path }: Request) {
  const { pathname: whole, searchParams: query } = new URL(path, 'http://localhost');
  const pathname = whole.replace(/^\/v1(?=\/)/, '');
  const [, space, message] = ROUTE.exec(pathname) ?? [];
  return { pathname, query, space, message };
}

const LIFETIME_SECONDS = 3599;

/** https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests */
function issue({ form }: Request, phone: Phone): Reply {
  if (form?.['grant_type'] !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
    return { status: 400, body: { error: 'unsupported_grant_type' } };
  }
  const fault = faultIn(form['assertion'] ?? '', phone.now());
  if (fault !== undefined) {
    return { status: 400, body: { error: 'invalid_grant', error_description: fault } };
  }
  const access_token = `fake-token.${phone.now()}.${phone.newId()}`;
  return ok({ access_token, expires_in: LIFETIME_SECONDS, token_type: 'Bearer' });
}

/** A token contains the time at which it was issued. */
function isIssued({ headers }: Request, phone: Phone): boolean {
  const { authorization = '' } = headers;
  const [, issued] = /^Bearer fake-token\.(\d{1,15})\.\w{1,40}$/.exec(authorization) ?? [];
  return issued !== undefined && phone.now() - Number(issued) < LIFETIME_SECONDS * 1000;
}

/** The fault in an assertion, if any. */
function faultIn(assertion: string, now: number): string | undefined {
  const [head = '', body = '', signature = ''] = assertion.split('.');
  const signed = Buffer.from(`${head}.${body}`);
  const isSigned = verify('sha256', signed, fakePublicKey, Buffer.from(signature, 'base64url'));
  if (!isSigned) return 'Invalid JWT Signature.';
  const claims = parseJson(Buffer.from(body, 'base64url').toString());
  const [issued, expires] = [Number(member(claims, 'iat')), Number(member(claims, 'exp'))];
  if (!(expires - issued <= 3600) || !(Math.abs(issued - now / 1000) <= 60)) return 'Invalid JWT';
  if (textMember(claims, 'aud') !== 'https://oauth2.googleapis.com/token') return 'Invalid aud';
  if (textMember(claims, 'iss') !== EMAIL) return 'Invalid grant: account not found';
  const scope = textMember(claims, 'scope');
  return scope === 'https://www.googleapis.com/auth/chat.bot' ? undefined : 'Invalid scope';
}

async function create(request: Request, phone: Phone): Promise<Reply> {
  const { json } = request;
  const { space = '', query } = routeOf(request);
  const fault = badMessage(json, ['text', 'markupSyntax', 'cardsV2', 'thread']);
  if (fault) return fault;
  if (Object.keys(fieldsIn(json)).length === 0) return invalid('Message cannot be empty.');
  const type = query.get('createMessageNotificationOptions.notificationType');
  if (type !== null && type !== 'NOTIFICATION_TYPE_SILENT') return invalid('notificationType');
  const id = query.get('requestId') ?? '';
  if (id === '') return invalid('SIMULATOR: there is no requestId');
  const isReply = query.get('messageReplyOption') === 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD';
  if (isReply !== (member(json, 'thread') !== undefined)) {
    return invalid('SIMULATOR: thread and messageReplyOption go together');
  }
  if (isReply && type !== null) {
    return googleError(403, 'PERMISSION_DENIED', 'Messages in threads cannot be silent.');
  }
  const thread = threadIn(json);
  const content = {
    ...contentOf(json),
    ...(type !== null && { labels: ['silent'] }),
    ...(thread !== undefined && { thread: `${space}/threads/${thread}` }),
  };
  const { entry } = await showOnce(phone, id, () =>
    phone.show(space, content, (number) => vendorIdOf(space, thread ?? `T${number}`, `M${number}`)),
  );
  const [name, threadName] = entry.vendorId.split(':');
  return ok({ name, thread: { name: threadName } });
}

/** The name of a message begins with its thread. */
export const vendorIdOf = (space: string, thread: string, id: string) =>
  `${space}/messages/${thread}.${id}:${space}/threads/${thread}`;

/** A thread by its name, or by a key of the app. */
function threadIn(json: unknown): string | undefined {
  const [name, key] = [textMember(json, 'thread', 'name'), textMember(json, 'thread', 'threadKey')];
  if (name !== undefined) return name.split('/').at(-1);
  return key === undefined ? undefined : `K${Buffer.from(key).toString('hex').slice(0, 40)}`;
}

async function change(request: Request, phone: Phone): Promise<Reply> {
  const { space = '', message = '', query } = routeOf(request);
  const dot = message.indexOf('.');
  const name = `${space}/messages/${message}`;
  const [thread, id] = [message.slice(0, dot), message.slice(dot + 1)];
  const before = await phone.find(vendorIdOf(space, thread, id));
  if (!before || before.author === 'person') {
    return googleError(404, 'NOT_FOUND', `Message ${name} not found.`);
  }
  if (request.method === 'DELETE') {
    await phone.remove(before);
    return ok({});
  }
  if (request.method !== 'PATCH') return googleError(405, 'UNIMPLEMENTED', 'no');
  if (query.get('updateMask') !== 'text,cardsV2') return invalid('Invalid update mask');
  const fault = badMessage(request.json, ['text', 'markupSyntax', 'cardsV2']);
  if (fault) return fault;
  const { thread: shown } = before.entry;
  await phone.edit(before, {
    ...contentOf(request.json),
    ...(shown !== undefined && { thread: shown }),
  });
  return ok({ name });
}

const widgetsIn = (json: unknown) =>
  listMember(json, 'cardsV2').flatMap((card) =>
    listMember(card, 'card', 'sections', '0', 'widgets'),
  );

function contentOf(json: unknown): ShownContent {
  const widgets = widgetsIn(json);
  const media = widgets.flatMap((widget) => {
    const url = textMember(widget, 'image', 'imageUrl');
    const name = textMember(widget, 'image', 'altText');
    if (url === undefined) return [];
    return [{ type: 'Image' as const, url, ...(name !== undefined && { name }) }];
  });
  const buttons = widgets.flatMap((widget) =>
    listMember(widget, 'buttonList', 'buttons').map(buttonOf),
  );
  return {
    ...shownText(readMarkdown(textMember(json, 'text') ?? '')),
    ...(media.length > 0 && { media }),
    ...(buttons.length > 0 && { buttons }),
  };
}

function buttonOf(button: unknown): ShownButton {
  const label = textMember(button, 'text') ?? '';
  const url = textMember(button, 'onClick', 'openLink', 'url');
  if (url !== undefined) return { label, url };
  const parameters = listMember(button, 'onClick', 'action', 'parameters');
  const value = parameters.find((each) => textMember(each, 'key') === 'value');
  return { label, value: textMember(value, 'value') ?? label };
}

function badMessage(json: unknown, fields: readonly string[]): Reply | undefined {
  if (typeof json !== 'object' || json === null) return invalid('Invalid JSON payload received.');
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  if (unknown !== undefined) return invalid(`Unknown name "${unknown}": Cannot find field.`);
  if (Buffer.byteLength(JSON.stringify(json)) > 32_000) return invalid('The message is too long.');
  const text = textMember(json, 'text') ?? '';
  if (text !== '' && textMember(json, 'markupSyntax') !== 'MARKUP_SYNTAX_MARKDOWN') {
    return invalid('SIMULATOR: markup is not declared');
  }
  const cards = member(json, 'cardsV2') ?? [];
  if (text.trim() === '' && 'text' in json && Array.isArray(cards) && cards.length === 0) {
    return invalid('Message cannot be empty.');
  }
  return Array.isArray(cards) && cards.every(isCard) ? undefined : invalid('Invalid card');
}

function isCard(card: unknown): boolean {
  const widgets = member(card, 'card', 'sections', '0', 'widgets');
  if (!Array.isArray(widgets) || widgets.length === 0) return false;
  return widgets.every((widget) => {
    const url = textMember(widget, 'image', 'imageUrl');
    const buttons = member(widget, 'buttonList', 'buttons');
    if (url !== undefined) return url.startsWith('https://');
    return (
      Array.isArray(buttons) && buttons.every((each) => textMember(each, 'text') !== undefined)
    );
  });
}
