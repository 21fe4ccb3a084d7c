import { known } from '../../lib/known.ts';
import { integerMember, listMember, member, numberMember, textMember } from '../../lib/member.ts';

/*
 * What Meta tells of conversations in WhatsApp.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages
 */

/** What a call brings to the number of that id; undefined when it cannot be read. */
export function readWhatsApp(json: unknown, number: string | undefined) {
  if (textMember(json, 'object') === undefined) return undefined;
  const changes = listMember(json, 'entry').flatMap((entry) => listMember(entry, 'changes'));
  return changes.flatMap((change) => readChange(change, number));
}

function readChange(change: unknown, number: string | undefined) {
  const value = member(change, 'value');
  // An app has one hook for all of its numbers.
  const isOurs = textMember(value, 'metadata', 'phone_number_id') === number;
  if (textMember(change, 'field') !== 'messages' || !isOurs) return [];
  const contacts = listMember(value, 'contacts');
  return [
    ...listMember(value, 'messages').flatMap<Message>((each) => readMessage(each, contacts)),
    ...listMember(value, 'statuses').flatMap<Status>((each) => readStatus(each)),
  ];
}

type Message = ReturnType<typeof readMessage>[number];
type Status = ReturnType<typeof readStatus>[number];

function readMessage(message: unknown, contacts: readonly unknown[]) {
  const id = textMember(message, 'id');
  const from = whoWrote(message, contacts);
  // There is no way to answer in a group.
  if (id === undefined || !from || textMember(message, 'group_id') !== undefined) return [];
  const told = { key: id, from, ...known({ at: momentOf(message) }) };
  const original = textMember(message, 'revoke', 'original_message_id');
  if (original !== undefined) return [{ what: 'deletion' as const, ...told, id: original }];
  const edit = member(message, 'edit');
  const edited = textMember(edit, 'original_message_id');
  if (edited !== undefined) return said('edit', told, edited, member(edit, 'message'));
  return said('message', told, id, message);
}

interface Told {
  key: string;
  from: { id: string; name?: string };
  at?: number;
}

function said(what: 'message' | 'edit', told: Told, id: string, message: unknown) {
  const type = textMember(message, 'type') ?? '';
  const content = contentOf(type, member(message, type));
  if (Object.keys(content).length === 0) return [];
  const replyTo = textMember(message, 'context', 'id');
  return [{ what, ...told, id, ...content, ...known({ replyTo }) }];
}

/** By number, or by an id where the number is hidden. */
function whoWrote(message: unknown, contacts: readonly unknown[]) {
  const ids = [textMember(message, 'from'), textMember(message, 'from_user_id')];
  const id = ids.find((each) => each !== undefined && each !== '');
  if (id === undefined) return undefined;
  const contact = contacts.find((each) =>
    [textMember(each, 'wa_id'), textMember(each, 'user_id')].includes(id),
  );
  return { id, ...known({ name: textMember(contact, 'profile', 'name') }) };
}

function momentOf(message: unknown): number | undefined {
  const seconds = Number(textMember(message, 'timestamp') ?? Number.NaN);
  return Number.isSafeInteger(seconds) ? seconds * 1000 : undefined;
}

const MEDIA: Readonly<Record<string, 'Image' | 'Video' | 'Audio' | 'Document'>> = {
  image: 'Image',
  sticker: 'Image',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
};

function contentOf(type: string, content: unknown) {
  const kind = Object.hasOwn(MEDIA, type) ? MEDIA[type] : undefined;
  return known({
    text: type === 'text' ? textMember(content, 'body') : contactsIn(type, content),
    media: kind && mediaIn(kind, content),
    place: type === 'location' ? placeIn(content) : undefined,
    button: buttonIn(type, content),
  });
}

function mediaIn(type: 'Image' | 'Video' | 'Audio' | 'Document', content: unknown) {
  const reference = textMember(content, 'id');
  if (reference === undefined) return undefined;
  const [mediaType, name, caption] = ['mime_type', 'filename', 'caption'].map((key) =>
    textMember(content, key),
  );
  return [{ type, reference, ...known({ mediaType, name, caption }) }];
}

function placeIn(content: unknown) {
  const [latitude, longitude] = ['latitude', 'longitude'].map((key) => numberMember(content, key));
  if (latitude === undefined || longitude === undefined) return undefined;
  return { latitude, longitude, ...known({ name: textMember(content, 'name') }) };
}

/** A reply to buttons or to a list of ours, or to those of a template. */
function buttonIn(type: string, content: unknown) {
  const reply = member(content, 'button_reply') ?? member(content, 'list_reply');
  const [name, value] =
    type === 'button'
      ? [textMember(content, 'text'), textMember(content, 'payload')]
      : [textMember(reply, 'title'), textMember(reply, 'id')];
  return name === undefined ? undefined : { name, ...known({ value }) };
}

/** A line for each person. */
function contactsIn(type: string, content: unknown): string | undefined {
  if (type !== 'contacts' || !Array.isArray(content)) return undefined;
  const lines = content.map((contact) => {
    const phones = listMember(contact, 'phones').map((each) => textMember(each, 'phone'));
    return [textMember(contact, 'name', 'formatted_name'), ...phones].filter(Boolean).join(' ');
  });
  return lines.filter(Boolean).join('\n') || undefined;
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status */
function readStatus(status: unknown) {
  const [id, state] = [textMember(status, 'id'), textMember(status, 'status')];
  const what = 'receipt' as const;
  if (id === undefined) return [];
  if (state === 'delivered' || state === 'read') return [{ what, id, state } as const];
  if (state !== 'failed') return [];
  const [error] = listMember(status, 'errors');
  const words = [['error_data', 'details'], ['message'], ['title']];
  const [detail] = words.flatMap((path) => textMember(error, ...path) ?? []);
  return [{ what, id, state, ...known({ detail, code: integerMember(error, 'code') }) } as const];
}
