import {
  integerMember,
  listMember,
  member,
  numberMember,
  textMember,
} from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { ignored } from '../inbound.ts';

/*
 * Parses Telegram updates. https://core.telegram.org/bots/api#update
 * An update has at most one field besides its id; we subscribe only to those parsed here.
 */
export const UPDATES = [
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'callback_query',
  'my_chat_member',
];

/** Parses an update for the bot with that id; undefined when it is not one. */
export function readUpdate(update: unknown, self: string | undefined) {
  const key = integerMember(update, 'update_id');
  if (key === undefined) return undefined;
  const message = member(update, 'message') ?? member(update, 'channel_post');
  if (message !== undefined) {
    const changes = memberChanges(key, message, self);
    // Joins and leaves are listed in an otherwise empty message.
    return changes.length > 0 && Object.keys(contentOf(message)).length === 0
      ? changes
      : [...messageEvent('message', key, message, self), ...changes];
  }
  const edited = member(update, 'edited_message') ?? member(update, 'edited_channel_post');
  if (edited !== undefined) return messageEvent('edit', key, edited, self);
  const pressed = member(update, 'callback_query');
  if (pressed !== undefined) return press(key, pressed);
  const change = member(update, 'my_chat_member');
  if (change !== undefined) return blocked(key, change);
  return ignored(kindIn(update) ?? 'update', 'no_event');
}

/** The type of an unsupported update or message: the one field that distinguishes it. */
function kindIn(given: unknown): string | undefined {
  const fields = typeof given === 'object' && given !== null ? Object.keys(given) : [];
  return fields.find((field) => !COMMON.has(field));
}

const COMMON = new Set([
  'update_id',
  'message_id',
  'message_thread_id',
  'is_topic_message',
  'from',
  'sender_chat',
  'chat',
  'date',
  'edit_date',
  'reply_to_message',
  'entities',
  'caption_entities',
]);

/** Ends the loading indicator of a pressed button. https://core.telegram.org/bots/api#answercallbackquery */
export function answerToUpdate(update: unknown): object | undefined {
  const id = textMember(update, 'callback_query', 'id');
  return id === undefined ? undefined : { method: 'answerCallbackQuery', callback_query_id: id };
}

function messageEvent(
  what: 'message' | 'edit',
  key: string,
  message: unknown,
  self: string | undefined,
) {
  const where = conversationOf(message);
  const content = contentOf(message);
  const type = `${what}.${kindIn(message) ?? ''}`;
  if (!where) return ignored(type, 'incomplete');
  if (where.from.id === self) return ignored(what, 'own');
  if (Object.keys(content).length === 0) return ignored(type, 'no_content');
  const { chat, ...who } = where;
  const date = what === 'edit' ? 'edit_date' : 'date';
  return [
    {
      what,
      key,
      ...who,
      ...omitUndefined({ id: idIn(chat, message), at: momentOf(message, date) }),
      ...content,
      ...contextOf(chat, message),
    },
  ];
}

/** The sender and the chat. Channels, and users who post on their behalf, send under the channel's name. */
function conversationOf(message: unknown) {
  const chat = member(message, 'chat');
  const id = integerMember(chat, 'id');
  const from = partyOf(member(message, 'sender_chat') ?? member(message, 'from') ?? chat);
  if (id === undefined || !from) return undefined;
  return { chat: id, from, ...groupOf(chat) };
}

function groupOf(chat: unknown) {
  const group = partyOf(chat);
  return group && textMember(chat, 'type') !== 'private' ? { group } : {};
}

function partyOf(party: unknown): { id: string; name?: string } | undefined {
  const id = integerMember(party, 'id');
  const names = ['title', 'first_name', 'last_name'].flatMap((key) => textMember(party, key) ?? []);
  const name = names.length > 0 ? names.join(' ') : undefined;
  return id === undefined ? undefined : { id, ...omitUndefined({ name }) };
}

/** A message id is unique only within its chat. */
function idIn(chat: string, message: unknown, key = 'message_id'): string | undefined {
  const id = integerMember(message, key);
  return id === undefined ? undefined : `${chat}:${id}`;
}

function momentOf(message: unknown, key: string): number | undefined {
  const seconds = numberMember(message, key);
  return seconds === undefined || seconds <= 0 ? undefined : seconds * 1000;
}

function contextOf(chat: string, message: unknown) {
  const isTopic = member(message, 'is_topic_message') === true;
  const thread = isTopic ? idIn(chat, message, 'message_thread_id') : undefined;
  // A message in a topic replies to the message that opened it, unless it replies to another.
  const replyTo = idIn(chat, member(message, 'reply_to_message'));
  return omitUndefined({ thread, replyTo: replyTo === thread ? undefined : replyTo });
}

function contentOf(message: unknown) {
  const media = mediaIn(message);
  return omitUndefined({
    text: textMember(message, 'text') === undefined ? contactIn(message) : textWithLinks(message),
    media: media && [media],
    place: placeIn(message),
  });
}

