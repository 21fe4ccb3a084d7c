import type { FetchAnswer, FetchRequest } from '../lib/http/fetch.ts';
import { fieldsOfBody } from '../lib/http/form-body.ts';
import { multipart, toFormFile } from '../lib/http/multipart.ts';
import { listMember, member, numberMember, textMember } from '../lib/json/json-member.ts';
import { isPlain } from '../lib/rich-text/rich-text.ts';
import { toHtml } from '../lib/rich-text/writers.ts';
import { countCodePoints } from '../lib/text/code-points.ts';
import {
  type Button,
  type Channel,
  type Context,
  type Destination,
  type Failure,
  type MediaPart,
  type TextPart,
  type Unsupported,
  type VendorRequest,
  fileOf,
  isFailure,
  matching,
} from './channel.ts';
import { failureClassifier } from './http-failure.ts';
import { type InboundEvent, ignored } from './inbound.ts';
import { sentUnlessRefused } from './unexpected-success.ts';

/*
 * Pushover. https://pushover.net/api
 * Text: 1,024 characters, plain or in HTML with few elements; title: 250; URL: 512, and its title: 100.
 * One image of up to 5 MB, uploaded: https://pushover.net/api#attachments
 * Emergency messages repeat until somebody acknowledges them. Pushover then calls the `callback` of the message, without
 * a signature: https://pushover.net/api/receipts#callback
 * At most two connections at a time: https://pushover.net/api#friendly. Messages can be neither edited nor deleted.
 */
