import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';

/*
 * Emulates the parts of Pushover that we use, as strict as its documentation, and refuses unknown fields.
 * https://pushover.net/api
 */

export const TOKEN = 'fakeTokenOfAnApplication000000';
export const USER = 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG';
export const DEVICE = 'droid2';
export const REQUEST = '647d2300-702c-4b38-8b2f-d56326ae460b';
export const RECEIPT = 'rLqVuqTRh62UzxtmqiaLzQmVcPgiCy';

export const refusal = (status: number, parameter: string, error: string, headers = {}): Reply => ({
  status,
  headers,
  body: { [parameter]: 'invalid', errors: [error], status: 0, request: REQUEST },
});

const invalid = (parameter: string) => refusal(400, parameter, `EMULATOR: ${parameter} is invalid`);
const badToken = () => refusal(400, 'token', 'application token is invalid');

export const MAX_IMAGE_BYTES = 5_242_880;

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

export async function openPushover(): Promise<HttpPeer> {
  return openHttp((request) => {
    const { method, path } = request;
    if (method === 'GET' && path.startsWith('/1/apps/limits.json?')) {
      if (path !== `/1/apps/limits.json?token=${TOKEN}`) return badToken();
      const limits = { limit: 10_000, remaining: 7496, reset: 1_796_083_200 };
      return { status: 200, body: { ...limits, status: 1, request: REQUEST } };
    }
    if (method === 'POST' && path === '/1/messages.json') return send(request);
    return { status: 404, body: { errors: ['not found'], status: 0, request: REQUEST } };
  });
}

function send({ form = {}, parts = [] }: Request): Reply {
  if (form['token'] !== TOKEN) return badToken();
  const { user, device, message = '', url, priority = '0' } = form;
  const fault = Object.entries(form).find(
    ([name, value]) => value === '' || Array.from(value).length > (FIELDS[name] ?? 0),
  );
  if (fault) return invalid(fault[0]);
  if (user !== USER) return refusal(400, 'user', 'user identifier is invalid');
  if (device !== undefined && device !== DEVICE) {
    return refusal(400, 'device', 'device name is not valid for user');
  }
  if (message.trim() === '') return refusal(400, 'message', 'message cannot be blank');
  if (form['html'] !== undefined && !isHtml(message)) return invalid('message');
  if (form['url_title'] !== undefined && url === undefined) return invalid('url_title');
  if (form['sound'] === 'silence') return refusal(400, 'sound', 'sound is invalid');
  const files = parts.filter(({ filename }) => filename !== undefined);
  const isImage = files.every(
    ({ name, mediaType = '', bytes }) =>
      name === 'attachment' && mediaType.startsWith('image/') && bytes.length <= MAX_IMAGE_BYTES,
  );
  if (files.length > 1 || !isImage) return invalid('attachment');
  if (!['-2', '-1', '0', '1', '2'].includes(priority)) return invalid('priority');
  return priority === '2' ? emergency(form) : accepted(form);
}

/** The elements that Pushover's apps show. https://pushover.net/api#html */
const isHtml = (text: string) =>
  !/[<>]/.test(text.replaceAll(/<\/?(?:b|i|u)>|<a href="[^"<>]*">|<\/a>/g, ''));

function accepted({ retry, expire, callback }: Readonly<Record<string, string>>): Reply {
  const isUnneeded = [retry, expire, callback].some((each) => each !== undefined);
  return isUnneeded ? invalid('priority') : { status: 200, body: { status: 1, request: REQUEST } };
}

function emergency({ retry, expire, ttl }: Readonly<Record<string, string>>): Reply {
  if (!(Number(retry) >= 30)) return refusal(400, 'retry', 'retry must be at least 30 seconds');
  if (!(Number(expire) <= 10_800)) return refusal(400, 'expire', 'expire must be less than 10800');
  if (ttl !== undefined) return invalid('ttl');
  return { status: 200, body: { receipt: RECEIPT, status: 1, request: REQUEST } };
}
