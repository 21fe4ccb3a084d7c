import type { ChannelOption, Destination, VendorRequest } from '../channel.ts';
import type { Address } from './pdu.ts';

const MAX_TTL_SECONDS = 30 * 24 * 60 * 60;
const MIN_TTL_SECONDS = 60;
const SPECIFICATION = 'https://smpp.org/SMPP_v3_4_Issue1_2.pdf';
const NUMBER = /^\+?\d{1,15}$/;
const NAME = /^[A-Za-z0-9 ._&-]{1,11}$/;

export const OPTIONS: readonly ChannelOption[] = [
  {
    name: 'source_address',
    label: 'Sender',
    help: 'The sender that phones show: a number, a short code, or up to 11 letters and digits. By default, the server chooses.',
    rule: {
      type: 'text',
      maxLength: 16,
      example: '+491512345678',
      validate: (value) =>
        NUMBER.test(value) || NAME.test(value)
          ? undefined
          : 'must be a number, or up to 11 letters and digits',
    },
    link: SPECIFICATION,
  },
  {
    name: 'ttl',
    label: 'Time to live',
    help: 'How long the server tries to deliver the message (validity_period), and never beyond endTime. By default, the server decides.',
    rule: { type: 'integer', min: MIN_TTL_SECONDS, max: MAX_TTL_SECONDS, unit: 'seconds' },
    link: SPECIFICATION,
  },
  {
    name: 'flash',
    label: 'Flash message',
    help: 'Shows the message at once, without storing it (class 0). False by default.',
    rule: { type: 'boolean' },
    link: SPECIFICATION,
  },
  {
    name: 'priority',
    label: 'Priority',
    help: 'From 0, the lowest and the default, to 3. Its meaning depends on the network.',
    rule: { type: 'integer', min: 0, max: 3 },
    link: SPECIFICATION,
  },
];

export function withOptions(
  { body, ...rest }: VendorRequest,
  { options, expiresAt }: Destination,
): VendorRequest {
  const expires = expiresAt === undefined ? {} : { expires: new Date(expiresAt).toISOString() };
  return { ...rest, body: { ...body, ...options, ...expires } };
}

const INTERNATIONAL = { ton: 1, npi: 1 };
const UNKNOWN = { ton: 0, npi: 1 };
const ALPHANUMERIC = { ton: 5, npi: 0 };

/** The sender; an empty one lets the server choose. */
export function sourceOf({ source_address: source }: VendorRequest['body']): Address {
  if (typeof source !== 'string') return { ton: 0, npi: 0, address: '' };
  if (!NUMBER.test(source)) return { ...ALPHANUMERIC, address: source };
  const kind = source.startsWith('+') ? INTERNATIONAL : UNKNOWN;
  return { ...kind, address: source.replace('+', '') };
}

/** The validity period in the relative format; empty for the server's default. SMPP 3.4, section 7.1.1 */
export function validityOf({ ttl, expires }: VendorRequest['body'], now: number): string {
  const left = typeof expires === 'string' ? (Date.parse(expires) - now) / 1000 : undefined;
  const wanted = typeof ttl === 'number' ? ttl : undefined;
  if (left === undefined && wanted === undefined) return '';
  const seconds = Math.min(left ?? MAX_TTL_SECONDS, wanted ?? MAX_TTL_SECONDS, MAX_TTL_SECONDS);
  const whole = Math.max(1, Math.floor(seconds));
  const [days, hours] = [Math.floor(whole / 86_400), Math.floor((whole % 86_400) / 3600)];
  const [minutes, rest] = [Math.floor((whole % 3600) / 60), whole % 60];
  const digits = [0, 0, days, hours, minutes, rest].map((each) => String(each).padStart(2, '0'));
  return `${digits.join('')}000R`;
}