export const pushover: Channel = {
  name: 'pushover',
  title: 'Pushover',
  category: 'push',
  summary: 'Push notifications to phones and desktops with Pushover.',
  keywords: ['notification', 'alert', 'android', 'ios', 'iphone', 'emergency'],
  docs: 'https://pushover.net/api',
  dashboard: 'https://pushover.net',
  credentials: [
    {
      name: 'token',
      label: 'Application API token',
      help: 'At pushover.net, create an application under Your Applications, and copy its API Token/Key: 30 letters and digits.',
      secret: true,
      format: { pattern: /^[A-Za-z\d]{30}$/, hint: 'API tokens have 30 letters and digits.' },
    },
  ],
  needs: [['token']],
  recipient: {
    format:
      'a user or group key: 30 letters and digits. To reach one device of a user only, add a colon and the name of the device',
    example: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG',
    validate: matching(
      /^[A-Za-z0-9]{30}(?::[\w-]{1,25})?$/,
      'must be a user or group key: 30 letters and digits, and optionally a colon and a device name',
    ),
  },
  limits: [
    { what: '1,024 characters of text, 250 of the title', link: 'https://pushover.net/api#limits' },
    { what: '1 image per message, up to 5 MB', link: 'https://pushover.net/api#attachments' },
    { what: '1 link per message: 512 characters', link: 'https://pushover.net/api#urls' },
    { what: '10,000 messages per month and application', link: 'https://pushover.net/api#limits' },
  ],
  url: 'https://api.pushover.net',
  text: {
    max: 1024,
    measure: countCodePoints,
    // Plain text is sent as plain text, in which Pushover reads no markup.
    write: (rich) => (isPlain(rich) ? undefined : toHtml(rich, '\n', ['b', 'i'])),
  },
  renderers: {
    text: (part, to) => ({ body: { ...headOf(to), ...contentOf(part) } }),
    image: { maxCaptionLength: 1024, compose: imageRequest },
    buttons: { max: 1, maxLabelLength: 100, kinds: ['link'], withMedia: true, add: addLink },
    title: 'the title of the notification',
    titleLimit: { max: 250, measure: countCodePoints },
    options: addOptions,
  },
  options: [
    {
      name: 'priority',
      label: 'Priority',
      help: 'From -2 (no notification) and -1 (no sound) to 1 (ignores quiet hours) and 2 (repeats until somebody acknowledges it). 0 by default.',
      rule: { type: 'integer', min: -2, max: 2 },
      link: 'https://pushover.net/api#priority',
    },
    {
      name: 'retry',
      label: 'Repeat interval',
      help: 'How often a message of priority 2 repeats, in seconds. 60 by default.',
      rule: { type: 'integer', min: 30, max: 10_800, unit: 'seconds' },
      link: 'https://pushover.net/api#priority',
    },
    {
      name: 'expire',
      label: 'Repeat duration',
      help: 'How long a message of priority 2 repeats, in seconds. 3,600 by default.',
      rule: { type: 'integer', min: 30, max: 10_800, unit: 'seconds' },
      link: 'https://pushover.net/api#priority',
    },
    {
      name: 'sound',
      label: 'Sound',
      help: 'The name of a sound of Pushover or of your account. By default, the sound that the user chose.',
      rule: {
        type: 'text',
        maxLength: 50,
        example: 'bike',
        validate: matching(/^[\w-]+$/, 'must be the name of a sound: letters, digits, _ and -'),
      },
      link: 'https://pushover.net/api#sounds',
    },
    {
      name: 'ttl',
      label: 'Time to live',
      help: 'Deletes the message from the devices after this time, in seconds. Messages stay by default. Pushover ignores it at priority 2.',
      rule: { type: 'integer', min: 1, max: 31_536_000, unit: 'seconds' },
      link: 'https://pushover.net/api#ttl',
    },
  ],
  concurrency: 2,

  async send({ body, file }, _message, context) {
    const { token = '' } = context.credentials;
    if (!TOKEN.test(token)) return classifyFailure(undefined, context);
    const callback = body['priority'] === EMERGENCY ? await context.hookUrl?.() : undefined;
    const fields = [
      ['token', token],
      ...Object.entries(body).map(([name, value]) => [name, String(value)] as const),
      ...(callback === undefined ? [] : [['callback', callback] as const]),
    ] as const;
    const form = file ? await withUpload(fields, file, context) : urlEncoded(fields);
    if (isFailure(form)) return form;
    const answer = await context.fetch(`${context.url}/1/messages.json`, form);
    const json = answer.json();
    // The receipt, which only emergency messages have, is the id that the callback repeats.
    const id = textMember(json, 'receipt') ?? textMember(json, 'request');
    return answer.status === 200 && member(json, 'status') === 1 && id !== undefined
      ? { outcome: 'sent', id }
      : sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  /** https://pushover.net/api#limits */
  async check(context) {
    const { token = '' } = context.credentials;
    if (!TOKEN.test(token)) return classifyFailure(undefined, context);
    const answer = await context.fetch(`${context.url}/1/apps/limits.json?token=${token}`);
    const json = answer.json();
    const [limit, remaining] = [numberMember(json, 'limit'), numberMember(json, 'remaining')];
    return answer.status === 200 && limit !== undefined && remaining !== undefined
      ? {
          outcome: 'known',
          as: `an application with ${remaining} of ${limit} messages left`,
          account: null,
        }
      : classifyFailure(answer, context);
  },

  hook: {
    // Pushover does not sign requests: the secret URL is the only protection.
    needs: [[]],
    setup:
      'Nothing to enter: Switchboard gives Pushover the URL with each message of priority 2, if SWITCHBOARD_PUBLIC_URL is set.',
    verify: ({ method }) => (method === 'POST' ? undefined : 'the method must be POST'),
    parse: ({ body, header }) => readCallback(fieldsOfBody(body, header('content-type'))),
  },
  receipts: ['read'],
};

const EMERGENCY = '2';
const TOKEN = /^[A-Za-z0-9]{30}$/;

/** All values are texts, because the request is a form. */
function headOf({ recipient, title }: Destination): Record<string, string> {
  const [user = '', device] = recipient.split(':');
  return {
    user,
    ...(device !== undefined && { device }),
    ...(title !== undefined && { title }),
  };
}

function contentOf({ text, rich }: TextPart): Record<string, string> {
  return isPlain(rich) ? { message: text } : { message: text, html: '1' };
}

/** Pushover requires a text, so an image without a caption is sent with its name. */
function imageRequest(part: MediaPart, to: Destination): VendorRequest | Unsupported {
  const { mediaType, name = 'Image', caption } = part;
  if (mediaType !== undefined && !/^image\//i.test(mediaType)) {
    return { unsupported: 'Pushover shows images only' };
  }
  const content = caption.text === '' ? { message: name } : contentOf(caption);
  return { body: { ...headOf(to), ...content }, file: fileOf(part) };
}

const MAX_URL_LENGTH = 512;

function addLink(request: VendorRequest, [button]: readonly Button[]): VendorRequest | Unsupported {
  const { name, url = '' } = button ?? { name: '' };
  if (countCodePoints(url) > MAX_URL_LENGTH) {
    return { unsupported: `Pushover takes URLs of up to ${MAX_URL_LENGTH} characters` };
  }
  return { ...request, body: { ...request.body, url, url_title: name } };
}

function addOptions(request: VendorRequest, { options }: Destination): VendorRequest {
  const { priority, retry = 60, expire = 3600, sound, ttl } = options;
  const isEmergency = String(priority) === EMERGENCY;
  return {
    ...request,
    body: {
      ...request.body,
      ...(priority !== undefined && { priority: String(priority) }),
      ...(isEmergency && { retry: String(retry), expire: String(expire) }),
      ...(sound !== undefined && { sound }),
      ...(ttl !== undefined && !isEmergency && { ttl: String(ttl) }),
    },
  };
}

type Fields = readonly (readonly [string, string])[];

const urlEncoded = (fields: Fields): FetchRequest => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(Object.fromEntries(fields)).toString(),
});

