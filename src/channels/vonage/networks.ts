import { type FormatRule, VIBER_FORMATS } from '../../lib/rich-text/accidental-formats.ts';
import { WHATSAPP_TEXT } from '../../lib/rich-text/whatsapp-text.ts';
import type {
  Destination,
  MediaRenderer,
  MediaPart,
  PlacePart,
  Unsupported,
  VendorRequest,
} from '../channel.ts';

/*
 * The networks of the Messages API, by address prefix; SMS has none.
 * https://developer.vonage.com/en/api/messages (OpenAPI 1.17, and the guides of each network; read on 2026-11-17)
 * https://developer.vonage.com/en/messages/guides/rcs/rcs-text-message-types
 */

/** Vonage's channel names by prefix. */
const NETWORKS = {
  whatsapp: 'whatsapp',
  viber: 'viber_service',
  rcs: 'rcs',
  mms: 'mms',
} as const;

type Prefix = keyof typeof NETWORKS;
type Network = 'sms' | (typeof NETWORKS)[Prefix];

export const ADDRESS = /^(?:(?<prefix>whatsapp|viber|rcs|mms):)?(?<number>[1-9]\d{6,14})$/;

interface Address {
  network: Network;
  number: string;
}

/** The network of an address, and the number there. */
export function parseAddress(recipient: string): Address {
  const { prefix, number = recipient } = ADDRESS.exec(recipient)?.groups ?? {};
  return { network: prefix === undefined ? 'sms' : NETWORKS[prefix as Prefix], number };
}

/** The address for a reply, if the network is supported; MMS and SMS share their numbers. */
export function addressOn(network: string | undefined, number: string): string | undefined {
  if (network === 'sms' || network === 'mms') return number;
  const [prefix] = Object.entries(NETWORKS).find(([, name]) => name === network) ?? [];
  return prefix === undefined ? undefined : `${prefix}:${number}`;
}

export const isWhatsApp = ({ recipient }: Pick<Destination, 'recipient'>): boolean =>
  recipient.startsWith('whatsapp:');

/** The app of the network may format plain text. */
export function formatsFor({ recipient }: Pick<Destination, 'recipient'>): readonly FormatRule[] {
  const { network } = parseAddress(recipient);
  if (network === 'whatsapp') return WHATSAPP_TEXT.formats();
  return network === 'viber_service' ? VIBER_FORMATS : [];
}

/** MMS is for media; a text alone goes to the same phone as SMS. */
export const isSms = ({ recipient }: Pick<Destination, 'recipient'>): boolean => {
  const { network } = parseAddress(recipient);
  return network === 'sms' || network === 'mms';
};

export function textMessage(text: string, to: Destination): VendorRequest {
  const { network } = parseAddress(to.recipient);
  return message(to, network === 'mms' ? 'sms' : network, { message_type: 'text', text });
}

function message(
  { recipient, credentials }: Destination,
  channel: Network,
  content: object,
): VendorRequest {
  const { number } = parseAddress(recipient);
  const parties = { to: number, from: credentials.username ?? '' };
  return { call: 'v1/messages', body: { channel, ...parties, ...content } };
}

type Kind = 'image' | 'video' | 'audio' | 'file';

/** The media types each network accepts, by kind. Viber requires the size of videos, so they are not sent. */
const ACCEPTED_TYPES: Readonly<Record<Kind, Partial<Readonly<Record<Network, RegExp>>>>> = {
  image: {
    mms: /^image\/(?:jpe?g|png|gif)$/,
    whatsapp: /^image\/(?:jpe?g|png)$/,
    viber_service: /^image\/(?:jpe?g|png)$/,
    rcs: /^image\/(?:jpe?g|png)$/,
  },
  video: {
    mms: /^video\//,
    whatsapp: /^video\/(?:mp4|3gpp)$/,
    rcs: /^video\/(?:mp4|webm|x-m4v)$/,
  },
  audio: {
    mms: /^audio\//,
    whatsapp: /^audio\/(?:aac|mp4|x-m4a|amr|mpeg|ogg|opus)$/,
  },
  file: {
    whatsapp: /^/,
    viber_service: /^(?:text\/(?:plain|csv|rtf)|application\/(?!zip|octet-stream))/,
    rcs: /^application\/pdf$/,
  },
};

/** A caption follows as a separate message: half of the networks have no captions. */
export function mediaForm(kind: Kind): MediaRenderer {
  return {
    maxCaptionLength: 0,
    compose(part, to) {
      const { network } = parseAddress(to.recipient);
      const unsupported = unsupportedMedia(kind, network, part);
      if (unsupported) return unsupported;
      const { url, name } = part;
      const fileName = kind === 'file' && network !== 'rcs' && name !== undefined ? { name } : {};
      return message(to, network, { message_type: kind, [kind]: { url, ...fileName } });
    },
  };
}

/** Viber limits file names: https://developer.vonage.com/en/api/messages */
const MAX_NAME_LENGTH = 25;

function unsupportedMedia(kind: Kind, network: Network, part: MediaPart): Unsupported | undefined {
  const types = ACCEPTED_TYPES[kind][network];
  if (!types) return { unsupported: `Vonage does not send ${kind} over ${network}` };
  const type = part.mediaType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== undefined && !types.test(type)) {
    return { unsupported: `Vonage does not accept ${type} as ${kind} over ${network}` };
  }
  if (type === undefined && kind === 'file' && network === 'rcs') {
    return { unsupported: 'Vonage accepts only PDF files over rcs' };
  }
  if (!/^https?:\/\//i.test(part.url) || part.url.length > 2000) {
    return { unsupported: 'Vonage accepts http and https URLs of up to 2,000 characters only' };
  }
  const isLong = network === 'viber_service' && (part.name ?? '').length > MAX_NAME_LENGTH;
  return isLong
    ? { unsupported: `Viber accepts file names of at most ${MAX_NAME_LENGTH} characters` }
    : undefined;
}

export function placeMessage(part: PlacePart, to: Destination): VendorRequest | Unsupported {
  const { network } = parseAddress(to.recipient);
  if (network !== 'whatsapp')
    return { unsupported: `Vonage does not send locations over ${network}` };
  const { latitude: lat, longitude: long, name } = part;
  const location = { lat, long, ...(name !== undefined && { name }) };
  return message(to, network, { message_type: 'location', location });
}
