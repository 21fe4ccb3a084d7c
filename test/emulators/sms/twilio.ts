import {
  ACCOUNT,
  KEY,
  KEY_SECRET,
  SENDER,
  SENDER_SID,
  SERVICE,
  TOKEN,
  tooManyRequests,
  twilio,
  twilioError,
} from '../../../src/sandbox/vendors/sms/twilio.ts';
import { type HttpPeer, openHttp } from '../server/http.ts';
import { MemoryPhone } from '../server/memory-phone.ts';

/* The simulator of Twilio, with the numbers and the file that tests need. */
export {
  ACCOUNT,
  KEY,
  KEY_SECRET,
  SENDER,
  SENDER_SID,
  SERVICE,
  TOKEN,
  tooManyRequests,
  twilioError,
};

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

export async function openTwilio(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  return openHttp(async (request) => {
    const refused = REFUSED[twilio.recipientOf(request) ?? ''];
    if (refused) return twilioError(...refused);
    if (request.path.endsWith(`/Messages/${MEDIA.replace('/', '/Media/')}`)) {
      return { status: 307, headers: { location: FILE } };
    }
    return twilio.respond(request, phone);
  });
}
