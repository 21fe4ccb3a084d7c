import { member, textMember } from '../../../lib/json/json-member.ts';
import { readMarkdown } from '../../../lib/rich-text/readers.ts';
import { SANDBOX_URL } from '../../../model/sandbox/sandbox-url.ts';
import type { Phone } from '../../phone.ts';
import { type ShownContent, shownText } from '../../shown.ts';
import type { Simulator } from '../../simulator.ts';
import { fieldsIn } from '../../wire/fields.ts';
import type { Reply, Request } from '../../wire/request.ts';

/*
 * A Gotify server, at least as strict as documented: fields that Gotify would silently ignore are refused.
 * https://gotify.net/api-docs
 */
export const TOKEN = 'Afake-of-an-app';

/** Every message reaches the owner of the application token: a request names no recipient. */
const OWNER = 'ops';

const NAMES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

export const gotifyError = (status: number, errorDescription: string): Reply => ({
  status,
  body: { error: NAMES[status] ?? '', errorCode: status, errorDescription },
});

export const gotify: Simulator = {
  channel: 'gotify',
  limits: { none: 'Gotify has no rate limit' },
  credentials: { address: SANDBOX_URL, token: TOKEN },
  people: [{ address: OWNER, name: 'Owner of the application' }],
  magicAddress: (number) => `fault-${number}`,
  isMagicText: true,
  // Without recipients, none is refused.
  lacks: ['blocked', 'unknown'],

  recipientOf({ method, path, json }) {
    if (method !== 'POST' || path !== '/message') return undefined;
    const message = textMember(json, 'message');
    if (message === undefined) return undefined;
    return /^fault-\d{3}$/.test(message) ? message : OWNER;
  },

  async respond(request, phone) {
    const { method, path, headers } = request;
    if (method !== 'POST' || path !== '/message') return gotifyError(404, 'page not found');
    if (headers['x-gotify-key'] !== TOKEN) {
      return gotifyError(401, 'you need to provide a valid access token or user credentials');
    }
    if (headers['content-type'] !== 'application/json') {
      return gotifyError(400, 'SIMULATOR: no JSON');
    }
    return badMessage(request) ?? create(request, phone);
  },

  refusals: {
    blocked: () => gotifyError(403, 'you are not allowed to access this api'),
    unknown: () => gotifyError(403, 'you are not allowed to access this api'),
    // From a proxy in front of the server: Gotify has no limits.
    limited: (seconds) => ({
      status: 429,
      headers: { 'retry-after': String(seconds) },
      body: 'Too Many Requests',
    }),
    credentials: () =>
      gotifyError(401, 'you need to provide a valid access token or user credentials'),
  },

  reports: {},
};

async function create({ json }: Request, phone: Phone): Promise<Reply> {
  const { number: id } = await phone.show(OWNER, contentOf(json), String);
  const message = textMember(json, 'message');
  const title = textMember(json, 'title') ?? 'the application';
  const priority = member(json, 'priority') ?? 0;
  const date = new Date(phone.now()).toISOString();
  return { status: 200, body: { id, appid: 5, message, title, priority, date } };
}

const IMAGE = /!\[(?:\\.|[^\]\\])*\]\(<([^<>\s]*)>\)/;

/** https://gotify.net/docs/msgextras */
function contentOf(json: unknown): ShownContent {
  const [title, message = ''] = [textMember(json, 'title'), textMember(json, 'message')];
  const extras = member(json, 'extras');
  const isMarkdown = textMember(extras, 'client::display', 'contentType') === 'text/markdown';
  const [, image] = (isMarkdown && IMAGE.exec(message)) || [];
  const text = image === undefined ? message : message.replace(IMAGE, '').trim();
  const [click, priority] = [
    textMember(extras, 'client::notification', 'click', 'url'),
    member(json, 'priority'),
  ];
  const labels = [
    ...(typeof priority === 'number' ? [`priority ${priority}`] : []),
    ...(click === undefined ? [] : [`opens ${click}`]),
  ];
  return {
    ...(title !== undefined && { title }),
    ...(isMarkdown ? shownText(readMarkdown(text)) : { text }),
    ...(image !== undefined && { media: [{ type: 'Image', url: image }] }),
    ...(labels.length > 0 && { labels }),
  };
}

const FIELDS = new Set(['message', 'title', 'extras', 'priority']);
const EXTRAS = new Set(['client::display', 'client::notification']);

function badMessage({ json }: Request): Reply | undefined {
  if (typeof json !== 'object' || json === null) return gotifyError(400, 'EOF');
  const message = member(json, 'message') ?? '';
  if (typeof message !== 'string') return gotifyError(400, 'json: cannot unmarshal');
  if (message === '') return gotifyError(400, "Field 'message' is required");
  const extras = member(json, 'extras') ?? {};
  const unknown = [
    ...Object.keys(json).filter((field) => !FIELDS.has(field)),
    ...Object.keys(extras).filter((field) => !EXTRAS.has(field)),
  ];
  const notification = fieldsIn(member(extras, 'client::notification'));
  const { bigImageUrl = 'https://', click = { url: 'https://' }, ...others } = notification;
  const areUrls = [bigImageUrl, member(click, 'url')].every((url) => /^https?:/.test(String(url)));
  const priority = member(json, 'priority') ?? 0;
  if (!areUrls || Object.keys(others).length > 0 || !Number.isInteger(priority)) {
    return gotifyError(400, 'SIMULATOR: notification or priority');
  }
  if (unknown.length > 0) return gotifyError(400, `SIMULATOR: unknown field ${unknown.join()}`);
  return Buffer.byteLength(message) > 65_535
    ? gotifyError(500, 'Data too long for column')
    : undefined;
}
