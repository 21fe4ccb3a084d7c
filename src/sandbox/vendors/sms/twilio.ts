import { createHmac } from 'node:crypto';

import { placeholdersIn, withValues } from '../../../model/templates/vendor-template.ts';
import type { Phone } from '../../phone.ts';
import type { ShownContent } from '../../shown.ts';
import type { ReportContext, Simulator, WebhookRequest } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { isOutsideWindow } from '../window.ts';
import { optOutReaction } from './opt-out.ts';

/*
 * Twilio's Message resource, at least as strict as documented: fields that Twilio would silently ignore are refused.
 * https://www.twilio.com/docs/messaging/api/message-resource
 */
export const ACCOUNT = `AC${'0123456789abcdef'.repeat(2)}`;
export const SERVICE = `MG${'fedcba9876543210'.repeat(2)}`;
export const KEY = `SK${'00112233445566ff'.repeat(2)}`;
export const TOKEN = 'fake-auth-token-of-an-account';
export const KEY_SECRET = 'fake-secret-of-an-api-key';
export const SENDER = '+15557122661';
/** A person who never writes first. */
const SILENT = 'whatsapp:+15558675312';
export const SENDER_SID = `PN${'0123456789abcdef'.repeat(2)}`;

export function twilioError(code: number, status: number, message = `error ${code}`): Reply {
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return { status, body: { code, message, more_info, status } };
}

export const tooManyRequests = (seconds?: number): Reply => ({
  ...twilioError(20429, 429, 'Too Many Requests'),
  ...(seconds !== undefined && { headers: { 'retry-after': String(seconds) } }),
});

export const twilio: Simulator = {
  channel: 'twilio',
  limits: {
    none: 'Twilio queues messages above the rate of a sender, and documents no limit on requests',
  },
  credentials: { token: ACCOUNT, secret: TOKEN, username: SENDER },
  people: [
    { address: '+15558675310', name: 'Ada Example' },
    { address: '+15558675311', name: 'Grace Example' },
    { address: 'whatsapp:+15558675310', name: 'Ada on WhatsApp' },
    { address: SILENT, name: 'Silent on WhatsApp' },
  ],
  hosts: ['content.twilio.com'],
  hasPlaces: (address) => isWhatsApp(address),
  magicAddress: (number) => `+15005550${number}`,

  recipientOf: ({ method, path, form }) =>
    method === 'POST' && path.endsWith('/Messages.json') ? form?.['To'] : undefined,

  async respond(request, phone) {
    if (/^(https:\/\/content\.twilio\.com)?\/v1\/ContentAndApprovals\?/.test(request.path)) {
      return userOf(request) === undefined ? twilioError(20003, 401) : ok(CONTENTS);
    }
    const serviceReply = answerService(request);
    if (serviceReply) return serviceReply;
    const [, account, rest = ''] =
      /^\/2010-04-01\/Accounts\/([^/.]*)(.*)$/.exec(request.path) ?? [];
    if (account === undefined) return twilioError(20404, 404, 'The requested resource');
    const user = userOf(request);
    if (user === undefined || account !== ACCOUNT) return twilioError(20003, 401, 'Authenticate');
    if (rest === '/Messages.json' && request.method === 'POST') return post(request, phone);
    if (rest === `/IncomingPhoneNumbers/${SENDER_SID}.json` && request.method === 'POST') {
      return badSettings(request, ['SmsMethod', 'SmsUrl']) ?? ok({ sid: SENDER_SID });
    }
    if (request.method !== 'GET') return twilioError(20004, 405, 'Method not allowed');
    return read(rest, user, phone);
  },

  refusals: {
    blocked: () => twilioError(21610, 400, 'Attempt to send to unsubscribed recipient'),
    unknown: () => twilioError(21211, 400, "The 'To' number is not a valid phone number."),
    limited: (seconds) => tooManyRequests(seconds),
    credentials: () => twilioError(20003, 401, 'Authenticate'),
  },

  vendorReaction: ({ person, ...written }) =>
    isWhatsApp(person.address) ? undefined : optOutReaction(written),

  reports: {
    message({ person, text = '', media, place, replyTo }, context) {
      const sid = sidOf(media ? 'MM' : 'SM', context.number);
      const file = media && `${ACCOUNT}/Messages/${sid}/Media/${mediaSid(media.file.id)}`;
      return {
        ...signed(
          {
            MessageSid: sid,
            SmsSid: sid,
            AccountSid: ACCOUNT,
            SmsStatus: 'received',
            From: person.address,
            To: SENDER,
            Body: text,
            NumMedia: media ? '1' : '0',
            ...(isWhatsApp(person.address) && { ProfileName: person.name }),
            ...(media && {
              MediaUrl0: `https://api.twilio.com/2010-04-01/Accounts/${file}`,
              MediaContentType0: media.file.mediaType,
            }),
            ...(place && {
              Latitude: String(place.latitude),
              Longitude: String(place.longitude),
              ...(place.name !== undefined && { Label: place.name }),
            }),
            ...(replyTo && { OriginalRepliedMessageSid: replyTo.vendorId }),
          },
          context,
        ),
        id: sid,
      };
    },

    receipt: ({ message, state }, context) =>
      signed(
        {
          MessageSid: message.vendorId,
          SmsSid: message.vendorId,
          AccountSid: ACCOUNT,
          From: SENDER,
          To: message.person,
          MessageStatus: state === 'failed' ? 'undelivered' : state,
          SmsStatus: state === 'failed' ? 'undelivered' : state,
          ...(state === 'failed' && {
            ErrorCode: '30003',
            ErrorMessage: 'Unreachable destination handset',
          }),
        },
        context,
      ),
  },
};

