import { createHmac } from 'node:crypto';

import type { Millis } from '../../../model/timestamp.ts';
import type {
  Actor,
  ReportContext,
  Reports,
  WebhookRequest,
  WrittenMessage,
} from '../../simulator.ts';

/* LINE's webhook requests. https://developers.line.biz/en/reference/messaging-api/#webhook-event-objects */

export const events: Reports = {
  message(written, context) {
    const contents = contentsOf(written, context.number);
    const { replyTo } = written;
    const [quoted] = replyTo?.vendorId.split(':') ?? [];
    const messages = contents.map((content, i) => ({
      type: 'message',
      message: { ...content, ...(i === 0 && quoted !== undefined && { quotedMessageId: quoted }) },
    }));
    const [first] = contents;
    return {
      ...webhookRequest(written, messages, context),
      ...(first && { id: vendorIdOf(first) }),
    };
  },

  press: ({ button, ...actor }, context) =>
    webhookRequest(
      actor,
      [{ type: 'postback', postback: { data: button.value ?? button.label } }],
      context,
    ),

  // A person adds the account as a friend, or joins a group.
  join: (actor, context) => webhookRequest(actor, [moved(actor, 'follow', 'joined')], context),
  leave: (actor, context) => webhookRequest(actor, [moved(actor, 'unfollow', 'left')], context),
  block: (actor, context) => webhookRequest(actor, [{ type: 'unfollow' }], context),
  unblock: (actor, context) =>
    webhookRequest(actor, [{ type: 'follow', follow: { isUnblocked: true } }], context),
};

function moved({ person, room }: Actor, type: 'follow' | 'unfollow', how: 'joined' | 'left') {
  if (!room) return { type, ...(type === 'follow' && { follow: { isUnblocked: false } }) };
  const members = [{ type: 'user', userId: person.address }];
  return { type: how === 'joined' ? 'memberJoined' : 'memberLeft', [how]: { members } };
}

interface Content {
  id: string;
  quoteToken?: string;
  [more: string]: unknown;
}

/** A message has one content, so a file with a text becomes two messages. */
function contentsOf({ text, media, place }: WrittenMessage, number: number): Content[] {
  const idOf = (position: number) => `5${String(number * 10 + position).padStart(17, '0')}`;
  const contents: Content[] = [];
  if (media) {
    const { file, type } = media;
    const kind = type === 'Document' ? 'file' : type.toLowerCase();
    const id = mediaId(file.id);
    const more =
      type === 'Document'
        ? { fileName: file.name, fileSize: file.bytes.length }
        : { contentProvider: { type: 'line' } };
    contents.push({ id, ...(type === 'Image' && quoteOf(id)), type: kind, ...more });
  }
  if (place) {
    const { latitude, longitude, name } = place;
    const address = `${latitude}, ${longitude}`;
    const title = name === undefined ? {} : { title: name };
    contents.push({ id: idOf(1), type: 'location', ...title, address, latitude, longitude });
  }
  if (text !== undefined) {
    contents.push({ id: idOf(2), ...quoteOf(idOf(2)), type: 'text', text });
  }
  return contents;
}

const quoteOf = (id: string) => ({ quoteToken: `fake-quote-${id}` });

const vendorIdOf = ({ id, quoteToken }: Content) =>
  quoteToken === undefined ? id : `${id}:${quoteToken}`;

/** Ids of files are decimal at LINE, hexadecimal on the phone. */
const mediaId = (file: string) => BigInt(`0x1${file}`).toString();
export const fileOf = (id: string) => BigInt(id).toString(16).slice(1);

const REPLY_TOKEN = /^fake-reply-([UCR][0-9a-f]{32})-(\d{1,16})-\d{1,16}$/;

/** A token contains whom it replies to, and when it was issued. */
export const replyTokenOf = (address: string, at: Millis, number: number) =>
  `fake-reply-${address}-${at}-${number}`;

export function personOf(replyToken: string): { address: string; at: Millis } | undefined {
  const [, address, at] = REPLY_TOKEN.exec(replyToken) ?? [];
  return address === undefined ? undefined : { address, at: Number(at) };
}

interface LineEvent {
  type: string;
  [more: string]: unknown;
}

/** Whether a type of event can be replied to. */
const isAnswered = (type: string) => !['unfollow', 'memberLeft'].includes(type);

function webhookRequest(
  { person, room }: Actor,
  lineEvents: readonly LineEvent[],
  { credentials, now, number }: ReportContext,
): WebhookRequest {
  const source = room
    ? {
        type: room.address.startsWith('R') ? 'room' : 'group',
        [room.address.startsWith('R') ? 'roomId' : 'groupId']: room.address,
        userId: person.address,
      }
    : { type: 'user', userId: person.address };
  const body = JSON.stringify({
    destination: `U${'1'.repeat(32)}`,
    events: lineEvents.map((event, i) => ({
      ...event,
      mode: 'active',
      timestamp: now,
      source,
      webhookEventId: `01H810YECXQQ${String(number * 10 + i).padStart(14, '0')}`,
      deliveryContext: { isRedelivery: false },
      ...(isAnswered(event.type) && {
        replyToken: replyTokenOf((room ?? person).address, now, number * 10 + i),
      }),
    })),
  });
  const signature = createHmac('sha256', credentials.secret ?? '')
    .update(body)
    .digest('base64');
  return {
    headers: { 'content-type': 'application/json', 'x-line-signature': signature },
    body,
  };
}
