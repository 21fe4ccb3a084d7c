import {
  integerMember,
  listMember,
  member,
  numberMember,
  textMember,
} from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { ignored } from '../inbound.ts';
import { isAtMeta } from './hook.ts';

/*
 * Parses events of Messenger and Instagram.
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/webhooks/webhook-events
 * https://developers.facebook.com/documentation/instagram-platform/webhooks/examples
 */

/** Parses a webhook request; undefined when it is malformed. */
export function readMessaging(json: unknown, object: 'page' | 'instagram') {
  const subscribed = textMember(json, 'object');
  if (subscribed === undefined) return undefined;
  if (subscribed !== object) return ignored(subscribed, 'elsewhere');
  return listMember(json, 'entry').flatMap(readEntry);
}

function readEntry(entry: unknown) {
  const self = textMember(entry, 'id');
  const read = listMember(entry, 'messaging').flatMap<ReadEvent>((event) => readEvent(event, self));
  // For another app to answer.
  const others = listMember(entry, 'standby').flatMap(() => ignored('standby', 'elsewhere'));
  const changes = listMember(entry, 'changes').flatMap((change) =>
    ignored(textMember(change, 'field') ?? 'changes', 'no_event'),
  );
  return [...read, ...others, ...changes];
}

/** The type of an event: the one field that distinguishes it. */
function kindOf(event: unknown): string {
  const fields = typeof event === 'object' && event !== null ? Object.keys(event) : [];
  return fields.find((field) => !['sender', 'recipient', 'timestamp'].includes(field)) ?? 'event';
}

type ReadEvent = ReturnType<typeof readEvent>[number];

function readEvent(event: unknown, self: string | undefined) {
  const id = textMember(event, 'sender', 'id');
  const isEcho = member(event, 'message', 'is_echo') === true;
  if (id === undefined) return ignored(kindOf(event), 'incomplete');
  if (id === self || isEcho) return ignored(kindOf(event), 'own');
  const common = { from: { id }, ...omitUndefined({ at: numberMember(event, 'timestamp') }) };
  return (
    messageEvent(common, member(event, 'message')) ??
    editEvent(common, member(event, 'message_edit')) ??
    pressEvent(common, member(event, 'postback')) ??
    receiptEvent(id, event)
  );
}

interface CommonFields {
  from: { id: string };
  at?: number;
}

function messageEvent(common: CommonFields, message: unknown) {
  const id = textMember(message, 'mid');
  if (id === undefined) return undefined;
  if (member(message, 'is_deleted') === true) {
    return [{ what: 'deletion' as const, key: `deletion:${id}`, ...common, id }];
  }
  const text = textMember(message, 'text');
  const media = mediaIn(message);
  if (text === undefined && media.length === 0) return ignored('message', 'no_content');
  const value = textMember(message, 'quick_reply', 'payload');
  return [
    {
      what: 'message' as const,
      key: `message:${id}`,
      ...common,
      id,
      ...omitUndefined({
        text,
        media: media.length > 0 ? media : undefined,
        button: value === undefined ? undefined : { name: text ?? value, value },
        replyTo: textMember(message, 'reply_to', 'mid'),
      }),
    },
  ];
}

function editEvent(common: CommonFields, edit: unknown) {
  const [id, text] = [textMember(edit, 'mid'), textMember(edit, 'text')];
  if (id === undefined || text === undefined) return undefined;
  const count = integerMember(edit, 'num_edit') ?? textMember(edit, 'num_edit') ?? common.at;
  return [{ what: 'edit' as const, key: `edit:${id}:${count}`, ...common, id, text }];
}

function pressEvent(common: CommonFields, postback: unknown) {
  const value = textMember(postback, 'payload');
  const name = textMember(postback, 'title') ?? value;
  if (name === undefined) return undefined;
  const key = textMember(postback, 'mid') ?? `${common.from.id}:${common.at}`;
  const button = { name, ...omitUndefined({ value }) };
  return [{ what: 'message' as const, key: `postback:${key}`, ...common, button }];
}

/** Messenger reports a time up to which messages were read, Instagram the last message. */
function receiptEvent(recipient: string, event: unknown) {
  const delivered = numberMember(event, 'delivery', 'watermark');
  if (delivered !== undefined) {
    return [{ what: 'receipts' as const, recipient, upTo: delivered, state: 'delivered' as const }];
  }
  const read = numberMember(event, 'read', 'watermark');
  const state = 'read' as const;
  if (read !== undefined) return [{ what: 'receipts' as const, recipient, upTo: read, state }];
  const id = textMember(event, 'read', 'mid');
  if (id !== undefined) return [{ what: 'receipt' as const, id, state }];
  return ignored(kindOf(event), 'no_event');
}

const TYPES: Readonly<Record<string, 'Image' | 'Video' | 'Audio' | 'Document'>> = {
  image: 'Image',
  sticker: 'Image',
  video: 'Video',
  reel: 'Video',
  ig_reel: 'Video',
  audio: 'Audio',
  file: 'Document',
  // The content of a post or story may be an image or a video.
  share: 'Document',
  post: 'Document',
  ig_post: 'Document',
  story_mention: 'Document',
};

/** File URLs need no token and expire after a while. */
function mediaIn(message: unknown) {
  const seen = new Set<string>();
  return listMember(message, 'attachments').flatMap((attachment) => {
    const kind = textMember(attachment, 'type') ?? '';
    const type = Object.hasOwn(TYPES, kind) ? TYPES[kind] : undefined;
    const reference = textMember(attachment, 'payload', 'url');
    // A sticker may be listed as an image too.
    if (!type || reference === undefined || seen.has(reference)) return [];
    seen.add(reference);
    return [{ type, reference }];
  });
}

/** Finds a received file. */
export function fileAtMeta(reference: string) {
  if (isAtMeta(reference)) return { url: reference };
  const detail = 'not a Meta file URL';
  return { outcome: 'permanent' as const, blame: 'content' as const, detail };
}