/** The text of a content template; undefined if it does not exist or the variables do not match. */
function contentBody({ ContentSid, ContentVariables = '{}' }: Record<string, string>) {
  const found = CONTENTS.contents.find(({ sid }) => sid === ContentSid);
  if (!found) return undefined;
  const { body } = found.types['twilio/text'];
  const values = new Map(Object.entries(JSON.parse(ContentVariables) as Record<string, string>));
  const names = placeholdersIn(body);
  const fits = names.length === values.size && names.every((name) => values.has(name));
  return fits ? withValues(body, values) : undefined;
}

/** https://www.twilio.com/docs/api/errors/63016 */
async function windowFault({ form = {} }: Request, phone: Phone): Promise<Reply | undefined> {
  const { To = '', ContentSid } = form;
  if (ContentSid !== undefined || !isWhatsApp(To)) return undefined;
  const isOutside = await isOutsideWindow(To, phone, [SILENT]);
  return isOutside
    ? twilioError(63016, 400, 'Failed to send freeform message because you are outside the window')
    : undefined;
}

const ok = (body: object): Reply => ({ status: 200, body });

const sidOf = (prefix: string, number: number) =>
  `${prefix}${number.toString(16).padStart(32, '0')}`;

/** https://www.twilio.com/docs/content/content-api-resources */
const content = (number: number, name: string, body: string, status: string) => ({
  sid: sidOf('HX', number),
  friendly_name: name,
  language: 'en',
  variables: Object.fromEntries(placeholdersIn(body).map((each) => [each, 'example'])),
  types: { 'twilio/text': { body } },
  approval_requests: { name, category: 'UTILITY', status, rejection_reason: '' },
});

const CONTENTS = {
  contents: [
    content(1, 'order_shipped', 'Hi {{1}}, order {{2}} is on its way.', 'approved'),
    content(2, 'spring_sale', '20 % off, only today!', 'paused'),
  ],
  meta: { next_page_url: null, page: 0, page_size: 100 },
};

const isWhatsApp = (address: string) => address.startsWith('whatsapp:');

/** File ids are 16 hexadecimal digits. */
const mediaSid = (file: string) => `ME${file.padStart(32, '0')}`;

async function post(request: Request, phone: Phone): Promise<Reply> {
  const fault = faultOf(request) ?? (await windowFault(request, phone));
  if (fault) return fault;
  const { To = '', From = null, MessagingServiceSid = null, Body = '' } = request.form ?? {};
  const { vendorId: sid } = await phone.show(To, contentOf(request), (number) =>
    sidOf('SM', number),
  );
  return {
    status: 201,
    body: {
      sid,
      status: MessagingServiceSid === null ? 'queued' : 'accepted',
      account_sid: ACCOUNT,
      to: To,
      from: From,
      messaging_service_sid: MessagingServiceSid,
      body: Body,
      error_code: null,
      error_message: null,
    },
  };
}

