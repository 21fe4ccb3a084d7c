import { AccessToken } from '../../lib/crypto/access-token.ts';
import { requestAccessToken } from '../../lib/crypto/token-request.ts';
import { VendorKeys } from '../../lib/crypto/vendor-keys.ts';
import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { jsonLength } from '../../lib/json/json-length.ts';
import { textMember } from '../../lib/json/json-member.ts';
import { serverAddress } from '../../lib/net/server-address.ts';
import { toHtmlBlocks } from '../../lib/rich-text/html.ts';
import { charactersOf, isPlain } from '../../lib/rich-text/rich-text.ts';
import { payloadOf } from '../../model/button.ts';
import {
  type Destination,
  type Button,
  type Channel,
  type Context,
  type Failure,
  type MediaPart,
  type Outcome,
  type TextPart,
  type Unsupported,
  type VendorRequest,
  denied,
  isFailure,
  matching,
} from '../channel.ts';
import { SERVER_URL, UUID } from '../credential-formats.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { faultOfConnector } from './bot-framework.ts';
import { heroCard, imageOf, withButtons } from './card.ts';
import { classifyFailure, errorIn } from './errors.ts';
import { readActivity } from './hook.ts';

/*
 * Microsoft Teams through the Bot Connector.
 * https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference
 * A message has about 100 KB in UTF-16; 80 KB is recommended:
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages
 * 50 requests a second per app and tenant; per conversation 60 in 30 seconds and 1,800 in an hour:
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit
 * Addresses: opaque conversation ids (19:…@thread.tacv2, a:1…). A reply to a message in a team's channel goes to the
 * channel's id with `;messageid=…`. Files require the user's consent; images are shown from their URLs.
 * Bots are registered for one tenant: multi-tenant bots can no longer be created since 31 July 2025, but existing
 * ones still work. Compared on 2026-11-17 with https://learn.microsoft.com/azure/bot-service/abs-quickstart.
 */
