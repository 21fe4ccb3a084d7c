import { type Element, xml } from '@xmpp/client';

import { mediaKind } from '../../../lib/http/media-kind.ts';
import { mediaTypeOf } from '../../../lib/text/file-name.ts';
import type { SessionRefusal, SessionReport } from '../../session.ts';
import type { ShownContent } from '../../shown.ts';
import { readSimpleMarkup } from '../simple-markup.ts';

/* The stanzas of the simulated server. https://www.rfc-editor.org/rfc/rfc6120#section-8 */

const STANZA_ERRORS = 'urn:ietf:params:xml:ns:xmpp-stanzas';
const STANZA_IDS = 'urn:xmpp:sid:0';
const USER = 'http://jabber.org/protocol/muc#user';
const MARKERS = 'urn:xmpp:chat-markers:0';

/** A room assigns its own ids; the simulator derives them from the sender's. https://xmpp.org/extensions/xep-0359.html */
const roomIdOf = (id: string): string => `room-${id}`;

/** The phone's id of a message in a room: the sender's id and the room's. */
export const idInRoom = (id: string): string => `${id};stanza-id=${roomIdOf(id)}`;

/** The sender's id, from either id. */
export const senderIdOf = (id: string): string => id.replace(/^room-/, '');

/** The id that the client of a person assigns to a message. */
export const personIdOf = (number: number): string => `sandbox-${number}`;

/** The shown form of a message. */
export function contentOf(stanza: Element, vendorIdOf: (id: string) => string): ShownContent {
  const body = stanza.getChild('body')?.text() ?? '';
  const url = stanza.getChild('x', 'jabber:x:oob')?.getChild('url')?.text();
  const isUnstyled = stanza.getChild('unstyled', 'urn:xmpp:styling:0') !== undefined;
  const title = stanza.getChild('subject')?.text();
  const reply = stanza.getChild('reply', 'urn:xmpp:reply:0')?.attrs['id'];
  const thread = stanza.getChild('thread')?.text();
  return {
    ...(title !== undefined && { title }),
    ...(body !== url && (isUnstyled ? { text: body } : readSimpleMarkup(body))),
    ...(url !== undefined && { media: [{ type: mediaKind(mediaTypeOf(url)), url }] }),
    ...(reply !== undefined && { reply_to: vendorIdOf(senderIdOf(reply)) }),
    ...(thread !== undefined && { thread }),
  };
}

/** Our own message, as the room sends it to all occupants. */
export function echoOf(
  stanza: Element,
  { bare: room, nick }: { bare: string; nick: string },
  to: string,
  hasId: boolean,
): Element {
  const id = stanza.attrs['id'] ?? '';
  const children = stanza.children.filter((child) => typeof child !== 'string');
  return xml(
    'message',
    { type: 'groupchat', id, from: `${room}/${nick}`, to },
    ...children,
    ...(hasId ? [xml('stanza-id', { xmlns: STANZA_IDS, by: room, id: roomIdOf(id) })] : []),
  );
}

/** https://www.rfc-editor.org/rfc/rfc6120#section-8.3 */
export function errorOf(stanza: Element, type: string, condition: string, to: string): Element {
  const { id, to: from } = stanza.attrs;
  const error = xml('error', { type }, xml(condition, { xmlns: STANZA_ERRORS }));
  return xml(stanza.name, { type: 'error', id, from, to }, error);
}

export function refusalOf(
  refusal: Exclude<SessionRefusal, 'lost' | 'credentials'>,
): [type: string, condition: string] {
  switch (refusal) {
    case 'blocked':
      return ['cancel', 'service-unavailable'];
    case 'unknown':
      return ['cancel', 'item-not-found'];
    case 'limited':
      return ['wait', 'resource-constraint'];
    case 'server_error':
      return ['wait', 'internal-server-error'];
    case 'unavailable':
      return ['wait', 'remote-server-timeout'];
  }
}

/** A person joins or leaves a room. https://xmpp.org/extensions/xep-0045.html#enter-pres */
export function presenceOf(
  room: string,
  nick: string,
  { isLeaving = false, isSelf = false }: { isLeaving?: boolean; isSelf?: boolean } = {},
): Element {
  const role = isLeaving ? 'none' : 'participant';
  return xml(
    'presence',
    { from: `${room}/${nick}`, ...(isLeaving && { type: 'unavailable' }) },
    xml(
      'x',
      { xmlns: USER },
      xml('item', { affiliation: 'member', role }),
      ...(isSelf ? [xml('status', { code: '110' })] : []),
    ),
  );
}

/** A message by a person, to us or in a room. */
export function messageOf({ person, room, entry, message }: SessionReport, to: string): Element {
  const id = personIdOf(entry.number);
  const { text = '', media: [file] = [] } = entry.entry;
  const url =
    file?.file === undefined
      ? undefined
      : `https://sandbox.test/files/${file.file}/${encodeURIComponent(file.name ?? '')}`;
  const body = [text, url].filter((line) => line).join('\n');
  const answeredId = message?.vendorId.split(';stanza-id=').at(-1);
  return xml(
    'message',
    {
      type: room ? 'groupchat' : 'chat',
      id,
      from: room ? `${room.address}/${person.name}` : `${person.address}/phone`,
      to,
    },
    xml('body', {}, body),
    ...(url === undefined ? [] : [xml('x', { xmlns: 'jabber:x:oob' }, xml('url', {}, url))]),
    ...(answeredId === undefined
      ? []
      : [xml('reply', { xmlns: 'urn:xmpp:reply:0', id: answeredId, to })]),
    room
      ? xml('stanza-id', { xmlns: STANZA_IDS, by: room.address, id: roomIdOf(id) })
      : xml('request', { xmlns: 'urn:xmpp:receipts' }),
  );
}

/** https://xmpp.org/extensions/xep-0184.html, https://xmpp.org/extensions/xep-0333.html */
export function receiptOf(
  { entry, state }: Extract<SessionReport, { kind: 'receipt' }>,
  to: string,
): Element {
  const id = entry.vendorId;
  const from = `${entry.person}/phone`;
  if (state === 'failed') {
    const failedMessage = xml('message', { id, to: entry.person });
    return errorOf(failedMessage, 'cancel', 'service-unavailable', to);
  }
  const report =
    state === 'read'
      ? xml('displayed', { xmlns: MARKERS, id })
      : xml('received', { xmlns: 'urn:xmpp:receipts', id });
  return xml('message', { type: 'chat', id: `sandbox-${entry.number}-${state}`, from, to }, report);
}