const MAX_IMAGE_BYTES = 5_242_880;

async function withUpload(
  fields: Fields,
  file: NonNullable<VendorRequest['file']>,
  context: Context,
): Promise<FetchRequest | Failure> {
  const downloaded = await context.download(file.url, { maxBytes: MAX_IMAGE_BYTES });
  if (isFailure(downloaded)) return downloaded;
  const form = multipart([...fields, ['attachment', toFormFile(file, downloaded)]]);
  return { method: 'POST', ...form };
}

const RECEIPT = /^[A-Za-z0-9]{30}$/;

/** Undefined when the request is not one of Pushover. */
function readCallback(fields: ReadonlyMap<string, string>): InboundEvent[] | undefined {
  const id = fields.get('receipt') ?? '';
  if (!RECEIPT.test(id)) return undefined;
  return fields.get('acknowledged') === '1'
    ? [{ what: 'receipt', id, state: 'read' }]
    : ignored('callback', 'no_event');
}

/** Classifies a failed response, which has the invalid parameters as members. https://pushover.net/api#response */
const classifyFailure = failureClassifier({
  vendor: 'Pushover',
  malformed: 'invalid application API token',
  read(answer: FetchAnswer) {
    const errors = listMember(answer.json(), 'errors');
    const isVendorFormat = member(answer.json(), 'status') === 0;
    return { message: errors.map(String).join('; '), isVendorFormat };
  },
  /** When the messages of the month are used up: the time at which the next month begins. */
  retrySeconds(answer, now) {
    const reset = Number(answer.header('x-limit-app-reset') ?? Number.NaN);
    return Number.isSafeInteger(reset) ? Math.max(0, reset - Math.floor(now / 1000)) : undefined;
  },
  blame({ answer }) {
    const json = answer.json();
    if (member(json, 'token') !== undefined) return 'credentials';
    const isAboutUser = member(json, 'user') !== undefined || member(json, 'device') !== undefined;
    return isAboutUser ? 'recipient' : 'content';
  },
});
