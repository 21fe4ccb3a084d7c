import { createHash, createHmac } from 'node:crypto';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import type { MediaKind } from '../../lib/http/media-kind.ts';
import { member, numberMember, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { NOTHING, ignored } from '../inbound.ts';
import { addressOn } from './networks.ts';

/*
 * Parses Vonage's webhook requests: of the Messages API,
 * https://developer.vonage.com/en/api/messages#inbound-message, and of the older SMS API,
 * https://developer.vonage.com/en/api/sms#webhooks.
 */

const MAX_CLOCK_DIFFERENCE_SECONDS = 300;

/** The hash functions that an account can choose, by length in hexadecimal digits. */
const HASHES: Readonly<Record<number, string>> = {
  32: 'md5',
  40: 'sha1',
  64: 'sha256',
  128: 'sha512',
};

/**
 * Returns why the parameters of the older API are not signed with that secret, or undefined if they are.
 * https://developer.vonage.com/en/getting-started/concepts/signing-messages
 */
export function faultOfParameters(
  parameters: ReadonlyMap<string, string>,
  secret: string,
  now: number,
): string | undefined {
  if (secret === '') return 'the integration has no signature secret';
  const signature = parameters.get('sig')?.toLowerCase() ?? '';
  const hash = HASHES[signature.length];
  if (hash === undefined) return 'signature missing';
  const text = [...parameters.keys()]
    .filter((name) => name !== 'sig')
    .toSorted()
    .map((name) => `&${name}=${parameters.get(name)?.replaceAll(/[&=]/g, '_')}`)
    .join('');
  const expected = [createHmac(hash, secret).update(text).digest('hex')];
  // The original method: a plain hash with the secret appended.
  if (hash === 'md5') expected.push(createHash('md5').update(`${text}${secret}`).digest('hex'));
  const isSigned = expected.map((each) => equalInConstantTime(each, signature)).includes(true);
  if (!isSigned) return 'the signature does not match';
  const differenceSeconds = Math.abs(
    now / 1000 - Number(parameters.get('timestamp') ?? Number.NaN),
  );
  return differenceSeconds <= MAX_CLOCK_DIFFERENCE_SECONDS
    ? undefined
    : 'timestamp outside the tolerance';
}

const MESSAGES_API_STATES = new Map<string, 'delivered' | 'read' | 'failed'>([
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['rejected', 'failed'],
  ['undeliverable', 'failed'],
]);

/** Parses a request of the Messages API; undefined when it is not one. */
export function readMessages(json: unknown) {
  const id = textMember(json, 'message_uuid');
  if (id === undefined) return undefined;
  const status = textMember(json, 'status');
  if (status !== undefined) return messagesReceipt(id, status, json);
  const from = textMember(json, 'from');
  const content = contentOf(json);
  const channel = textMember(json, 'channel');
  const type = `${channel ?? ''}.${textMember(json, 'message_type') ?? ''}`;
  if (from === undefined) return ignored(type, 'incomplete');
  // Some networks can be received from but not sent to.
  const address = addressOn(channel, bare(from));
  if (address === undefined) return ignored(type, 'unanswerable');
  if (!content) return ignored(type, 'no_content');
  const name = textMember(json, 'profile', 'name');
  const at = momentOf(textMember(json, 'timestamp'));
  return [
    {
      what: 'message' as const,
      key: id,
      id,
      from: { id: address, ...omitUndefined({ name }) },
      ...omitUndefined({ at }),
      ...content,
    },
  ];
}

function messagesReceipt(id: string, status: string, json: unknown) {
  const state = MESSAGES_API_STATES.get(status);
  // Still in transit.
  if (state === undefined) return [NOTHING];
  const cost = costOf(textMember(json, 'usage', 'price'), textMember(json, 'usage', 'currency'));
  if (state !== 'failed') return [{ what: 'receipt' as const, id, state, ...cost }];
  const [, code] = /#?([\w-]{1,50})$/.exec(textMember(json, 'error', 'type') ?? '') ?? [];
  const detail = textMember(json, 'error', 'detail') ?? textMember(json, 'error', 'title');
  return [{ what: 'receipt' as const, id, state, ...cost, ...omitUndefined({ code, detail }) }];
}

/** What Vonage charges, where it says so. */
function costOf(amount: string | undefined, currency: string | undefined) {
  return amount === undefined ? {} : { cost: { amount, ...omitUndefined({ currency }) } };
}

const KINDS: Readonly<Record<string, MediaKind>> = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  file: 'Document',
  vcard: 'Document',
};

function contentOf(json: unknown) {
  const type = textMember(json, 'message_type') ?? '';
  const text = textMember(json, 'text');
  if (type === 'text') return text === undefined ? undefined : { text };
  if (type === 'location') return placeIn(member(json, 'location'));
  if (type === 'reply' || type === 'button') return pressed(member(json, type));
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  const reference = textMember(json, type, 'url');
  if (kind === undefined || reference === undefined) return undefined;
  const [name, caption] = [textMember(json, type, 'name'), textMember(json, type, 'caption')];
  return { media: [{ type: kind, reference, ...omitUndefined({ name, caption }) }] };
}

function placeIn(location: unknown) {
  const [latitude, longitude] = [numberMember(location, 'lat'), numberMember(location, 'long')];
  if (latitude === undefined || longitude === undefined) return undefined;
  const name = textMember(location, 'name') ?? textMember(location, 'address');
  return { place: { latitude, longitude, ...omitUndefined({ name }) } };
}

/** The choice from a list or suggestions, or the button of a template. */
function pressed(answer: unknown) {
  const value = textMember(answer, 'id') ?? textMember(answer, 'payload');
  const name = textMember(answer, 'title') ?? textMember(answer, 'text') ?? value;
  return name === undefined ? undefined : { button: { name, ...omitUndefined({ value }) } };
}

const SMS_API_STATES = new Map<string, 'delivered' | 'failed'>([
  ['delivered', 'delivered'],
  ['expired', 'failed'],
  ['failed', 'failed'],
  ['rejected', 'failed'],
]);

/** Parses a request of the older SMS API; undefined when it is not one. A long text arrives in several requests. */
export function readParameters(parameters: ReadonlyMap<string, string>) {
  const id = parameters.get('messageId');
  const from = parameters.get('msisdn');
  if (id === undefined || from === undefined) return undefined;
  const status = parameters.get('status');
  if (status !== undefined) {
    const state = SMS_API_STATES.get(status);
    if (state === undefined) return [NOTHING];
    // The older API always charges in euros.
    if (state === 'delivered') {
      return [{ what: 'receipt' as const, id, state, ...costOf(parameters.get('price'), 'EUR') }];
    }
    const code = parameters.get('err-code');
    return [{ what: 'receipt' as const, id, state, detail: status, ...omitUndefined({ code }) }];
  }
  const text = parameters.get('text');
  if (text === undefined) return ignored(`sms.${parameters.get('type') ?? ''}`, 'no_content');
  const at = momentOf(parameters.get('message-timestamp'));
  return [
    {
      what: 'message' as const,
      key: id,
      id,
      from: { id: bare(from) },
      text,
      ...omitUndefined({ at }),
    },
  ];
}

/** Addresses have no leading plus sign. */
const bare = (number: string) => number.replace(/^\+/, '');

/** Times are in UTC, even without a time zone. */
function momentOf(text = ''): number | undefined {
  const iso = text.replace(' ', 'T');
  const at = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`);
  return Number.isNaN(at) ? undefined : at;
}