function contentOf({ form = {} }: Request): ShownContent {
  const { MediaUrl = '', PersistentAction = '' } = form;
  const Body = form['ContentSid'] === undefined ? (form['Body'] ?? '') : (contentBody(form) ?? '');
  const [, latitude, longitude, name] =
    /^geo:(-?[\d.]+),(-?[\d.]+)(?:\|(.+))?$/.exec(PersistentAction) ?? [];
  return {
    ...(Body !== '' && { text: Body }),
    ...(MediaUrl !== '' && { media: [{ type: kindOf(MediaUrl), url: MediaUrl }] }),
    ...(latitude !== undefined &&
      longitude !== undefined && {
        place: {
          latitude: Number(latitude),
          longitude: Number(longitude),
          ...(name !== undefined && { name }),
        },
      }),
  };
}

function kindOf(url: string): 'Image' | 'Video' | 'Audio' | 'Document' {
  const path = URL.parse(url)?.pathname ?? '';
  if (/\.(mp4|3gp|mov|webm)$/i.test(path)) return 'Video';
  if (/\.(mp3|ogg|m4a|amr|wav)$/i.test(path)) return 'Audio';
  return /\.(pdf|vcf|txt|zip|docx?)$/i.test(path) ? 'Document' : 'Image';
}

async function read(path: string, user: string, phone: Phone): Promise<Reply> {
  if (path === '/Messages.json?PageSize=1') {
    return { status: 200, body: { messages: [], page: 0, page_size: 1 } };
  }
  const [, sid] = /^\/Messages\/((?:SM|MM)[0-9a-f]{32})\.json$/.exec(path) ?? [];
  if (sid !== undefined && (await phone.find(sid))) {
    return ok({ sid, status: 'delivered', price: '-0.00750', price_unit: 'USD' });
  }
  if (path.startsWith('/IncomingPhoneNumbers.json?PhoneNumber=')) {
    const isOwn = path.endsWith(`=${encodeURIComponent(SENDER)}`);
    const number = { sid: SENDER_SID, phone_number: SENDER };
    return ok({ incoming_phone_numbers: isOwn ? [number] : [], page: 0, page_size: 50 });
  }
  const [, media] = /^\/Messages\/MM[0-9a-f]{32}\/Media\/ME0{16}([0-9a-f]{16})$/.exec(path) ?? [];
  if (media !== undefined) {
    const file = await phone.file(media);
    if (!file) return twilioError(20404, 404, 'The requested resource was not found');
    return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
  }
  if (path !== '.json') return twilioError(20404, 404, 'The requested resource was not found');
  // A standard key may not read accounts.
  if (user === KEY) return twilioError(20003, 401, 'Authenticate');
  return ok({ sid: ACCOUNT, friendly_name: 'Example Ltd', status: 'active', type: 'Full' });
}

const FIELDS = new Set([
  'To',
  'From',
  'MessagingServiceSid',
  'Body',
  'MediaUrl',
  'PersistentAction',
  'ContentSid',
  'ContentVariables',
  'StatusCallback',
  'ValidityPeriod',
  'SmartEncoded',
  'ShortenUrls',
]);
const invalid = (what: string) => twilioError(20001, 400, `SIMULATOR: ${what}`);

/** https://www.twilio.com/docs/messaging/api/service-resource */
function answerService(request: Request): Reply | undefined {
  const [, service] = /^\/v1\/Services\/([^/]*)$/.exec(request.path) ?? [];
  if (service === undefined) return undefined;
  if (userOf(request) === undefined) return twilioError(20003, 401, 'Authenticate');
  if (service !== SERVICE || request.method !== 'POST') return twilioError(20404, 404, 'not found');
  const names = [
    'InboundMethod',
    'InboundRequestUrl',
    'StatusCallback',
    'UseInboundWebhookOnNumber',
  ];
  return badSettings(request, names) ?? ok({ sid: SERVICE });
}

function badSettings({ form }: Request, names: readonly string[]): Reply | undefined {
  const given = Object.keys(form ?? {}).toSorted();
  return given.join() === names.join() ? undefined : invalid(`unexpected fields: ${given.join()}`);
}

function userOf({ headers }: Request): string | undefined {
  const [scheme, basic = ''] = (headers['authorization'] ?? '').split(' ');
  if (scheme !== 'Basic') return undefined;
  const given = Buffer.from(basic, 'base64').toString();
  return [`${ACCOUNT}:${TOKEN}`, `${KEY}:${KEY_SECRET}`].includes(given)
    ? given.split(':')[0]
    : undefined;
}

