import type { Element, Xml } from '@xmpp/client';

import { xmlText } from './text.ts';

/*
 * A message as XML, and what a room makes of it.
 */

/** A message, without the address. */
export interface XmppMessage {
  id: string;
  body: string;
  subject?: string;
  thread?: string;
  /** The message that this one answers, the one that it takes the place of, and the one that it takes back. */
  reply?: string;
  replaces?: string;
  retracts?: string;
  /** The address of the file that it is about. */
  file?: string;
  /** Whether signs in the body mean nothing. */
  unstyled?: boolean;
}

const STANZA_IDS = 'urn:xmpp:sid:0';
const RETRACTION = 'urn:xmpp:message-retract:1';

/** `isTalk` when it is said in a room, for all to hear. */
export function writeMessage(xml: Xml, to: string, message: XmppMessage, isTalk: boolean): Element {
  const { id, subject, body, thread, reply, replaces, retracts, file, unstyled } = message;
  const holding = (name: string, text: string) => xml(name, {}, text);
  const bare = (name: string, xmlns: string) => xml(name, { xmlns });
  const about = (name: string, xmlns: string, other: string) => xml(name, { xmlns, id: other });
  return xml(
    'message',
    { to, type: isTalk ? 'groupchat' : 'chat', id },
    ...(subject === undefined ? [] : [holding('subject', xmlText(subject))]),
    holding('body', body),
    ...(thread === undefined ? [] : [holding('thread', xmlText(thread))]),
    // https://xmpp.org/extensions/xep-0359.html: what it can be called by where a room gives it no name.
    // https://xmpp.org/extensions/xep-0184.html: receipts are not for rooms.
    // https://xmpp.org/extensions/xep-0333.html: that it was read is told only where it is asked for.
    ...(isTalk
      ? [about('origin-id', STANZA_IDS, id)]
      : [bare('request', 'urn:xmpp:receipts'), bare('markable', 'urn:xmpp:chat-markers:0')]),
    // https://xmpp.org/extensions/xep-0461.html
    ...(reply === undefined ? [] : [about('reply', 'urn:xmpp:reply:0', xmlText(reply))]),
    // https://xmpp.org/extensions/xep-0308.html
    ...(replaces === undefined ? [] : [about('replace', 'urn:xmpp:message-correct:0', replaces)]),
    // https://xmpp.org/extensions/xep-0424.html: the body is for those who do not know what to do with it.
    ...(retracts === undefined
      ? []
      : [
          about('retract', RETRACTION, retracts),
          xml('fallback', { xmlns: 'urn:xmpp:fallback:0', for: RETRACTION }),
          bare('store', 'urn:xmpp:hints'),
        ]),
    // https://xmpp.org/extensions/xep-0066.html
    ...(file === undefined ? [] : [xml('x', { xmlns: 'jabber:x:oob' }, holding('url', file))]),
    // https://xmpp.org/extensions/xep-0393.html#disable
    ...(unstyled ? [bare('unstyled', 'urn:xmpp:styling:0')] : []),
  );
}

const USABLE = /^[^\s\p{Cc}]{1,500}$/u;

/** What the room calls a message that it repeats. https://xmpp.org/extensions/xep-0359.html#stanza-id */
export function stanzaIdIn(echo: Element, room: string): string | undefined {
  const ids = echo.getChildren('stanza-id', STANZA_IDS);
  const own = ids.find(({ attrs }) => attrs['by']?.toLowerCase() === room.toLowerCase());
  const id = own?.attrs['id'] ?? '';
  return USABLE.test(id) ? id : undefined;
}

/** Between our name of a message and the room's. */
const IN_ROOM = ';stanza-id=';

export interface XmppId {
  /** To correct a message it is called by what its sender called it. */
  message: string;
  /** To answer it or to take it back, by what the room calls it, where one does. */
  stanzaId?: string;
}

/** How a message is called outside, by what it is called here. */
export function writeId(message: string, stanzaId: string | undefined): string {
  return stanzaId === undefined ? message : `${message}${IN_ROOM}${stanzaId}`;
}

export function parseId(id: string): XmppId {
  const end = id.lastIndexOf(IN_ROOM);
  if (end === -1) return { message: id };
  return { message: id.slice(0, end), stanzaId: id.slice(end + IN_ROOM.length) };
}