export const msTeams: Channel = {
  name: 'ms-teams',
  title: 'Microsoft Teams',
  category: 'team-chat',
  summary: 'A bot in Teams channels and chats of Microsoft 365.',
  keywords: ['microsoft', 'office 365', 'team'],
  aliases: ['skype'],
  docs: 'https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-send-and-receive-messages',
  dashboard: 'https://portal.azure.com',
  credentials: [
    {
      name: 'token',
      label: 'App ID',
      help: 'At portal.azure.com, choose your Azure Bot, then Configuration > Microsoft App ID.',
      secret: false,
      format: UUID,
      publicBecause: 'an app ID identifies the bot; the client secret is the secret',
    },
    {
      name: 'username',
      label: 'Tenant ID',
      help: 'At portal.azure.com, choose your Azure Bot, then Configuration > App Tenant ID. Leave it empty only for multi-tenant bots created before August 2025.',
      secret: false,
      format: UUID,
    },
    {
      name: 'secret',
      label: 'App password',
      help: 'At portal.azure.com, choose your Azure Bot, then Configuration > Manage password > New client secret, and copy its value.',
      secret: true,
    },
    {
      name: 'address',
      label: 'Service URL',
      help: 'The serviceUrl of any activity in the conversation. In the public cloud: https://smba.trafficmanager.net/teams/.',
      secret: false,
      format: SERVER_URL,
    },
  ],
  needs: [['token', 'secret']],
  recipient: {
    format: 'a conversation ID: the conversation.id of one of its activities',
    example: '19:0123456789abcdef0123456789abcdef@thread.tacv2',
    validate: matching(
      /^(?!\.{1,2}$)[!-~]{1,512}$/,
      'must be a conversation ID: up to 512 printable ASCII characters, without spaces',
    ),
  },
  limits: [
    {
      what: 'about 100 KB of UTF-16 per message; 80 KB recommended',
      link: 'https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages',
    },
    {
      what: '50 requests per second per app and tenant, fewer per conversation',
      link: 'https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit',
    },
  ],
  url: 'https://smba.trafficmanager.net/teams',
  text: {
    max: 40_000,
    measure: jsonLength,
    write: (rich) => toHtmlBlocks(rich, HTML),
    shows: ['lists', 'headings'],
  },
  renderers: {
    text: (part, to) => messageTo(to, textFields(part)),
    image: {
      maxCaptionLength: 36_000,
      compose: (part, to) =>
        unsupportedImage(part) ?? messageTo(to, { attachments: [imageCardOf(part)] }),
    },
    buttons: {
      max: 6,
      maxLabelLength: 50,
      kinds: ['link', 'reply'],
      withMedia: true,
      add: addButtons,
    },
    reply: (request, id) =>
      invalidId(id) ?? inThread(request, id) ?? withMore(request, { replyToId: id }),
    thread: (request, id) =>
      invalidId(id) ??
      inThread(request, id) ?? {
        unsupported: 'Microsoft Teams supports threads in channels only',
      },
    options: (request, { options: { notify } }) =>
      notify === true
        ? withMore(request, { channelData: { notification: { alert: true } } })
        : request,
  },
  options: [
    {
      name: 'notify',
      label: 'Notify',
      help: 'Teams also shows a notification of the message. False by default.',
      rule: { type: 'boolean' },
      link: 'https://learn.microsoft.com/dotnet/api/microsoft.agents.extensions.teams.teamsactivityextensions.teamsnotifyuser',
    },
  ],
  pace: {
    integration: { count: 50, seconds: 1, burst: 50 },
    recipient: () => 0.5,
  },

  async send({ body }, { recipient }, context) {
    const conversation = textMember(body, 'conversation', 'id') ?? recipient;
    const answeredId = textMember(body, 'replyToId');
    const path = activities(conversation, answeredId);
    return sentAs(await call('POST', path, body, context), context);
  },

  async edit({ id, recipient }, { body }, context) {
    const { replyToId: _, channelData: __, ...change } = body;
    const answer = await call('PUT', activities(recipient, id), { ...change, id }, context);
    const outcome = sentAs(answer, context, 'activity');
    return outcome.outcome === 'sent' ? { outcome: 'sent', id } : outcome;
  },

  async remove({ id, recipient }, context) {
    const answer = await call('DELETE', activities(recipient, id), undefined, context);
    if (!isFailure(answer)) {
      const isGone = answer.status === 404 && errorIn(answer) !== undefined;
      if (isGone || [200, 202, 204].includes(answer.status)) return { outcome: 'sent' };
    }
    return classifyFailure(answer, context, 'activity');
  },

  /** The API does not return the bot's name; getting a token is the check. */
  async check(context) {
    const access = await issue(context);
    if (isFailure(access)) return access;
    const { token = '' } = context.credentials;
    return { outcome: 'known', as: `the app ${token}`, account: token };
  },

  hook: {
    needs: [['token']],
    setup:
      'At portal.azure.com, choose your Azure Bot, then Configuration > Messaging endpoint. Under Channels, add Microsoft Teams.',
    verify({ header, body }, { credentials: { token: app = '' }, clock, url, fetch, resource }) {
      // A test server that replaces Teams replaces the login too.
      const login = url === msTeams.url ? 'https://login.botframework.com' : url;
      const request = {
        authorization: header('authorization'),
        body,
        app,
        login,
        now: clock.now(),
      };
      return faultOfConnector(
        request,
        resource(() => new VendorKeys()),
        fetch,
      );
    },
    parse: ({ body }) => readActivity(jsonBody(body)),
  },
  receipts: ['read'],

  async media(reference, context) {
    const address = URL.parse(reference);
    if (address?.protocol !== 'https:' && address?.origin !== URL.parse(context.url)?.origin) {
      const detail = 'not a Microsoft Teams file URL';
      return { outcome: 'permanent', blame: 'content', detail };
    }
    // File URLs work for a few minutes without a token; only inline images require one.
    if (!isOfConnector(address, context)) return { url: reference };
    const token = await tokenOf(context);
    if (typeof token !== 'string') return token;
    return { url: reference, headers: { authorization: `Bearer ${token}` } };
  },
};

function isOfConnector(address: URL | null, { credentials, url }: Context): boolean {
  const bases = [url, ...(credentials.address ? [credentials.address] : [])];
  const isTheirs = /^smba\.(?:[\w-]+\.)?trafficmanager\.net$/.test(address?.hostname ?? '');
  return isTheirs || bases.some((base) => URL.parse(base)?.origin === address?.origin);
}

/**
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages: no tables, three heading
 * levels.
 */
const HTML = { newline: '<br>', tables: false, headings: 3 };

/** Teams reads no markup in plain text. */
function textFields({ text, rich }: TextPart): object {
  if (!isPlain(rich)) return { text, textFormat: 'xml' };
  return rich.length === 0 ? {} : { text: charactersOf(rich), textFormat: 'plain' };
}

function messageTo({ recipient }: Destination, content: object): VendorRequest {
  return { body: { type: 'message', conversation: { id: recipient }, ...content } };
}

function withMore(request: VendorRequest, more: object): VendorRequest {
  return { ...request, body: { ...request.body, ...more } };
}

const IMAGE = /^image\/(?:png|jpe?g|gif)$/i;

