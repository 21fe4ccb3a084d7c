import { type FetchAnswer, FetchRefusal } from '../../lib/http/fetch.ts';
import { jsonBytes } from '../../lib/json/json-length.ts';
import { textMember } from '../../lib/json/json-member.ts';
import { CertificateFault } from '../../lib/net/certificate.ts';
import type {
  Button,
  Channel,
  Context,
  Destination,
  Failure,
  Outcome,
  Unsupported,
  VendorRequest,
} from '../channel.ts';
import { failureClassifier } from '../http-failure.ts';
import { isSuccess } from '../unexpected-success.ts';
import { MAX_PLAINTEXT_BYTES, encrypt } from './encryption.ts';
import { OPTIONS, RESERVED_FOR_OPTIONS, ttlOf, withOptions } from './options.ts';
import { readSubscription } from './subscription.ts';
import { authorization, readVapid } from './vapid.ts';

/*
 * Web Push. https://www.rfc-editor.org/rfc/rfc8030
 * Each browser vendor runs a push service; the subscription names it. A message is at most 4,096 bytes encrypted, so
 * its JSON has at most 3,993 bytes: https://www.rfc-editor.org/rfc/rfc8291#section-4
 * VAPID identifies the sender: https://www.rfc-editor.org/rfc/rfc8292
 * Subscriptions come from the visitors of a site, who can forge them. So no response of their endpoint blames the
 * credentials or limits the integration, which would stop the messages to all others.
 */
const MAX_TEXT_BYTES = 2400;
const MAX_TITLE_BYTES = 300;
const MAX_CONTENT_BYTES = MAX_PLAINTEXT_BYTES - RESERVED_FOR_OPTIONS;

