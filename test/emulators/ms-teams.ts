import { generateKeyPairSync, sign } from 'node:crypto';

import { member, textMember } from '../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';

/*
 * The parts of Microsoft Teams' Bot Connector and Microsoft's token endpoint that we use, at least as strict as
 * documented: fields that Microsoft would silently ignore are refused.
 * https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference
 */
export const APP = '00000000-1111-2222-3333-444444444444';
export const PASSWORD = 'fake~password.of-an-app';
export const TENANT = '55555555-6666-7777-8888-999999999999';

export const CONVERSATIONS = {
  channel: '19:0123456789abcdef@thread.tacv2',
  group: '19:fedcba9876543210@thread.v2',
  person: 'a:1qhNLqpUtmuI6U35gzjsJn7uRnCkW8NiZALHfN8AMxdbprS1uta2aT/+=',
  foreign: 'a:foreign',
  blocked: 'a:blocked',
} as const;

/** An existing message to edit, delete and reply to. */
export const EARLIER = '1700000000000';

export const teamsError = (status: number, code: string, message = 'No'): Reply => ({
  status,
  body: { error: { code, message } },
});

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KID = 'key-of-the-connector';
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A token as the Bot Connector sends it with an activity, or a forged one. */
export function connectorToken(claims: object, header: object = {}, key = keys.privateKey): string {
  const input = `${encode({ typ: 'JWT', alg: 'RS256', kid: KID, ...header })}.${encode(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

function published({ path, headers }: Request): Reply | undefined {
  const base = `http://${headers['host']}/v1/.well-known`;
  if (path === '/v1/.well-known/openidconfiguration') {
    const issuer = 'https://api.botframework.com';
    return { status: 200, body: { issuer, jwks_uri: `${base}/keys` } };
  }
  if (path !== '/v1/.well-known/keys') return undefined;
  const key = { ...keys.publicKey.export({ format: 'jwk' }), kid: KID, use: 'sig' };
  return { status: 200, body: { keys: [{ ...key, endorsements: ['msteams'] }] } };
}

const badSyntax = (message: string) => teamsError(400, 'BadSyntax', message);

export interface TeamsPeer extends HttpPeer {
  /** Revokes all issued tokens. */
  expire(): void;
}

const ROUTE = /^\/v3\/conversations\/(?<conversation>[^/]+)\/activities(?:\/(?<activity>[^/]+))?$/;

export async function openTeams(): Promise<TeamsPeer> {
  let last = 1_700_000_000_000;
  let issued = 0;
  const tokens = new Set<string>();
  const messages = new Set([EARLIER]);

  const issue = ({ path, form }: Request): Reply => {
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
    const access_token = `fake-token-${++issued}`;
    tokens.add(access_token);
    return { status: 200, body: { token_type: 'Bearer', expires_in: 3599, access_token } };
  };

  const change = (request: Request, activity: string): Reply => {
    if (!messages.has(activity)) return teamsError(404, 'ActivityNotFoundInConversation');
    if (request.method === 'POST') return create(request, activity);
    if (request.method === 'DELETE') {
      messages.delete(activity);
      return { status: 200, body: '' };
    }
    if (request.method !== 'PUT') return teamsError(405, 'MethodNotAllowed');
    const fault = badActivity(request, ['id']);
    if (fault) return fault;
    if (textMember(request.json, 'id') !== activity) return badSyntax('another id');
    return { status: 200, body: { id: activity } };
  };

  const create = (request: Request, answered?: string): Reply => {
    const fault = badActivity(request, [
      'channelData',
      ...(answered === undefined ? [] : ['replyToId']),
    ]);
    if (fault) return fault;
    if (textMember(request.json, 'replyToId') !== answered) return badSyntax('another answer');
    // Like the vendor's own playground (0.2.28): the response to text with attachments has no ids.
    const { text = '', attachments = [] } = request.json as { text?: string; attachments?: [] };
    if (text !== '' && attachments.length > 0) return { status: 202, body: '' };
    const id = String(++last);
    messages.add(id);
    return { status: 201, body: { id } };
  };

  const peer = await openHttp((request) => {
    const { path, method, headers } = request;
    if (path.endsWith('/oauth2/v2.0/token') && method === 'POST') return issue(request);
    const open = method === 'GET' ? published(request) : undefined;
    if (open) return open;
    const [, token = ''] = /^Bearer (.+)$/.exec(headers['authorization'] ?? '') ?? [];
    if (!tokens.has(token)) {
      return { status: 401, body: { message: 'Authorization has been denied for this request.' } };
    }
    const { conversation = '', activity } = ROUTE.exec(path)?.groups ?? {};
    const id = decodeURIComponent(conversation);
    const refusal = refusalOf(id);
    if (refusal) return refusal;
    if (request.json !== undefined && textMember(request.json, 'conversation', 'id') !== id) {
      return badSyntax('EMULATOR: another conversation than the path says');
    }
    if (activity !== undefined) return change(request, decodeURIComponent(activity));
    return method === 'POST' ? create(request) : teamsError(405, 'MethodNotAllowed');
  });
  return Object.assign(peer, { expire: () => tokens.clear() });
}

