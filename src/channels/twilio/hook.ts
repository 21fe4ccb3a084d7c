import { mediaKind } from '../../lib/http/media-kind.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { NOTHING, ignored } from '../inbound.ts';

/*
 * Parses Twilio's webhook requests. https://www.twilio.com/docs/messaging/guides/webhook-request
 * https://www.twilio.com/docs/messaging/guides/track-outbound-message-status
 */

const STATES = new Map<string, 'delivered' | 'read' | 'failed'>([
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['undelivered', 'failed'],
  ['failed', 'failed'],
]);

const UNDER_WAY = new Set(['accepted', 'scheduled', 'queued', 'sending', 'sent']);

/** Parses the fields of a request; undefined when they are not Twilio's. */
export function readTwilio(fields: URLSearchParams) {
  const id = field(fields, 'MessageSid') ?? field(fields, 'SmsSid');
  const from = field(fields, 'From');
  if (id === undefined) return undefined;
  const status = field(fields, 'MessageStatus') ?? field(fields, 'SmsStatus');
  // Without a status, a request with a text is a message.
  if (status === 'received' || (status === undefined && fields.has('Body'))) {
    return from === undefined ? undefined : [received(id, from, fields)];
  }
  const state = STATES.get(status ?? '');
  if (state === undefined) {
    return UNDER_WAY.has(status ?? '') ? [NOTHING] : ignored(`status.${status ?? ''}`, 'no_event');
  }
  if (state !== 'failed') return [{ what: 'receipt' as const, id, state }];
  const code = field(fields, 'ErrorCode');
  const detail =
    field(fields, 'ErrorMessage') ??
    field(fields, 'ChannelStatusMessage') ??
    (code === undefined ? undefined : `Twilio reports error ${code}`);
  return [{ what: 'receipt' as const, id, state, ...omitUndefined({ detail, code }) }];
}

function received(id: string, from: string, fields: URLSearchParams) {
  const [text, press] = [field(fields, 'Body'), field(fields, 'ButtonText')];
  const value = field(fields, 'ButtonPayload');
  const media = mediaOf(fields);
  const place = placeOf(fields);
  const isEmpty = media.length === 0 && !place && press === undefined;
  return {
    what: 'message' as const,
    key: id,
    id,
    from: {
      id: from,
      ...omitUndefined({ name: field(fields, 'ProfileName') }),
      ...otherAddresses(from, fields),
    },
    ...omitUndefined({
      // A message may be empty.
      text: text ?? (isEmpty ? '' : undefined),
      media: media.length > 0 ? media : undefined,
      place,
      button: press === undefined ? undefined : { name: press, ...omitUndefined({ value }) },
      replyTo: field(fields, 'OriginalRepliedMessageSid'),
      optOut: optOutOf(fields),
    }),
  };
}

/** https://www.twilio.com/docs/messaging/tutorials/advanced-opt-out */
function optOutOf(fields: URLSearchParams): 'stop' | 'start' | 'help' | undefined {
  const type = field(fields, 'OptOutType')?.toLowerCase();
  return type === 'stop' || type === 'start' || type === 'help' ? type : undefined;
}

const WHATSAPP = 'whatsapp:';

/**
 * The WhatsApp business-scoped user ids: they stay valid when the number is hidden, and `From` is then one of them.
 */
function otherAddresses(from: string, fields: URLSearchParams): { otherAddresses?: string[] } {
  if (!from.startsWith(WHATSAPP)) return {};
  const ids = ['ExternalUserId', 'ParentExternalUserId'].flatMap(
    (name) => field(fields, name) ?? [],
  );
  const addresses = ids.map((id) => (id.startsWith(WHATSAPP) ? id : `${WHATSAPP}${id}`));
  return { otherAddresses: [...new Set(addresses)].filter((each) => each !== from) };
}

const field = (fields: URLSearchParams, name: string) => fields.get(name) || undefined;

const MEDIA = /\/Messages\/([A-Z]{2}[0-9a-f]{32})\/Media\/(ME[0-9a-f]{32})$/i;
const MAX_MEDIA = 100;

function mediaOf(fields: URLSearchParams) {
  const count = Math.min(Number(field(fields, 'NumMedia') ?? 0) || 0, MAX_MEDIA);
  return Array.from({ length: Math.max(0, Math.trunc(count)) }, (_, i) => i).flatMap((i) => {
    const [, message, media] = MEDIA.exec(fields.get(`MediaUrl${i}`) ?? '') ?? [];
    if (message === undefined || media === undefined) return [];
    const mediaType = field(fields, `MediaContentType${i}`);
    return [
      {
        type: mediaKind(mediaType),
        reference: `${message}/${media}`,
        ...omitUndefined({ mediaType }),
      },
    ];
  });
}

/** WhatsApp only. */
function placeOf(fields: URLSearchParams) {
  const [latitude, longitude] = ['Latitude', 'Longitude'].map((name) =>
    Number(field(fields, name) ?? Number.NaN),
  );
  if (latitude === undefined || longitude === undefined) return undefined;
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude)) return undefined;
  const name = field(fields, 'Label') ?? field(fields, 'Address');
  return { latitude, longitude, ...omitUndefined({ name }) };
}
