import { mediaKind } from '../../lib/http/media-kind.ts';
import { integerMember, listMember, member, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { type InboundEvent, NOTHING, ignored } from '../inbound.ts';
import { readInteraction } from './interactions.ts';
import { partyOf, placeOf } from './people.ts';

/*
 * Parses Gateway dispatches. https://docs.discord.com/developers/events/gateway-events#messages
 * A deletion names neither the author nor the person who deleted; `own` has the ids of our own messages.
 */
export function readDispatch(
  name: string,
  data: unknown,
  self: string | undefined,
  own: OwnMessageIds,
): InboundEvent[] {
  if (name === 'INTERACTION_CREATE') return readInteraction(data);
  if (name === 'MESSAGE_DELETE') return deleted(data, textMember(data, 'id'), own);
  if (name === 'MESSAGE_DELETE_BULK') {
    return listMember(data, 'ids').flatMap<InboundEvent>((id) => deleted(data, String(id), own));
  }
  if (name === 'READY' || name === 'RESUMED') return [NOTHING];
  if (name !== 'MESSAGE_CREATE' && name !== 'MESSAGE_UPDATE') return ignored(name, 'no_event');
  const id = textMember(data, 'id');
  if (id !== undefined && textMember(data, 'author', 'id') === self) own.add(id);
  if (id === undefined) return ignored(name, 'incomplete');
  if (own.has(id)) return ignored(name, 'own');
  return name === 'MESSAGE_CREATE' ? created(data, id) : edited(data, id);
}

/** Only the latest ids are kept. */
const MAX_OWN_IDS = 10_000;

/** The ids of our own messages seen on the connection. */
export class OwnMessageIds {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > MAX_OWN_IDS && oldest !== undefined) this.#ids.delete(oldest);
  }
}

const [DEFAULT, USER_JOIN, REPLY] = ['0', '7', '19'] as const;

function created(message: unknown, id: string) {
  const type = integerMember(message, 'type');
  if (type === USER_JOIN) {
    const who = writerOf(message);
    const at = omitUndefined({ at: momentIn(message, 'timestamp') });
    if (!who) return ignored('MESSAGE_CREATE', 'incomplete');
    return [{ what: 'join' as const, key: `join:${id}`, ...who, ...at }];
  }
  if (type !== DEFAULT && type !== REPLY) {
    return ignored(`MESSAGE_CREATE.${type ?? ''}`, 'no_event');
  }
  return messageEvent('message', `message:${id}`, message, id, 'timestamp');
}

/** A link preview also triggers an update without being an edit; the last edit is then reported again. */
function edited(message: unknown, id: string) {
  const time = textMember(message, 'edited_timestamp');
  if (time === undefined) return ignored('MESSAGE_UPDATE', 'no_change');
  return messageEvent('edit', `edit:${id}:${time}`, message, id, 'edited_timestamp');
}

function writerOf(message: unknown) {
  const [from, place] = [partyOf(member(message, 'author')), placeOf(message)];
  return from && place ? { from, ...place } : undefined;
}

function messageEvent(
  what: 'message' | 'edit',
  key: string,
  message: unknown,
  id: string,
  when: string,
) {
  const who = writerOf(message);
  const type = what === 'message' ? 'MESSAGE_CREATE' : 'MESSAGE_UPDATE';
  if (!who) return ignored(type, 'incomplete');
  // A forwarded message is inside an otherwise empty one.
  const [snapshot] = listMember(message, 'message_snapshots');
  const content = member(snapshot, 'message') ?? message;
  const text = textIn(content) || undefined;
  const media = filesIn(content, who.answerTo, id);
  if (text === undefined && media.length === 0) return ignored(type, 'no_content');
  return [
    {
      what,
      key,
      ...who,
      id: `${who.answerTo}:${id}`,
      ...(text !== undefined && { text, mediaType: 'text/markdown' as const }),
      ...omitUndefined({
        at: momentIn(message, when),
        media: media.length > 0 ? media : undefined,
        replyTo: repliedTo(message),
      }),
    },
  ];
}

/** The text, with the ids of mentioned people replaced by their names. */
function textIn(message: unknown): string {
  return listMember(message, 'mentions').reduce<string>(
    (text, user) => {
      const { id, name } = partyOf(user) ?? {};
      if (id === undefined || name === undefined) return text;
      return text.replaceAll(`<@${id}>`, `@${name}`).replaceAll(`<@!${id}>`, `@${name}`);
    },
    textMember(message, 'content') ?? '',
  );
}

function repliedTo(message: unknown): string | undefined {
  const reference = member(message, 'message_reference');
  const [channel, id] = ['channel_id', 'message_id'].map((key) => textMember(reference, key));
  const isReply = integerMember(message, 'type') === REPLY;
  return isReply && channel !== undefined && id !== undefined ? `${channel}:${id}` : undefined;
}

function momentIn(message: unknown, key: string): number | undefined {
  const at = Date.parse(textMember(message, key) ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** Attachment URLs expire after a day, so they are looked up again when needed. */
function filesIn(message: unknown, channel: string, id: string) {
  return listMember(message, 'attachments').flatMap((file) => {
    const attachment = textMember(file, 'id');
    if (attachment === undefined) return [];
    const mediaType = textMember(file, 'content_type');
    const [name, caption] = [textMember(file, 'filename'), textMember(file, 'description')];
    const reference = `${channel}:${id}:${attachment}`;
    return [
      { type: mediaKind(mediaType), reference, ...omitUndefined({ mediaType, name, caption }) },
    ];
  });
}

/** The URL of an attachment, in a message fetched again. */
export function attachmentUrl(message: unknown, attachment: string): string | undefined {
  const inside = listMember(message, 'message_snapshots').map((each) => member(each, 'message'));
  const files = [message, ...inside].flatMap((each) => listMember(each, 'attachments'));
  return textMember(
    files.find((file) => textMember(file, 'id') === attachment),
    'url',
  );
}

function deleted(data: unknown, id: string | undefined, own: OwnMessageIds) {
  const place = placeOf(data);
  if (!place || id === undefined) return ignored('MESSAGE_DELETE', 'incomplete');
  if (own.has(id)) return ignored('MESSAGE_DELETE', 'own');
  const from = { id: place.answerTo };
  return [
    {
      what: 'deletion' as const,
      key: `deletion:${id}`,
      from,
      ...place,
      id: `${place.answerTo}:${id}`,
    },
  ];
}