function refusalOf(conversation: string): Reply | undefined {
  const [base = '', root] = conversation.split(';messageid=');
  if (root !== undefined && base !== CONVERSATIONS.channel) return teamsError(404, 'NotFound');
  if (base === CONVERSATIONS.foreign) return teamsError(403, 'BotNotInConversationRoster');
  if (base === CONVERSATIONS.blocked) return teamsError(403, 'ConversationBlockedByUser');
  const known: readonly string[] = Object.values(CONVERSATIONS);
  return known.includes(base) ? undefined : teamsError(404, 'ConversationNotFound');
}

const ALERT = { notification: { alert: true } };
const FIELDS = ['type', 'conversation', 'text', 'textFormat', 'attachments'];

function badActivity({ json, headers }: Request, more: readonly string[]): Reply | undefined {
  if (headers['content-type'] !== 'application/json')
    return teamsError(415, 'UnsupportedMediaType');
  if (typeof json !== 'object' || json === null) return badSyntax('Invalid JSON');
  const unknown = Object.keys(json).find((key) => ![...FIELDS, ...more].includes(key));
  if (unknown !== undefined) return badSyntax(`unknown: ${unknown}`);
  const data = JSON.stringify(member(json, 'channelData') ?? ALERT);
  if (data !== JSON.stringify(ALERT)) return badSyntax('channelData');
  if (textMember(json, 'type') !== 'message') return badSyntax('Activity type is missing');
  const { text = '', textFormat, attachments = [] } = json as Record<string, unknown>;
  if (typeof text !== 'string' || !Array.isArray(attachments)) return badSyntax('Wrong types');
  if (JSON.stringify(json).length * 2 > 100 * 1024) {
    return teamsError(413, 'MessageSizeTooBig', 'Message size too large.');
  }
  if (text.trim() === '' && attachments.length === 0) return badSyntax('Empty message');
  if (text !== '' && textFormat !== 'plain' && textFormat !== 'xml') return badSyntax('textFormat');
  if (textFormat === 'xml' && /&(?!(?:amp|lt|gt|quot);)/.test(text)) return badSyntax('Bad XML');
  return attachments.every(isAttachment) ? undefined : badSyntax('Invalid attachment');
}

function isAttachment(attachment: unknown): boolean {
  const type = textMember(attachment, 'contentType') ?? '';
  if (/^image\/(?:png|jpeg|gif)$/.test(type)) {
    return textMember(attachment, 'contentUrl')?.startsWith('https://') === true;
  }
  const { text = 'x', images = [], buttons = [], ...rest } = Object(member(attachment, 'content'));
  if (type !== 'application/vnd.microsoft.card.hero' || Object.keys(rest).length > 0) return false;
  if (typeof text !== 'string' || text === '' || /&(?!(?:amp|lt|gt|quot);)/.test(text))
    return false;
  return areImages(images) && areButtons(buttons);
}

function areImages(images: unknown): boolean {
  if (!Array.isArray(images) || images.length > 1) return false;
  return images.every((each) => textMember(each, 'url')?.startsWith('https://') === true);
}

function areButtons(buttons: unknown): boolean {
  return Array.isArray(buttons) && buttons.length <= 6 && buttons.every(isButton);
}

function isButton(button: unknown): boolean {
  const type = textMember(button, 'type');
  if (!textMember(button, 'title')) return false;
  if (type === 'openUrl') return /^https?:\/\//.test(textMember(button, 'value') ?? '');
  const isSaid = textMember(button, 'text') !== undefined;
  return type === 'messageBack' && isSaid && typeof member(button, 'value') === 'object';
}
