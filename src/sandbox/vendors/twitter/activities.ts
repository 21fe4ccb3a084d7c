import { createHmac } from 'node:crypto';

import type { Millis } from '../../../model/timestamp.ts';
import type {
  Person,
  ReportContext,
  Reports,
  WebhookRequest,
  WrittenMessage,
} from '../../simulator.ts';

/* X's webhook requests. https://docs.x.com/x-api/account-activity/introduction */

export const ACCOUNT = '1';
/** Hosts of files: a request for an image must be signed, one for a video need not. */
export const IMAGE_HOST = 'ton.x.com';
export const VIDEO_HOST = 'video.twimg.com';

const EPOCH = 1_288_834_974_657n;

/** Ids of X encode their creation time. */
export const idOf = (number: number, at: Millis) =>
  String(((BigInt(at) - EPOCH) << 22n) | (BigInt(number) & 0x3fffffn));

export const activities: Reports = {
  message(written, context) {
    const { person } = written;
    const id = idOf(context.number, context.now);
    const event = {
      type: 'message_create',
      id,
      created_timestamp: String(context.now),
      message_create: {
        target: { recipient_id: ACCOUNT },
        sender_id: person.address,
        message_data: dataOf(written),
      },
    };
    return { ...signed({ direct_message_events: [event], ...usersOf(person) }, context), id };
  },

  receipt({ message }, context) {
    const event = {
      created_timestamp: String(context.now),
      sender_id: message.person,
      target: { recipient_id: ACCOUNT },
      last_read_event_id: message.vendorId,
    };
    return signed({ direct_message_mark_read_events: [event] }, context);
  },
};

const usersOf = ({ address, name }: Person) => ({
  users: {
    [address]: { id: address, name, screen_name: name.toLowerCase().replaceAll(/\W/g, '_') },
  },
});

/** Messages have text, and an image or a video. A link to it ends the text. */
function dataOf({ text: words = '', media }: WrittenMessage): object {
  if (!media) return { text: words, entities: {} };
  const { file, type } = media;
  if (type === 'Document') return { text: [words, file.name].join(' ').trim(), entities: {} };
  const url = `https://t.co/${file.id}`;
  const still = `https://${IMAGE_HOST}/1.1/ton/data/dm/${file.id}`;
  const variants = [
    {
      bitrate: 320_000,
      content_type: 'video/mp4',
      url: `https://${VIDEO_HOST}/dm_video/${file.id}`,
    },
  ];
  const content =
    type === 'Image'
      ? { type: 'photo', media_url_https: still }
      : { type: 'video', media_url_https: still, video_info: { variants } };
  return {
    text: [words, url].join(' ').trim(),
    entities: {},
    attachment: { type: 'media', media: { id: 1, url, ...content } },
  };
}

/** https://docs.x.com/x-api/webhooks/quickstart */
function signed(json: object, { credentials }: ReportContext): WebhookRequest {
  const body = JSON.stringify({ for_user_id: ACCOUNT, ...json });
  const mac = createHmac('sha256', credentials.consumer_secret ?? '')
    .update(body)
    .digest('base64');
  return {
    headers: {
      'content-type': 'application/json',
      'x-twitter-webhooks-signature': `sha256=${mac}`,
    },
    body,
  };
}
