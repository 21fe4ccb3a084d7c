import { member, textMember } from '../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';

/*
 * The parts of LINE's Messaging API that we use, at least as strict as documented: fields that LINE would silently
 * ignore are refused. https://developers.line.biz/en/reference/messaging-api/
 */
export const TOKEN = 'fake-token-that-lasts';
export const SECRET = 'fake-secret-of-the-channel';
export const CHANNEL = '1234567890';

const hex = (mail: string, digit: string) => mail + digit.repeat(32);
export const PEERS = {
  user: hex('U', '4'),
  group: hex('C', '4'),
  room: hex('R', '4'),
  unknown: hex('U', '0'),
} as const;

export const QUOTE = 'fake-IStG5h1Tz7bsH6xinEQtKQ9IdtcN5wLE15-LwtIDCEY_q';

export const lineError = (status: number, message: string, details?: readonly object[]): Reply => ({
  status,
  body: { message, ...(details && { details }) },
});

export interface LinePeer extends HttpPeer {
  /** Revokes all issued tokens. */
  expire(): void;
  /** Makes a reply token valid once, or invalid. */
  grant(replyToken: string): void;
  spend(replyToken: string): void;
}

export async function openLine(): Promise<LinePeer> {
  let last = 461_230_966_842_064_896n;
  let issued = 0;
  const tokens = new Set([TOKEN]);
  const claimed = new Map<string, object>();

  const granted = new Set<string>();
  const sentNow = (json: unknown) => {
    const quoted = textMember(json, 'messages', '0', 'type') !== 'location';
    return { sentMessages: [{ id: String(++last), ...(quoted && { quoteToken: QUOTE }) }] };
  };

  const reply = ({ json, headers }: Request): Reply => {
    if (headers['x-line-retry-key'] !== undefined) {
      return lineError(400, 'EMULATOR: replies have no retry key');
    }
    const fault = badMessages(json, headers, ['replyToken', 'messages', 'notificationDisabled']);
    if (fault) return fault;
    if (!granted.delete(textMember(json, 'replyToken') ?? '')) {
      return lineError(400, 'Invalid reply token');
    }
    return { status: 200, body: sentNow(json) };
  };

  const push = (request: Request): Reply => {
    const fault = badPush(request);
    if (fault) return fault;
    const key = request.headers['x-line-retry-key'] ?? '';
    const before = claimed.get(key);
    if (before) {
      return { status: 409, body: { message: 'The retry key is already accepted', ...before } };
    }
    if (textMember(request.json, 'to') === PEERS.unknown) {
      return lineError(400, 'Failed to send messages');
    }
    const sent = sentNow(request.json);
    claimed.set(key, sent);
    return { status: 200, body: sent };
  };

  let endpoint = '';
  const setEndpoint = ({ json, headers }: Request): Reply => {
    const given = textMember(json, 'endpoint') ?? '';
    const isUsual = headers['content-type'] === 'application/json';
    const isAlone = Object.keys(Object(json)).join() === 'endpoint';
    if (!isUsual || !isAlone || !/^https:\/\/.{1,490}$/.test(given)) {
      return lineError(400, 'Invalid webhook endpoint URL');
    }
    endpoint = given;
    return { status: 200, body: {} };
  };

  const peer = await openHttp((request) => {
    const { path, method, headers, form } = request;
    if (path === '/oauth2/v3/token' && method === 'POST') {
      if (form?.['grant_type'] !== 'client_credentials' || Object.keys(form).length !== 3) {
        return { status: 400, body: { error: 'invalid_request' } };
      }
      if (form['client_id'] !== CHANNEL || form['client_secret'] !== SECRET) {
        const error_description = 'invalid client_secret';
        return { status: 401, body: { error: 'invalid_client', error_description } };
      }
      const token = `fake-token-${++issued}`;
      tokens.add(token);
      return { status: 200, body: { token_type: 'Bearer', access_token: token, expires_in: 899 } };
    }
    const [, token = ''] = /^Bearer (.+)$/.exec(headers['authorization'] ?? '') ?? [];
    if (!tokens.has(token))
      return lineError(401, 'Authentication failed. Confirm that the access token');
    if (path === '/v2/bot/info' && method === 'GET') {
      const id = { userId: PEERS.user, basicId: '@216ru' };
      return { status: 200, body: { ...id, displayName: 'Example', chatMode: 'bot' } };
    }
    if (path === '/v2/bot/channel/webhook/endpoint') {
      if (method === 'PUT') return setEndpoint(request);
      return { status: 200, body: { endpoint, active: endpoint.includes('switchboard') } };
    }
    if (/^\/v2\/bot\/message\/\d+\/content\/transcoding$/.test(path) && method === 'GET') {
      return { status: 200, body: { status: 'succeeded' } };
    }
    if (path === '/v2/bot/message/reply' && method === 'POST') return reply(request);
    if (path !== '/v2/bot/message/push') return lineError(404, 'Not found');
    return method === 'POST' ? push(request) : lineError(405, 'Method not allowed');
  });
  return Object.assign(peer, {
    expire: () => tokens.clear(),
    grant: (replyToken: string) => void granted.add(replyToken),
    spend: (replyToken: string) => void granted.delete(replyToken),
  });
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const invalid = (count: number, property: string, message: string) =>
  lineError(400, `The request body has ${count} error(s)`, [{ message, property }]);

function badPush({ json, headers }: Request): Reply | undefined {
  if (!UUID.test(headers['x-line-retry-key'] ?? '')) {
    return lineError(400, "Invalid format 'X-Line-Retry-Key'");
  }
  const fault = badMessages(json, headers, ['to', 'messages', 'notificationDisabled']);
  if (fault || /^[UCR][0-9a-f]{32}$/.test(textMember(json, 'to') ?? '')) return fault;
  return lineError(400, "The property, 'to', in the request body is invalid (line: -, column: -)");
}

function badMessages(
  json: unknown,
  headers: Request['headers'],
  properties: readonly string[],
): Reply | undefined {
  if (headers['content-type'] !== 'application/json')
    return lineError(415, 'Unsupported media type');
  if (typeof json !== 'object' || json === null)
    return lineError(400, 'The request body is no JSON');
  if (Object.keys(json).some((key) => !properties.includes(key))) {
    return invalid(1, 'body', 'Unknown property');
  }
  if (typeof (member(json, 'notificationDisabled') ?? false) !== 'boolean') {
    return invalid(1, 'notificationDisabled', 'Must be a boolean');
  }
  const messages = member(json, 'messages');
  if (!Array.isArray(messages) || messages.length !== 1) return invalid(1, 'messages', 'Size');
  const fault = faultOf(messages[0] as Record<string, unknown>);
  return fault === undefined ? undefined : invalid(1, `messages[0].${fault}`, 'May not be so');
}

const isText = (max: number) => (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' && value.length <= max;
const isUrl = (value: unknown) => isText(2000)(value) && String(value).startsWith('https://');
const isNumber = (value: unknown) => typeof value === 'number';

type Fields = Readonly<Record<string, (value: unknown) => boolean>>;

/** The required properties of each message type. */
const TYPES: Readonly<Record<string, Fields>> = {
  text: { text: isText(5000) },
  image: { originalContentUrl: isUrl, previewImageUrl: isUrl },
  video: { originalContentUrl: isUrl, previewImageUrl: isUrl },
  audio: { originalContentUrl: isUrl, duration: (value) => Number.isInteger(value) },
  template: { altText: isText(400), template: (value) => isCarousel(value) },
  location: {
    title: isText(100),
    address: isText(100),
    latitude: isNumber,
    longitude: isNumber,
  },
};

/** The name of the invalid property. */
function faultOf({
  type,
  quickReply,
  quoteToken,
  ...rest
}: Record<string, unknown>): string | undefined {
  const fields = TYPES[String(type)];
  if (!fields) return 'type';
  if (quoteToken !== undefined && (type !== 'text' || quoteToken !== QUOTE)) return 'quoteToken';
  const unknown = Object.keys(rest).find((name) => !(name in fields));
  if (unknown !== undefined) return unknown;
  const wrong = Object.entries(fields).find(([name, isValid]) => !isValid(rest[name]));
  if (wrong) return wrong[0];
  return quickReply === undefined || isQuickReply(quickReply) ? undefined : 'quickReply';
}

function isQuickReply(value: unknown): boolean {
  const items = member(value, 'items');
  if (!Array.isArray(items) || items.length === 0 || items.length > 13) return false;
  return items.every((item) => isAction(member(item, 'action')));
}

/** https://developers.line.biz/en/reference/messaging-api/#action-objects */
function isAction(action: unknown): boolean {
  const { type, label, uri, data, displayText, ...rest } = Object(action);
  if (!isText(20)(label) || Object.keys(rest).length > 0) return false;
  if (type === 'uri') {
    return isText(1000)(uri) && /^(?:https?:\/\/|line:\/\/|tel:)/.test(uri) && data === undefined;
  }
  return type === 'postback' && isText(300)(data) && isText(300)(displayText) && uri === undefined;
}

/** https://developers.line.biz/en/reference/messaging-api/#carousel */
function isCarousel(template: unknown): boolean {
  const { type, columns, ...rest } = Object(template);
  if (type !== 'carousel' || Object.keys(rest).length > 0) return false;
  if (!Array.isArray(columns) || columns.length === 0 || columns.length > 10) return false;
  const renderers = new Set(
    columns.map((column) => {
      const { thumbnailImageUrl: image, text, actions, ...more } = Object(column);
      const isValid =
        isText(image === undefined ? 120 : 60)(text) &&
        (image === undefined || isUrl(image)) &&
        Array.isArray(actions) &&
        actions.length <= 3 &&
        actions.every(isAction) &&
        Object.keys(more).length === 0;
      return isValid ? `${image === undefined} ${actions.length}` : 'wrong';
    }),
  );
  return (
    renderers.size === 1 &&
    !renderers.has('wrong') &&
    !renderers.has('true 0') &&
    !renderers.has('false 0')
  );
}