/** The URL follows a link that has its own text. */
function textWithLinks(message: unknown): string {
  const links = listMember(message, 'entities').flatMap((entity) => {
    const url = textMember(entity, 'type') === 'text_link' ? textMember(entity, 'url') : undefined;
    const end = (numberMember(entity, 'offset') ?? 0) + (numberMember(entity, 'length') ?? 0);
    return url === undefined ? [] : [{ url, end }];
  });
  return links
    .toSorted((a, b) => b.end - a.end)
    .reduce(
      (text, { url, end }) => `${text.slice(0, end)} (${url})${text.slice(end)}`,
      textMember(message, 'text') ?? '',
    );
}

function contactIn(message: unknown): string | undefined {
  const contact = member(message, 'contact');
  const parts = ['first_name', 'last_name', 'phone_number'];
  return parts.flatMap((key) => textMember(contact, key) ?? []).join(' ') || undefined;
}

function placeIn(message: unknown) {
  const location = member(message, 'location') ?? member(message, 'venue', 'location');
  const [latitude, longitude] = ['latitude', 'longitude'].map((key) => numberMember(location, key));
  if (latitude === undefined || longitude === undefined) return undefined;
  return { latitude, longitude, ...omitUndefined({ name: textMember(message, 'venue', 'title') }) };
}

/** An animation is listed as a document too, so specific types come first. */
const FILES = [
  ['animation', 'Video', 'video/mp4'],
  ['video', 'Video', 'video/mp4'],
  ['video_note', 'Video', 'video/mp4'],
  ['audio', 'Audio', undefined],
  ['voice', 'Audio', 'audio/ogg'],
  ['document', 'Document', undefined],
] as const;

function mediaIn(message: unknown) {
  const caption = textMember(message, 'caption');
  // The last size of a photo is the largest.
  const photo = textMember(listMember(message, 'photo').at(-1), 'file_id');
  if (photo !== undefined) {
    return {
      type: 'Image' as const,
      reference: photo,
      mediaType: 'image/jpeg',
      ...omitUndefined({ caption }),
    };
  }
  for (const [field, type, defaultType] of FILES) {
    const file = member(message, field);
    const reference = textMember(file, 'file_id');
    if (reference === undefined) continue;
    const mediaType = textMember(file, 'mime_type') ?? defaultType;
    return {
      type,
      reference,
      ...omitUndefined({ mediaType, name: textMember(file, 'file_name'), caption }),
    };
  }
  return stickerIn(message);
}

/** https://core.telegram.org/bots/api#sticker */
function stickerIn(message: unknown) {
  const sticker = member(message, 'sticker');
  const reference = textMember(sticker, 'file_id');
  if (reference === undefined) return undefined;
  const emoji = omitUndefined({ caption: textMember(sticker, 'emoji') });
  if (member(sticker, 'is_animated') === true) {
    return { type: 'Document' as const, reference, mediaType: 'application/x-tgsticker', ...emoji };
  }
  const isVideo = member(sticker, 'is_video') === true;
  const [type, mediaType] = isVideo
    ? (['Video', 'video/webm'] as const)
    : (['Image', 'image/webp'] as const);
  return { type, reference, mediaType, ...emoji };
}

function memberChanges(key: string, message: unknown, self: string | undefined) {
  const changes = [
    ...listMember(message, 'new_chat_members').map((who) => ['join', who] as const),
    ['leave', member(message, 'left_chat_member')] as const,
  ];
  return changes.flatMap(([what, who]) => {
    const from = partyOf(who);
    if (!from || from.id === self) return [];
    const at = momentOf(message, 'date');
    return [
      {
        what,
        key: `${key}:${from.id}`,
        from,
        ...groupOf(member(message, 'chat')),
        ...omitUndefined({ at }),
      },
    ];
  });
}

/** In a private chat, the bot is notified when a user blocks or unblocks it. */
function blocked(key: string, change: unknown) {
  const where = conversationOf(change);
  const status = textMember(change, 'new_chat_member', 'status');
  if (!where) return ignored('my_chat_member', 'incomplete');
  if (where.group || (status !== 'kicked' && status !== 'member')) {
    return ignored(`my_chat_member.${status ?? ''}`, 'no_event');
  }
  const what = status === 'kicked' ? ('leave' as const) : ('join' as const);
  return [{ what, key, from: where.from, ...omitUndefined({ at: momentOf(change, 'date') }) }];
}

/** https://core.telegram.org/bots/api#callbackquery */
function press(key: string, query: unknown) {
  const message = member(query, 'message');
  const chat = integerMember(message, 'chat', 'id');
  const [from, value] = [partyOf(member(query, 'from')), textMember(query, 'data')];
  if (!from) return ignored('callback_query', 'incomplete');
  // A game has a name and no data.
  if (value === undefined) return ignored('callback_query', 'no_content');
  const keys = listMember(message, 'reply_markup', 'inline_keyboard').flatMap((row) => row);
  const pressed = keys.find((each) => textMember(each, 'callback_data') === value);
  const name = textMember(pressed, 'text') ?? value;
  const context =
    chat === undefined
      ? {}
      : { ...contextOf(chat, message), ...omitUndefined({ replyTo: idIn(chat, message) }) };
  const group = groupOf(member(message, 'chat'));
  return [{ what: 'message' as const, key, from, ...group, button: { name, value }, ...context }];
}