function faultOf(request: Request): Reply | undefined {
  return badForm(request) ?? badAddress(request) ?? badContent(request) ?? badOptions(request);
}

function badForm({ form, text }: Request): Reply | undefined {
  if (!form) return invalid('not a form');
  const names = [...new URLSearchParams(text).keys()];
  const other = names.find((name) => !FIELDS.has(name));
  if (other !== undefined) return invalid(`unknown field ${other}`);
  return new Set(names).size === names.length ? undefined : invalid('a field is given twice');
}

const ADDRESS =
  /^((whatsapp:|rcs:)?\+[1-9]\d{4,14}|whatsapp:[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}|messenger:\d+)$/;
const CHANNEL = /^(?:(whatsapp|rcs|messenger):)?/;

function badAddress({ form = {} }: Request): Reply | undefined {
  const { To = '', From, MessagingServiceSid } = form;
  if (To === '') return twilioError(21604, 400, "A 'To' phone number is required.");
  if (!ADDRESS.test(To)) {
    return twilioError(21211, 400, `The 'To' number ${To} is not a valid phone number.`);
  }
  if (MessagingServiceSid !== undefined) {
    return MessagingServiceSid === SERVICE
      ? undefined
      : twilioError(21701, 404, 'The Messaging Service resource does not exist');
  }
  if (From === undefined || From === '') return twilioError(21603, 400, "A 'From' is required.");
  const [, toChannel] = CHANNEL.exec(To) ?? [];
  const [, fromChannel] = CHANNEL.exec(From) ?? [];
  if (toChannel !== fromChannel) return twilioError(63007, 400, 'could not find a Channel');
  const isOwn = [SENDER, `whatsapp:${SENDER}`, 'messenger:1', 'ACME'].includes(From);
  return isOwn ? undefined : twilioError(21606, 400, `The 'From' number ${From} is not yours`);
}

function badOptions({ form = {} }: Request): Reply | undefined {
  const { ValidityPeriod = '36000', SmartEncoded = 'false', ShortenUrls = 'false' } = form;
  const seconds = Number(ValidityPeriod);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 36_000) {
    return twilioError(21624, 400, 'Invalid validity period value');
  }
  const areBooleans = [SmartEncoded, ShortenUrls].every((value) => /^(?:true|false)$/.test(value));
  if (!areBooleans) return invalid('not a boolean');
  const needsService = ShortenUrls === 'true' && form['MessagingServiceSid'] === undefined;
  return needsService ? invalid('links are shortened for services only') : undefined;
}

const ACTION = /^geo:-?\d{1,2}(\.\d+)?,-?\d{1,3}(\.\d+)?(\|[^|]+)?$/;

function badContent({ form = {} }: Request): Reply | undefined {
  const { To = '', Body = '', MediaUrl = '', PersistentAction } = form;
  if (form['ContentSid'] !== undefined) {
    if (Body !== '' || MediaUrl !== '') return invalid('content with a body');
    return contentBody(form) === undefined
      ? twilioError(21656, 400, 'The ContentVariables parameter is invalid')
      : undefined;
  }
  if (Body.trim() === '' && MediaUrl === '') {
    return twilioError(21602, 400, 'Message body is required.');
  }
  if (Body.length > 1600) {
    return twilioError(21617, 400, 'The concatenated message body exceeds the 1600 limit');
  }
  if (MediaUrl !== '' && !/^https?:\/\//.test(MediaUrl)) {
    return twilioError(21620, 400, 'Invalid media URL(s)');
  }
  if (PersistentAction === undefined) return undefined;
  const fits = isWhatsApp(To) && ACTION.test(PersistentAction);
  return fits ? undefined : invalid('not a place');
}

/** https://www.twilio.com/docs/usage/security#validating-requests */
function signed(
  fields: Record<string, string>,
  { credentials, url }: ReportContext,
): WebhookRequest {
  const written = Object.keys(fields)
    .toSorted()
    .map((name) => `${name}${fields[name]}`)
    .join('');
  const signature = createHmac('sha1', credentials.secret ?? '')
    .update(`${url}${written}`)
    .digest('base64');
  return {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': signature,
    },
    body: new URLSearchParams(fields).toString(),
  };
}
