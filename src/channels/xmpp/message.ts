import type { Element, Xml } from '@xmpp/client';

import { xmlText } from './text.ts';

/* Writes messages as XML, and reads the ids that rooms assign. */

/** A message without its address. */
export interface XmppMessage {
  id: string;
  body: string;
  subject?: string;
  thread?: string;
  /** The ids of the messages that it replies to, replaces or retracts. */
  reply?: string;
  replaces?: string;
  retracts?: string;
  /** The URL of its file. */
  file?: string;
  /** Whether the body has no markup. */
  unstyled?: boolean;
}

const STANZA_IDS = 'urn:xmpp:sid:0';
const RETRACTION = 'urn:xmpp:message-retract:1';

/** `isGroupChat`: the message is for all occupants of a room. */
export function writeMessage(
  xml: Xml,
  to: string,
  message: XmppMessage,
  isGroupChat: boolean,
): Element {
  const { id, subject, body, thread, reply, replaces, retracts, file, unstyled } = message;
  const withText = (name: string, text: string) => xml(name, {}, text);
  const bare = (name: string, xmlns: string) => xml(name, { xmlns });
  const withId = (name: string, xmlns: string, other: string) => xml(name, { xmlns, id: other });
  return xml(
    'message',
    { to, type: isGroupChat ? 'groupchat' : 'chat', id },
    ...(subject === undefined ? [] : [withText('subject', xmlText(subject))]),
    withText('body', body),
    ...(thread === undefined ? [] : [withText('thread', xmlText(thread))]),
    // https://xmpp.org/extensions/xep-0359.html: an id for rooms that assign none.
    // https://xmpp.org/extensions/xep-0184.html: rooms do not support receipts.
    // https://xmpp.org/extensions/xep-0333.html: read markers are sent only on request.
    ...(isGroupChat
      ? [withId('origin-id', STANZA_IDS, id)]
      : [bare('request', 'urn:xmpp:receipts'), bare('markable', 'urn:xmpp:chat-markers:0')]),
    // https://xmpp.org/extensions/xep-0461.html
    ...(reply === undefined ? [] : [withId('reply', 'urn:xmpp:reply:0', xmlText(reply))]),
    // https://xmpp.org/extensions/xep-0308.html
    ...(replaces === undefined ? [] : [withId('replace', 'urn:xmpp:message-correct:0', replaces)]),
    // https://xmpp.org/extensions/xep-0424.html: the body is for clients that do not support it.
    ...(retracts === undefined
      ? []
      : [
          withId('retract', RETRACTION, retracts),
          xml('fallback', { xmlns: 'urn:xmpp:fallback:0', for: RETRACTION }),
          bare('store', 'urn:xmpp:hints'),
        ]),
    // https://xmpp.org/extensions/xep-0066.html
    ...(file === undefined ? [] : [xml('x', { xmlns: 'jabber:x:oob' }, withText('url', file))]),
    // https://xmpp.org/extensions/xep-0393.html#disable
    ...(unstyled ? [bare('unstyled', 'urn:xmpp:styling:0')] : []),
  );
}

const USABLE = /^[^\s\p{Cc}]{1,500}$/u;

/** The id that the room assigned to a message. https://xmpp.org/extensions/xep-0359.html#stanza-id */
export function stanzaIdIn(echo: Element, room: string): string | undefined {
  const ids = echo.getChildren('stanza-id', STANZA_IDS);
  const assigned = ids.find(({ attrs }) => attrs['by']?.toLowerCase() === room.toLowerCase());
  const id = assigned?.attrs['id'] ?? '';
  return USABLE.test(id) ? id : undefined;
}

/** Separates the sender's id of a message from the room's. */
const IN_ROOM = ';stanza-id=';

export interface XmppId {
  /** The sender's id, used to correct the message. */
  message: string;
  /** The room's id, if any, used to reply to the message or retract it. */
  stanzaId?: string;
}

/** Joins both ids into the one that is used outside this channel. */
export function writeId(message: string, stanzaId: string | undefined): string {
  return stanzaId === undefined ? message : `${message}${IN_ROOM}${stanzaId}`;
}

export function parseId(id: string): XmppId {
  const end = id.lastIndexOf(IN_ROOM);
  if (end === -1) return { message: id };
  return { message: id.slice(0, end), stanzaId: id.slice(end + IN_ROOM.length) };
}
