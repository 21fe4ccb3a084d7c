import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import { SANDBOX_URL } from '../../../model/sandbox/sandbox-url.ts';
import type { Phone } from '../../phone.ts';
import type { Simulator } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { fileReply } from '../files.ts';
import { publishedKey } from './fake-key.ts';
import { APP, KEY_ID, teamsActivities } from './ms-teams-activities.ts';
import { badActivity, badSyntax, contentOf, teamsError } from './ms-teams-content.ts';

/*
 * Microsoft Teams' Bot Connector and Microsoft's token endpoint, at least as strict as documented: fields that
 * Microsoft would silently ignore are refused.
 * https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference
 */
export const PASSWORD = 'fake~password.of-an-app';
export const TENANT = '55555555-6666-7777-8888-999999999999';

const isRoom = (address: string) => address.startsWith('19:');

export const msTeams: Simulator = {
  channel: 'ms-teams',
  credentials: { token: APP, secret: PASSWORD, username: TENANT },
  people: [
    { address: 'a:1-ada-example', name: 'Ada Example', userId: '29:1-ada-example' },
    { address: 'a:1-grace-example', name: 'Grace Example', userId: '29:1-grace-example' },
    { address: '19:0123456789abcdef@thread.tacv2', name: 'General', isRoom: true },
  ],
  isRoom,
  magicAddress: (number) => `a:fault-${number}`,

  recipientOf(request) {
    const { conversation } = routeOf(request);
    return request.method === 'POST' ? conversation?.split(';messageid=')[0] : undefined;
  },

  async respond(request, phone) {
    const { path, method, headers } = request;
    if (path.endsWith('/oauth2/v2.0/token') && method === 'POST') return issue(request, phone);
    const document = method === 'GET' ? keyDocument(request) : undefined;
    if (document) return document;
    if (!isIssued(request, phone)) {
      return { status: 401, body: { message: 'Authorization has been denied for this request.' } };
    }
    const [, file] = /^\/v3\/attachments\/(\w{1,40})\/views\/original$/.exec(path) ?? [];
    if (file !== undefined && method === 'GET') {
      return fileReply(await phone.file(file)) ?? teamsError(404, 'NotFound');
    }
    const { conversation, activity } = routeOf(request);
    if (conversation === undefined) return teamsError(404, 'ConversationNotFound');
    const { json } = request;
    if (json !== undefined && textMember(json, 'conversation', 'id') !== conversation) {
      return badSyntax('SIMULATOR: conversation.id differs from the path');
    }
    if (json !== undefined && headers['content-type'] !== 'application/json') {
      return teamsError(415, 'UnsupportedMediaType');
    }
    if (activity !== undefined && method !== 'POST') return change(request, phone);
    return method === 'POST' ? create(request, phone) : teamsError(405, 'MethodNotAllowed');
  },

  refusals: {
    blocked: () => teamsError(403, 'ConversationBlockedByUser'),
    unknown: () => teamsError(404, 'ConversationNotFound'),
    limited: (seconds) => ({
      ...teamsError(429, 'TooManyRequests'),
      headers: { 'retry-after': `${seconds}` },
    }),
    // A new token would not help, unlike after 401.
    credentials: () => teamsError(403, 'BotDisabledByAdmin'),
  },

  /** https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit */
  limits: [
    { count: 50, seconds: 1, per: 'account' },
    { count: 7, seconds: 1, per: 'recipient' },
    { count: 8, seconds: 2, per: 'recipient' },
    { count: 60, seconds: 30, per: 'recipient' },
    { count: 1_800, seconds: 3_600, per: 'recipient' },
  ],
  reports: teamsActivities,
  receipts: ['read'],
  // In personal conversations only.
  hasReceipt: ({ person }) => !isRoom(person),
};

const ROUTE = /^\/v3\/conversations\/([^/]{1,2000})\/activities(?:\/([^/]{1,2000}))?$/;

function routeOf({ path }: Request): { conversation?: string; activity?: string } {
  const [, conversation, activity] = ROUTE.exec(path) ?? [];
  return {
    ...(conversation !== undefined && { conversation: decodeURIComponent(conversation) }),
    ...(activity !== undefined && { activity: decodeURIComponent(activity) }),
  };
}