function unsupportedImage({ url, mediaType }: MediaPart): Unsupported | undefined {
  if (!/^https:\/\//i.test(url))
    return { unsupported: 'Microsoft Teams shows images from https URLs only' };
  return mediaType === undefined || IMAGE.test(mediaType)
    ? undefined
    : { unsupported: 'Microsoft Teams shows PNG, JPEG and GIF images only' };
}

function imageCardOf({ url, mediaType = 'image/png', name, caption }: MediaPart): object {
  if (caption.text !== '') return heroCard({ text: caption.text, ...imageOf(url, name) });
  return { contentType: mediaType, contentUrl: url, ...(name !== undefined && { name }) };
}

const MAX_MESSAGE_LENGTH = 100_000;

/** There is room for buttons below the longest text, but not for six with long URLs. */
function addButtons(
  request: VendorRequest,
  buttons: readonly Button[],
): VendorRequest | Unsupported {
  const added = { ...request, body: withButtons(request.body, buttons.map(toAction)) };
  return Buffer.byteLength(JSON.stringify(added.body), 'utf16le') > MAX_MESSAGE_LENGTH
    ? { unsupported: 'Microsoft Teams accepts at most 100 KB of text and buttons' }
    : added;
}

/**
 * The value is an object: Teams parses a string as JSON.
 * https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-actions
 */
function toAction(button: Button): object {
  const { name, url } = button;
  return url === undefined
    ? {
        type: 'messageBack',
        title: name,
        displayText: name,
        text: name,
        value: { value: payloadOf(button) },
      }
    : { type: 'openUrl', title: name, value: url };
}

/** A channel of a team, with or without the first message of a thread. */
const CHANNEL = /^(19:[^;]+@thread\.(?:tacv2|skype))(?:;messageid=.*)?$/;

/** An activity ID, which becomes part of a path. */
const ACTIVITY = /^(?!\.{1,2}$)[!-~]{1,512}$/;

function invalidId(id: string): Unsupported | undefined {
  if (ACTIVITY.test(id)) return undefined;
  return { unsupported: 'invalid Microsoft Teams activity ID' };
}

/** In a channel, as a reply to that message; undefined in a chat. */
function inThread(request: VendorRequest, id: string): VendorRequest | undefined {
  const [, channel] = CHANNEL.exec(textMember(request.body, 'conversation', 'id') ?? '') ?? [];
  if (channel === undefined) return undefined;
  return withMore(request, { conversation: { id: `${channel};messageid=${id}` } });
}

function activities(conversation: string, activity?: string): string | undefined {
  const steps = [conversation, 'activities', ...(activity === undefined ? [] : [activity])];
  if (steps.some((step) => step === '' || step === '.' || step === '..')) return undefined;
  return `v3/conversations/${steps.map(encodeURIComponent).join('/')}`;
}

const invalidCredentials = (detail: string): Failure => ({
  outcome: 'permanent',
  blame: 'credentials',
  detail,
});

/** Requests a token, and repeats the request with a new one when the token has expired. */
async function call(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string | undefined,
  body: object | undefined,
  context: Context,
): Promise<FetchAnswer | Failure> {
  const { credentials, url, fetch } = context;
  const service = credentials.address ? serverAddress(credentials.address) : url;
  if (service === undefined) return invalidCredentials('invalid service URL');
  if (path === undefined) {
    const detail = 'invalid Microsoft Teams message ID';
    return { outcome: 'permanent', blame: 'content', detail };
  }
  const ask = async (token: string) =>
    fetch(`${service}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const token = await tokenOf(context);
  if (typeof token !== 'string') return token;
  const answer = await ask(token);
  if (answer.status !== 401) return answer;
  tokensOf(context).forget(token);
  const next = await tokenOf(context);
  return typeof next === 'string' ? ask(next) : next;
}

const tokensOf = (context: Context) => context.resource(() => new AccessToken<Failure>());

const tokenOf = async (context: Context) =>
  tokensOf(context).get(context.clock.now(), () => issue(context));

const SCOPE = 'https://api.botframework.com/.default';

/** https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication */
async function issue({ credentials, url, fetch }: Context) {
  const { token: id = '', secret = '', username: tenant = 'botframework.com' } = credentials;
  if (!/^[\w-]{1,100}$/.test(id)) return invalidCredentials('invalid app ID');
  if (secret === '') return invalidCredentials('app password missing');
  if (!/^(?!\.)[\w.-]{1,100}$/.test(tenant)) return invalidCredentials('invalid tenant ID');
  // A test server that replaces Teams replaces the login too.
  const login = url === msTeams.url ? 'https://login.microsoftonline.com' : url;
  const grant = {
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
    scope: SCOPE,
  };
  const access = await requestAccessToken(`${login}/${tenant}/oauth2/v2.0/token`, grant, fetch);
  return 'token' in access ? access : denied(access);
}

function sentAs(
  answer: FetchAnswer | Failure,
  context: Context,
  missing: 'conversation' | 'activity' = 'conversation',
): Outcome {
  if (isFailure(answer) || ![200, 201, 202].includes(answer.status)) {
    return classifyFailure(answer, context, missing);
  }
  const id = textMember(answer.json(), 'id');
  if (id) return { outcome: 'sent', id };
  return sentUnlessRefused(answer, classifyFailure(answer, context, missing));
}