export const webpush: Channel = {
  name: 'webpush',
  title: 'Web Push',
  category: 'push',
  summary: 'Push notifications to browsers that subscribed on your site.',
  keywords: ['notification', 'browser', 'vapid', 'pwa', 'service worker'],
  docs: 'https://www.rfc-editor.org/rfc/rfc8030',
  credentials: [
    {
      name: 'secret',
      label: 'VAPID private key',
      help: 'Run npx web-push generate-vapid-keys once, and enter the private key: 43 characters.',
      secret: true,
      format: { pattern: /^[\w-]{43}=?$/, hint: 'Private keys have 43 letters, digits, _ and -.' },
    },
    {
      name: 'consumer_key',
      label: 'VAPID public key',
      help: 'The public key of the same pair: 87 characters. Your site subscribes browsers with it (applicationServerKey).',
      secret: false,
      format: { pattern: /^[\w-]{87}=?$/, hint: 'Public keys have 87 letters, digits, _ and -.' },
    },
    {
      name: 'address',
      label: 'Contact',
      help: 'mailto: and an email address, or an https URL. Push services use it to report problems.',
      secret: false,
      format: {
        pattern: /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/,
        hint: 'Contacts look like mailto:ops@example.org or https://example.org.',
      },
    },
  ],
  needs: [['secret', 'consumer_key', 'address']],
  recipient: {
    format: 'the PushSubscription of a browser, as JSON.stringify writes it',
    example: JSON.stringify({
      endpoint: 'https://fcm.googleapis.com/fcm/send/example-id',
      expirationTime: null,
      keys: {
        p256dh:
          'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    }),
    validate(id) {
      const subscription = readSubscription(id);
      return typeof subscription === 'string' ? subscription : undefined;
    },
  },
  limits: [
    {
      what: '3,993 bytes of JSON per message; of these, 2,400 are for the text and 300 for the title',
      link: 'https://www.rfc-editor.org/rfc/rfc8291#section-4',
    },
  ],
  text: { max: MAX_TEXT_BYTES, unit: 'bytes', measure: jsonBytes },
  renderers: {
    text: ({ text }, to) => notify({ ...titled(to), body: text }),
    image: {
      maxCaptionLength: MAX_TEXT_BYTES,
      compose: ({ url, caption }, to) =>
        fitting({
          ...titled(to),
          ...(caption.text !== '' && { body: caption.text }),
          image: url,
        }),
    },
    // Chromium shows two; a click on the notification itself opens the first.
    buttons: { max: 2, maxLabelLength: 50, kinds: ['link'], withMedia: true, add: addActions },
    title: 'the title of the notification',
    titleLimit: { max: MAX_TITLE_BYTES, measure: jsonBytes },
    options: withOptions,
  },
  options: OPTIONS,
  expires: true,

  async send({ body }, { recipient }, context) {
    const subscription = readSubscription(recipient);
    if (typeof subscription === 'string') return refuse('recipient', subscription);
    const vapid = readVapid(context.credentials);
    if (typeof vapid === 'string') return refuse('credentials', vapid);
    const { endpoint } = subscription;
    const now = context.clock.now();
    const { urgency, topic, notification } = body;
    const plaintext = Buffer.from(JSON.stringify(notification));
    const answer = await request(context, endpoint, {
      authorization: authorization(vapid, endpoint, now),
      body: encrypt(plaintext, subscription),
      headers: {
        ttl: String(ttlOf(body, now)),
        ...(typeof urgency === 'string' && { urgency }),
        ...(typeof topic === 'string' && { topic }),
      },
    });
    if (!('status' in answer) || !isSuccess(answer)) return classifyFailure(answer, context);
    return sentAs(answer.header('location'));
  },
};

function refuse(blame: 'credentials' | 'recipient', detail: string): Failure {
  return { outcome: 'permanent', blame, detail };
}

const notify = (notification: object): VendorRequest => ({ body: { notification } });

const titled = ({ title }: Destination) => (title === undefined ? {} : { title });

const TOO_LONG: Unsupported = { unsupported: 'a push message has at most 3,993 bytes' };

/** Leaves room for the options, which are added last. */
function fitting(notification: object): VendorRequest | Unsupported {
  const bytes = Buffer.byteLength(JSON.stringify(notification));
  return bytes > MAX_CONTENT_BYTES ? TOO_LONG : notify(notification);
}

function addActions(
  { body: { notification } }: VendorRequest,
  buttons: readonly Button[],
): VendorRequest | Unsupported {
  const actions = buttons.map(({ name, url }) => ({ action: url, title: name }));
  return fitting(Object.assign({}, notification, { actions }));
}

/** Posts to the push service, or through the gateway that the operator has set. */
async function request(
  { url: gateway, fetch }: Context,
  endpoint: URL,
  { authorization: token, headers, body }: PushRequest,
): Promise<FetchAnswer | Failure> {
  const url = gateway === '' ? endpoint.href : `${gateway}${endpoint.pathname}${endpoint.search}`;
  try {
    return await fetch(url, {
      method: 'POST',
      headers: {
        authorization: token,
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ...headers,
      },
      body,
    });
  } catch (error) {
    const isForged = error instanceof FetchRefusal || error instanceof CertificateFault;
    if (isForged) return refuse('recipient', error.message);
    throw error;
  }
}

interface PushRequest {
  authorization: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

const MAX_ID_LENGTH = 1000;

/** The id is the URL of the message at the push service. RFC 8030, section 5 */
function sentAs(location = ''): Outcome {
  const isId = location !== '' && location.length <= MAX_ID_LENGTH;
  return isId ? { outcome: 'sent', id: location } : { outcome: 'sent' };
}

/** 408: the push service waited for the request. */
const REQUEST_TIMEOUT = 408;
/** Not found, gone: the subscription has ended. Unauthorized, forbidden: it was made with another VAPID key. */
const ABOUT_SUBSCRIPTION: ReadonlySet<number> = new Set([401, 403, 404, 410]);

const classifyFailure = failureClassifier({
  vendor: 'the push service',
  isPrefixed: true,
  read: (answer) => ({ message: messageOf(answer), isVendorFormat: true }),
  rateLimit: ({ status }) => (status === 429 ? 'recipient' : undefined),
  exception: ({ status }) => (status === REQUEST_TIMEOUT ? 'unsent' : undefined),
  blame: ({ status }) => (ABOUT_SUBSCRIPTION.has(status) ? 'recipient' : 'content'),
});

const MAX_MESSAGE_LENGTH = 200;

/** Apple states a `reason`, Mozilla a `message`, Google a line of text. */
function messageOf(answer: FetchAnswer): string {
  const json = answer.json();
  const stated = textMember(json, 'reason') ?? textMember(json, 'message');
  const [line = ''] = (stated ?? answer.text).trim().split(/[\r\n]/, 1);
  if (line.startsWith('<')) return '';
  return line
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, MAX_MESSAGE_LENGTH)
    .toWellFormed();
}
