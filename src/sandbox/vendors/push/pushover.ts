import { readHtml } from '../../../lib/rich-text/readers.ts';
import type { Phone } from '../../phone.ts';
import { type ShownContent, shownText } from '../../shown.ts';
import type { Simulator } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';

/*
 * Pushover, as strict as its documentation; unknown fields are refused. https://pushover.net/api
 * A person acknowledges emergency messages only, which Pushover reports: https://pushover.net/api/receipts#callback
 */
export const TOKEN = 'fakeTokenOfAnApplication000000';

type Fields = Readonly<Record<string, string>>;

/** The id of a request, by the number of its message. */
export const requestId = (number: number) =>
  `647d2300-702c-4b38-8b2f-${number.toString(16).padStart(12, '0')}`;
/** The id of an emergency message. */
export const receiptId = (number: number) => `r${String(number).padStart(29, '0')}`;

export const refusal = (status: number, parameter: string, error: string, headers = {}): Reply => ({
  status,
  headers,
  body: { [parameter]: 'invalid', errors: [error], status: 0, request: requestId(0) },
});

const invalid = (parameter: string) =>
  refusal(400, parameter, `SIMULATOR: ${parameter} is invalid`);
const badToken = () => refusal(400, 'token', 'application token is invalid');

const MONTHLY_MESSAGES = 10_000;

const quotaReached = (seconds: number, now: number): Reply => ({
  status: 429,
  headers: {
    'x-limit-app-limit': String(MONTHLY_MESSAGES),
    'x-limit-app-remaining': '0',
    'x-limit-app-reset': String(Math.floor(now / 1000) + seconds),
  },
  body: {
    errors: ['application has exceeded its monthly message limit'],
    status: 0,
    request: requestId(0),
  },
});

export const pushover: Simulator = {
  channel: 'pushover',
  credentials: { token: TOKEN },
  /** https://pushover.net/api#limits */
  limits: [
    { count: MONTHLY_MESSAGES, seconds: 30 * 24 * 60 * 60, per: 'account', refuse: quotaReached },
  ],
  people: [
    { address: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG', name: 'Ada Example' },
    { address: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsH', name: 'Grace Example' },
  ],
  magicAddress: (number) => `uFAULT${number.padStart(24, '0')}`,

  recipientOf: ({ method, path, form }) =>
    method === 'POST' && path === '/1/messages.json' ? form?.['user'] : undefined,

  async respond(request, phone) {
    const { method, path } = request;
    if (method === 'GET' && path.startsWith('/1/apps/limits.json?')) {
      if (path !== `/1/apps/limits.json?token=${TOKEN}`) return badToken();
      const limits = { limit: MONTHLY_MESSAGES, remaining: 7496, reset: 1_796_083_200 };
      return { status: 200, body: { ...limits, status: 1, request: requestId(0) } };
    }
    if (method !== 'POST' || path !== '/1/messages.json') {
      return { status: 404, body: { errors: ['not found'], status: 0, request: requestId(0) } };
    }
    return badMessage(request) ?? send(request, phone);
  },

  refusals: {
    blocked: () => refusal(400, 'user', 'user has disabled this application'),
    unknown: () =>
      refusal(400, 'user', 'user identifier is not a valid user, group, or subscribed user key'),
    // Pushover's front end answers so to a client with too many connections.
    limited: (seconds) => ({
      status: 429,
      headers: { 'retry-after': String(seconds) },
      body: { errors: ['too many requests'], status: 0, request: requestId(0) },
    }),
    credentials: badToken,
  },

  reports: {
    receipt: ({ message: { vendorId, person } }, { now }) => ({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        receipt: vendorId,
        acknowledged: '1',
        acknowledged_at: String(Math.floor(now / 1000)),
        acknowledged_by: person,
        acknowledged_by_device: 'phone',
      }).toString(),
    }),
  },
  receipts: ['read'],
  hasReceipt: ({ vendorId }) => /^r\d{29}$/.test(vendorId),
};

/** The maximum number of characters of each field. */
const FIELDS: Readonly<Record<string, number>> = {
  token: 30,
  user: 30,
  device: 25,
  message: 1024,
  title: 250,
  url: 512,
  url_title: 100,
  html: 1,
  priority: 2,
  retry: 5,
  expire: 5,
  sound: 50,
  ttl: 8,
  callback: 512,
};

