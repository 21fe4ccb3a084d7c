import type { ChannelOption, Destination, VendorRequest } from '../channel.ts';

const MAX_TTL_SECONDS = 28 * 24 * 60 * 60;
const MAX_URL_LENGTH = 400;
const MAX_TAG_LENGTH = 64;
/** The bytes of the options in a notification: two URLs, a tag of emoji, and their names. */
export const RESERVED_FOR_OPTIONS = 2 * MAX_URL_LENGTH + 4 * MAX_TAG_LENGTH + 60;

const NOTIFICATION = 'https://developer.mozilla.org/en-US/docs/Web/API/Notification';

export const OPTIONS: readonly ChannelOption[] = [
  {
    name: 'ttl',
    label: 'Time to live',
    help: 'How long the push service keeps the message for a browser that is offline: 28 days by default, and never beyond endTime. 0 reaches browsers that are online only.',
    rule: { type: 'integer', min: 0, max: MAX_TTL_SECONDS, unit: 'seconds' },
    link: 'https://www.rfc-editor.org/rfc/rfc8030#section-5.2',
  },
  {
    name: 'urgency',
    label: 'Urgency',
    help: 'Less urgent messages wait while a device saves power. normal by default.',
    rule: { type: 'choice', choices: ['very-low', 'low', 'normal', 'high'] },
    link: 'https://www.rfc-editor.org/rfc/rfc8030#section-5.3',
  },
  {
    name: 'topic',
    label: 'Topic',
    help: 'Replaces a message with the same topic that the browser has not received yet.',
    rule: {
      type: 'text',
      maxLength: 32,
      example: 'order-17',
      validate: (value) =>
        /^[A-Za-z0-9_-]+$/.test(value) ? undefined : 'must be letters, digits, _ and -',
    },
    link: 'https://www.rfc-editor.org/rfc/rfc8030#section-5.4',
  },
  {
    name: 'tag',
    label: 'Tag',
    help: 'Replaces a notification with the same tag that is on the screen.',
    rule: { type: 'text', maxLength: MAX_TAG_LENGTH, example: 'order-17' },
    link: `${NOTIFICATION}/tag`,
  },
  {
    name: 'silent',
    label: 'Silent',
    help: 'Shows the notification without sound and vibration. False by default.',
    rule: { type: 'boolean' },
    link: `${NOTIFICATION}/silent`,
  },
  {
    name: 'url',
    label: 'URL',
    help: 'The page that a click on the notification opens. By default, the first button decides.',
    rule: {
      type: 'text',
      maxLength: MAX_URL_LENGTH,
      example: 'https://example.com/orders/17',
      validate: urlFault,
    },
    link: 'https://developer.mozilla.org/en-US/docs/Web/API/Clients/openWindow',
  },
  {
    name: 'icon',
    label: 'Icon',
    help: 'The URL of an icon. By default, browsers show their own.',
    rule: {
      type: 'text',
      maxLength: MAX_URL_LENGTH,
      example: 'https://example.com/icon.png',
      validate: urlFault,
    },
    link: `${NOTIFICATION}/icon`,
  },
];

/** Characters that JSON escapes must be written as %22 and %5C, as in any URL. */
function urlFault(value: string): string | undefined {
  const isUrl = /^https:\/\/[\x21\x23-\x5b\x5d-\x7e]+$/.test(value) && URL.canParse(value);
  return isUrl ? undefined : 'must be an https URL';
}

/** `ttl`, `urgency` and `topic` are for the push service, the others for the browser. */
export function withOptions(
  { body, ...rest }: VendorRequest,
  { options: { ttl, urgency, topic, ...shown }, expiresAt }: Destination,
): VendorRequest {
  const { notification } = body;
  return {
    ...rest,
    body: {
      notification: Object.assign({}, notification, shown),
      ...(ttl !== undefined && { ttl }),
      ...(urgency !== undefined && { urgency }),
      ...(topic !== undefined && { topic }),
      ...(expiresAt !== undefined && { expires: new Date(expiresAt).toISOString() }),
    },
  };
}

/** The time to live in seconds, up to the expiry. */
export function ttlOf({ ttl, expires }: VendorRequest['body'], now: number): number {
  const ttlSeconds = typeof ttl === 'number' ? ttl : MAX_TTL_SECONDS;
  const left = typeof expires === 'string' ? (Date.parse(expires) - now) / 1000 : ttlSeconds;
  return Math.max(0, Math.min(ttlSeconds, Math.floor(left)));
}
