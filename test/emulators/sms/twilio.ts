import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';

/*
 * The parts of Twilio's Message resource that we use, at least as strict as documented: fields that Twilio would
 * silently ignore are refused. https://www.twilio.com/docs/messaging/api/message-resource
 */
export const ACCOUNT = `AC${'0123456789abcdef'.repeat(2)}`;
export const SERVICE = `MG${'fedcba9876543210'.repeat(2)}`;
export const KEY = `SK${'00112233445566ff'.repeat(2)}`;
export const TOKEN = 'fake-auth-token-of-an-account';
export const KEY_SECRET = 'fake-secret-of-an-api-key';
export const SENDER = '+15557122661';
export const SENDER_SID = `PN${'0123456789abcdef'.repeat(2)}`;
/** A message with media and its temporary address. */
export const MEDIA = `MM${'0123456789abcdef'.repeat(2)}/ME${'0123456789abcdef'.repeat(2)}`;
export const FILE = 'https://mms.twiliocdn.example/a-picture?Expires=1&Signature=not-a-secret';

/** From Twilio's own test credentials and documentation. */
export const NUMBERS = {
  person: '+15558675310',
  invalid: '+15005550001',
  unroutable: '+15005550002',
  foreign: '+15005550003',
  stopped: '+15005550004',
  landline: '+15005550009',
} as const;

const REFUSED: Readonly<Record<string, [code: number, status: number, message: string]>> = {
  [NUMBERS.invalid]: [21211, 400, "The 'To' number +15005550001 is not a valid phone number."],
  [NUMBERS.unroutable]: [21612, 400, 'The message From/To pair violates a blacklist rule.'],
  [NUMBERS.foreign]: [21408, 403, 'Permission to send an SMS has not been enabled for the region'],
  [NUMBERS.stopped]: [21610, 400, 'Attempt to send to unsubscribed recipient'],
  [NUMBERS.landline]: [21614, 400, "'To' number is not a valid mobile number"],
};

export function twilioError(code: number, status: number, message = `error ${code}`): Reply {
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return { status, body: { code, message, more_info, status } };
}

export const tooManyRequests = (seconds?: number): Reply => ({
  ...twilioError(20429, 429, 'Too Many Requests'),
  ...(seconds !== undefined && { headers: { 'retry-after': String(seconds) } }),
});

const FIELDS = [
  'To',
  'From',
  'MessagingServiceSid',
  'Body',
  'MediaUrl',
  'PersistentAction',
  'StatusCallback',
  'ValidityPeriod',
  'SmartEncoded',
  'ShortenUrls',
];
const emulator = (what: string) => twilioError(20001, 400, `EMULATOR: ${what}`);

export async function openTwilio(): Promise<HttpPeer> {
  let last = 0;
  const post = (request: Request): Reply => {
    const fault =
      badForm(request) ?? badAddress(request) ?? badContent(request) ?? badOptions(request);
    if (fault) return fault;
    const { To, From = null, MessagingServiceSid = null, Body = '' } = request.form ?? {};
    const sid = `SM${String(++last).padStart(32, '0')}`;
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
  };

  return openHttp((request) => {
    const service = serviceOf(request);
    if (service) return service;
    const [, account, rest = ''] =
      /^\/2010-04-01\/Accounts\/([^/.]*)(.*)$/.exec(request.path) ?? [];
    if (account === undefined) return twilioError(20404, 404, 'The requested resource');
    const user = userOf(request);
    if (user === undefined || account !== ACCOUNT) return twilioError(20003, 401, 'Authenticate');
    if (rest === '/Messages.json' && request.method === 'POST') return post(request);
    if (rest === `/IncomingPhoneNumbers/${SENDER_SID}.json` && request.method === 'POST') {
      return badSettings(request, ['SmsMethod', 'SmsUrl']) ?? ok({ sid: SENDER_SID });
    }
    if (request.method !== 'GET') return twilioError(20004, 405, 'Method not allowed');
    if (rest === '/Messages.json?PageSize=1') {
      return { status: 200, body: { messages: [], page: 0, page_size: 1 } };
    }
    if (rest.startsWith('/IncomingPhoneNumbers.json?PhoneNumber=')) {
      const isOwn = rest.endsWith(`=${encodeURIComponent(SENDER)}`);
      const number = { sid: SENDER_SID, phone_number: SENDER };
      return ok({ incoming_phone_numbers: isOwn ? [number] : [], page: 0, page_size: 50 });
    }
    if (rest === `/Messages/${MEDIA.replace('/', '/Media/')}`) {
      return { status: 307, headers: { location: FILE } };
    }
    if (rest !== '.json') return twilioError(20404, 404, 'The requested resource was not found');
    // A standard key may not read accounts.
    if (user === KEY) return twilioError(20003, 401, 'Authenticate');
    return {
      status: 200,
      body: { sid: ACCOUNT, friendly_name: 'Example Ltd', status: 'active', type: 'Full' },
    };
  });
}

const ok = (body: object): Reply => ({ status: 200, body });

/** https://www.twilio.com/docs/messaging/api/service-resource */
function serviceOf(request: Request): Reply | undefined {
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
  return given.join() === names.join() ? undefined : emulator(`unexpected fields: ${given.join()}`);
}

function userOf({ headers }: Request): string | undefined {
  const [scheme, basic = ''] = (headers['authorization'] ?? '').split(' ');
  if (scheme !== 'Basic') return undefined;
  const given = Buffer.from(basic, 'base64').toString();
  return [`${ACCOUNT}:${TOKEN}`, `${KEY}:${KEY_SECRET}`].includes(given)
    ? given.split(':')[0]
    : undefined;
}

function badForm({ form, text }: Request): Reply | undefined {
  if (!form) return emulator('not a form');
  const names = [...new URLSearchParams(text).keys()];
  const unknown = names.find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return emulator(`unknown field ${unknown}`);
  return new Set(names).size === names.length ? undefined : emulator('a field is given twice');
}

const ADDRESS =
  /^((whatsapp:|rcs:)?\+[1-9]\d{4,14}|whatsapp:[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}|messenger:\d+)$/;
const CHANNEL = /^(?:(whatsapp|rcs|messenger):)?/;

function badAddress({ form = {} }: Request): Reply | undefined {
  const { To = '', From, MessagingServiceSid } = form;
  if (To === '') return twilioError(21604, 400, "A 'To' phone number is required.");
  const refused = REFUSED[To];
  if (refused) return twilioError(...refused);
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
  if (!areBooleans) return emulator('not a boolean');
  const needsService = ShortenUrls === 'true' && form['MessagingServiceSid'] === undefined;
  return needsService ? emulator('links are shortened for services only') : undefined;
}

const ACTION = /^geo:-?\d{1,2}(\.\d+)?,-?\d{1,3}(\.\d+)?(\|[^|]+)?$/;

function badContent({ form = {} }: Request): Reply | undefined {
  const { To = '', Body = '', MediaUrl = '', PersistentAction } = form;
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
  const fits = To.startsWith('whatsapp:') && ACTION.test(PersistentAction);
  return fits ? undefined : emulator('not a place');
}