const MAX_IMAGE_BYTES = 5_242_880;

function badMessage({ form = {}, parts = [] }: Request): Reply | undefined {
  if (form['token'] !== TOKEN) return badToken();
  const { user = '', message = '', url, priority = '0' } = form;
  const fault = Object.entries(form).find(
    ([name, value]) => value === '' || Array.from(value).length > (FIELDS[name] ?? 0),
  );
  if (fault) return invalid(fault[0]);
  if (!/^[A-Za-z0-9]{30}$/.test(user)) return refusal(400, 'user', 'user identifier is invalid');
  if (message.trim() === '') return refusal(400, 'message', 'message cannot be blank');
  if (form['html'] !== undefined && !isHtml(message)) return invalid('message');
  if (form['url_title'] !== undefined && url === undefined) return invalid('url_title');
  const files = parts.filter(({ filename }) => filename !== undefined);
  const isImage = files.every(
    ({ name, mediaType = '', bytes }) =>
      name === 'attachment' && mediaType.startsWith('image/') && bytes.length <= MAX_IMAGE_BYTES,
  );
  if (files.length > 1 || !isImage) return invalid('attachment');
  if (!['-2', '-1', '0', '1', '2'].includes(priority)) return invalid('priority');
  return priority === EMERGENCY ? badEmergency(form) : badRepetition(form);
}

const EMERGENCY = '2';

/** The elements that Pushover's apps show. https://pushover.net/api#html */
const isHtml = (text: string) =>
  !/[<>]/.test(text.replaceAll(/<\/?(?:b|i|u)>|<a href="[^"<>]*">|<\/a>/g, ''));

function badRepetition({ retry, expire, callback }: Fields): Reply | undefined {
  const isUnneeded = [retry, expire, callback].some((each) => each !== undefined);
  return isUnneeded ? invalid('priority') : undefined;
}

function badEmergency({ retry, expire, ttl }: Fields): Reply | undefined {
  if (!(Number(retry) >= 30)) return refusal(400, 'retry', 'retry must be at least 30 seconds');
  if (!(Number(expire) <= 10_800)) return refusal(400, 'expire', 'expire must be less than 10800');
  return ttl === undefined ? undefined : invalid('ttl');
}

async function send(request: Request, phone: Phone): Promise<Reply> {
  const { user = '', priority } = request.form ?? {};
  const content = await contentOf(request, phone);
  const isEmergency = priority === EMERGENCY;
  const { number, vendorId } = await phone.show(user, content, isEmergency ? receiptId : requestId);
  const receipt = isEmergency ? { receipt: vendorId } : {};
  return { status: 200, body: { ...receipt, status: 1, request: requestId(number) } };
}

const PRIORITIES: Readonly<Record<string, string>> = {
  '-2': 'lowest priority',
  '-1': 'low priority',
  '1': 'high priority',
  [EMERGENCY]: 'emergency',
};

async function contentOf({ form = {}, parts = [] }: Request, phone: Phone): Promise<ShownContent> {
  const {
    title,
    message = '',
    html,
    url,
    url_title: label = url ?? '',
    priority = '0',
    sound,
    device,
  } = form;
  const image = parts.find(({ filename }) => filename !== undefined);
  const file = image && {
    id: phone.newId(),
    name: image.filename ?? 'image',
    mediaType: image.mediaType ?? 'image/png',
    bytes: image.bytes,
  };
  if (file) await phone.putFile(file);
  const level = PRIORITIES[priority];
  const labels = [
    ...(level === undefined ? [] : [level]),
    ...(sound === undefined ? [] : [`sound ${sound}`]),
    ...(device === undefined ? [] : [`on ${device}`]),
  ];
  return {
    ...(title !== undefined && { title }),
    ...(html === undefined
      ? { text: message }
      : shownText(readHtml(message.replaceAll('\n', '<br>')))),
    ...(file && {
      media: [{ type: 'Image', file: file.id, name: file.name, media_type: file.mediaType }],
    }),
    ...(url !== undefined && { buttons: [{ label, url }] }),
    ...(labels.length > 0 && { labels }),
  };
}