/** https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication */
function keyDocument({ path, headers: { host = '' } }: Request): Reply | undefined {
  const origin = SANDBOX_URL.endsWith(`//${host}`) ? `${SANDBOX_URL}/teams` : `http://${host}`;
  if (path === '/v1/.well-known/openidconfiguration') {
    const issuer = 'https://api.botframework.com';
    return { status: 200, body: { issuer, jwks_uri: `${origin}/v1/.well-known/keys` } };
  }
  if (path !== '/v1/.well-known/keys') return undefined;
  const key = { ...publishedKey(KEY_ID), endorsements: ['msteams'] };
  return { status: 200, body: { keys: [key] } };
}

const LIFETIME_SECONDS = 3599;

function issue({ path, form }: Request, phone: Phone): Reply {
  const [, tenant] = path.split('/');
  if (tenant !== 'botframework.com' && tenant !== TENANT) {
    const error_description = 'AADSTS90002: Tenant not found.\r\nTrace ID: 1';
    return { status: 400, body: { error: 'invalid_request', error_description } };
  }
  const { grant_type, client_id, client_secret, scope, ...rest } = form ?? {};
  if (grant_type !== 'client_credentials' || Object.keys(rest).length > 0) {
    return { status: 400, body: { error: 'unsupported_grant_type' } };
  }
  if (scope !== 'https://api.botframework.com/.default') {
    return { status: 400, body: { error: 'invalid_scope' } };
  }
  if (client_id !== APP || client_secret !== PASSWORD) {
    const error_description = 'AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1';
    return { status: 401, body: { error: 'invalid_client', error_description } };
  }
  const access_token = `fake-token.${phone.now()}.${phone.newId()}`;
  const lifetime = { token_type: 'Bearer', expires_in: LIFETIME_SECONDS };
  return { status: 200, body: { ...lifetime, access_token } };
}

/** Tokens contain the time at which they were issued. */
function isIssued({ headers }: Request, phone: Phone): boolean {
  const { authorization = '' } = headers;
  const [, issued] = /^Bearer fake-token\.(\d{1,15})\.\w{1,40}$/.exec(authorization) ?? [];
  return issued !== undefined && phone.now() - Number(issued) < LIFETIME_SECONDS * 1000;
}

/** Ids look like the times at which messages were sent. */
const FIRST_ID = 1_700_000_000_000;

async function create(request: Request, phone: Phone): Promise<Reply> {
  const { conversation = '', activity: answeredId } = routeOf(request);
  const [person = '', root] = conversation.split(';messageid=');
  if (root !== undefined && !isRoom(person)) return teamsError(404, 'NotFound');
  if (answeredId !== undefined && !(await find(person, answeredId, phone))) {
    return teamsError(404, 'ActivityNotFoundInConversation');
  }
  const more = ['channelData', ...(answeredId === undefined ? [] : ['replyToId'])];
  const fault = badActivity(request, more);
  if (fault) return fault;
  const { json } = request;
  if (textMember(json, 'replyToId') !== answeredId) return badSyntax('another answer');
  const content = {
    ...contentOf(json),
    ...(member(json, 'channelData') !== undefined && { labels: ['notification'] }),
    ...(answeredId !== undefined && { reply_to: answeredId }),
    ...(root !== undefined && { thread: root }),
  };
  const { vendorId: id } = await phone.show(person, content, (number) => String(FIRST_ID + number));
  // Like the vendor's own playground (0.2.28): the response to text with attachments has no ids.
  const hasText = (textMember(json, 'text') ?? '') !== '';
  if (hasText && listMember(json, 'attachments').length > 0) return { status: 202, body: '' };
  return { status: 201, body: { id } };
}

async function find(person: string, id: string, phone: Phone) {
  const found = await phone.find(id);
  return found?.person === person ? found : undefined;
}

async function change(request: Request, phone: Phone): Promise<Reply> {
  const { conversation = '', activity = '' } = routeOf(request);
  const [person = ''] = conversation.split(';messageid=');
  const before = await find(person, activity, phone);
  if (!before || before.author === 'person') {
    return teamsError(404, 'ActivityNotFoundInConversation');
  }
  if (request.method === 'DELETE') {
    await phone.remove(before);
    return { status: 200, body: '' };
  }
  if (request.method !== 'PUT') return teamsError(405, 'MethodNotAllowed');
  const fault = badActivity(request, ['id']);
  if (fault) return fault;
  if (textMember(request.json, 'id') !== activity) return badSyntax('another id');
  const { thread, reply_to: replyTo } = before.entry;
  await phone.edit(before, {
    ...contentOf(request.json),
    ...(replyTo !== undefined && { reply_to: replyTo }),
    ...(thread !== undefined && { thread }),
  });
  return { status: 200, body: { id: activity } };
}
