import { createHash, randomUUID } from 'node:crypto';

import type { Element } from '@xmpp/client';

import { type MediaKind, mediaKind } from '../../lib/http/media-kind.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { mediaTypeOf } from '../../lib/text/file-name.ts';
import { type Ignored, ignored } from '../inbound.ts';
import { type StanzaError, errorIn } from './error.ts';
import { bareOf, resourceOf } from './jid.ts';
import { stanzaIdIn, writeId } from './message.ts';

/* Parses received messages. https://www.rfc-editor.org/rfc/rfc6121#section-5.2 */

interface XmppEventBase {
  key: string;
  at?: number;
  from: { id: string; name?: string };
  /** The room; undefined for a direct message. */
  group?: { id: string };
}

interface XmppUserEvent extends XmppEventBase {
  what: 'message' | 'edit';
  id?: string;
  title?: string;
  text?: string;
  media?: readonly { type: MediaKind; reference: string; mediaType?: string; caption?: string }[];
  replyTo?: string;
  thread?: string;
}

type XmppInboundEvent =
  | XmppUserEvent
  | ({ what: 'deletion'; id: string } & XmppEventBase)
  | ({ what: 'join' | 'leave' } & XmppEventBase)
  | Ignored
  | {
      what: 'receipt';
      id: string;
      state: 'delivered' | 'read' | 'failed';
      detail?: string;
      code?: string;
    };

export interface XmppInbound {
  inboundEvent: XmppInboundEvent;
  /** Where to send a requested receipt, and the message id. */
  receipt?: { to: string; id: string };
}

/** The rooms and our address, which the parser needs. */
interface XmppAddresses {
  /** Our own address, without the resource. */
  self: string;
  isRoom(bare: string): boolean;
  /** Whether this is our own address in a room. */
  isSelf(jid: string): boolean;
}

const RECEIPTS = 'urn:xmpp:receipts';
const MARKERS = 'urn:xmpp:chat-markers:0';
const REPLY = 'urn:xmpp:reply:0';
const RETRACTION = 'urn:xmpp:message-retract:1';
const USER = 'http://jabber.org/protocol/muc#user';

/** Ids of messages in rooms kept for later references. */
const MAX_RECENT_IDS = 2000;

export class XmppReader {
  readonly #addresses: XmppAddresses;
  readonly #recent = new Map<string, string>();

  constructor(addresses: XmppAddresses) {
    this.#addresses = addresses;
  }

  /** Parses a message, or returns why it is ignored. */
  readStanza(stanza: Element): XmppInbound {
    const { type = 'normal', from = '' } = stanza.attrs;
    if (type === 'error') return failureIn(stanza);
    if (type === 'groupchat') return this.#readRoomMessage(stanza, from);
    const bare = bareOf(from);
    const isOurs = from === '' || bare.toLowerCase() === this.#addresses.self.toLowerCase();
    if (isOurs) return ignoredStanza(stanza, 'own');
    if (type === 'headline') return ignoredStanza(stanza, 'bot');
    const report = reportIn(stanza);
    if (report) return { inboundEvent: report };
    const isRoom = this.#addresses.isRoom(bare);
    // A room occupant has a nick; messages from the room itself are notices.
    const nick = resourceOf(from);
    if (isRoom && nick === undefined) return ignoredStanza(stanza, 'no_event');
    const who = isRoom ? { id: from, ...omitUndefined({ name: nick }) } : { id: bare };
    const inboundEvent = this.#read(stanza, { from: who });
    const { id } = stanza.attrs;
    const isReceiptRequested =
      id !== undefined && stanza.getChild('request', RECEIPTS) !== undefined;
    if (!inboundEvent) return ignoredStanza(stanza, 'no_content');
    return { inboundEvent, ...(isReceiptRequested && { receipt: { to: from, id } }) };
  }

  #readRoomMessage(stanza: Element, from: string): XmppInbound {
    const room = bareOf(from);
    // Messages from before our join are skipped: they may have been received already.
    if (!this.#addresses.isRoom(room)) return ignoredStanza(stanza, 'elsewhere');
    if (stanza.getChild('delay', 'urn:xmpp:delay')) return ignoredStanza(stanza, 'history');
    const nick = resourceOf(from);
    if (nick === undefined) {
      const inboundEvent = this.#moderation(stanza, room);
      return inboundEvent ? { inboundEvent } : ignoredStanza(stanza, 'no_event');
    }
    if (stanza.getChild('body')) this.#remember(stanza, from);
    if (this.#addresses.isSelf(from)) return ignoredStanza(stanza, 'own');
    const inboundEvent = this.#read(stanza, {
      from: { id: from, name: nick },
      group: { id: room },
    });
    return inboundEvent ? { inboundEvent } : ignoredStanza(stanza, 'no_content');
  }

  #read(stanza: Element, who: Pick<XmppEventBase, 'from' | 'group'>): XmppInboundEvent | undefined {
    const common = { ...who, key: keyOf(stanza), ...stampOf(stanza) };
    const retracted = stanza.getChild('retract', RETRACTION)?.attrs['id'];
    if (retracted !== undefined) {
      return { what: 'deletion', ...common, id: this.#nameFor(retracted, who) };
    }
    const content = contentOf(stanza);
    if (!content) return undefined;
    const replaced = stanza.getChild('replace', 'urn:xmpp:message-correct:0')?.attrs['id'];
    const reply = stanza.getChild('reply', REPLY)?.attrs['id'];
    const thread = stanza.getChild('thread')?.text();
    const title = stanza.getChild('subject')?.text().trim();
    return {
      what: replaced === undefined ? 'message' : 'edit',
      ...common,
      ...omitUndefined({
        id: replaced === undefined ? idOf(stanza, who) : this.#nameFor(replaced, who),
      }),
      ...(title && { title }),
      ...content,
      ...omitUndefined({ replyTo: reply === undefined ? undefined : this.#nameFor(reply, who) }),
      ...(thread && { thread }),
    };
  }

  /** A moderator retracts a message. https://xmpp.org/extensions/xep-0425.html */
  #moderation(stanza: Element, room: string): XmppInboundEvent | undefined {
    const retract = stanza.getChild('retract', RETRACTION);
    const id = retract?.attrs['id'];
    if (id === undefined || !retract?.getChild('moderated')) return undefined;
    const who = { from: { id: room }, group: { id: room } };
    return { what: 'deletion', ...who, key: keyOf(stanza), id: this.#nameFor(id, who) };
  }

  /** A message in a room has two ids and is referenced by either; elsewhere it has one. */
  #nameFor(reference: string, { from, group }: Pick<XmppEventBase, 'from' | 'group'>): string {
    if (!group) return reference;
    const names = [`${group.id} ${reference}`, `${from.id} ${reference}`];
    return names.map((name) => this.#recent.get(name)).find((id) => id !== undefined) ?? reference;
  }

  #remember(stanza: Element, from: string): void {
    const { id = '' } = stanza.attrs;
    const stanzaId = stanzaIdIn(stanza, bareOf(from));
    if (id === '' || stanzaId === undefined) return;
    const name = writeId(id, stanzaId);
    for (const reference of [`${bareOf(from)} ${stanzaId}`, `${from} ${id}`]) {
      const [oldest] = this.#recent.keys();
      if (this.#recent.size >= MAX_RECENT_IDS && oldest !== undefined) this.#recent.delete(oldest);
      if (reference.length < 1000) this.#recent.set(reference, name);
    }
  }
}

/** Why a message is ignored; its first element determines the type. */
function ignoredStanza(stanza: Element, reason: Ignored['reason']): XmppInbound {
  const kind = stanza.children.find((child) => typeof child !== 'string');
  const [inboundEvent] = ignored(`message.${kind?.name ?? ''}`, reason);
  return { inboundEvent };
}

/** In the format of the ids of sent messages. */
function idOf(stanza: Element, { group }: Pick<XmppEventBase, 'group'>): string | undefined {
  const { id } = stanza.attrs;
  const stanzaId = group && stanzaIdIn(stanza, group.id);
  return stanzaId === undefined ? id : writeId(id ?? '', stanzaId);
}

/** A client may reuse message ids in another session, but hardly with the same text. */
function keyOf(stanza: Element): string {
  const { id, from = '' } = stanza.attrs;
  const stanzaId = stanzaIdIn(stanza, bareOf(from));
  if (stanzaId !== undefined) return `${bareOf(from)} ${stanzaId}`;
  if (id === undefined) return randomUUID();
  const body = stanza.getChild('body')?.text() ?? '';
  return `${from} ${id} ${createHash('sha256').update(body).digest('base64url').slice(0, 16)}`;
}

/** The time of a message stored while we were offline. https://xmpp.org/extensions/xep-0203.html */
function stampOf(stanza: Element): { at?: number } {
  const stamp = stanza.getChild('delay', 'urn:xmpp:delay')?.attrs['stamp'];
  const at = Date.parse(stamp ?? '');
  return Number.isNaN(at) ? {} : { at };
}

function contentOf(stanza: Element): Pick<XmppUserEvent, 'text' | 'media'> | undefined {
  // A room invitation, meant for programs.
  if (stanza.getChild('x', USER)?.getChild('invite')) return undefined;
  const body = withoutQuote(stanza);
  // https://xmpp.org/extensions/xep-0066.html
  const oob = stanza.getChild('x', 'jabber:x:oob');
  const url = oob?.getChild('url')?.text() ?? '';
  if (!/^https?:\/\//.test(url)) return body.trim() === '' ? undefined : { text: body };
  const mediaType = mediaTypeOf(url);
  const caption = oob?.getChild('desc')?.text() || undefined;
  const file = {
    type: mediaKind(mediaType),
    reference: url,
    ...omitUndefined({ mediaType, caption }),
  };
  const hasText = body.trim() !== '' && body.trim() !== url;
  return { ...(hasText && { text: body }), media: [file] };
}

/** Without the fallback for clients that do not support replies. https://xmpp.org/extensions/xep-0428.html */
function withoutQuote(stanza: Element): string {
  const body = stanza.getChild('body')?.text() ?? '';
  const fallback = stanza
    .getChildren('fallback', 'urn:xmpp:fallback:0')
    .find(({ attrs }) => attrs['for'] === REPLY);
  const { start, end } = fallback?.getChild('body')?.attrs ?? {};
  if (start === undefined || end === undefined) return body;
  const characters = Array.from(body);
  return [...characters.slice(0, Number(start)), ...characters.slice(Number(end))].join('');
}

/** https://xmpp.org/extensions/xep-0184.html and https://xmpp.org/extensions/xep-0333.html */
function reportIn(stanza: Element): XmppInboundEvent | undefined {
  const delivered =
    stanza.getChild('received', RECEIPTS)?.attrs['id'] ??
    stanza.getChild('received', MARKERS)?.attrs['id'];
  if (delivered !== undefined) return { what: 'receipt', id: delivered, state: 'delivered' };
  const read = stanza.getChild('displayed', MARKERS)?.attrs['id'];
  return read === undefined ? undefined : { what: 'receipt', id: read, state: 'read' };
}

/** An error that arrives after the message counted as sent. */
function failureIn(stanza: Element): XmppInbound {
  const { id } = stanza.attrs;
  if (id === undefined) return ignoredStanza(stanza, 'incomplete');
  const { condition: code, text }: StanzaError = errorIn(stanza);
  const detail = text === '' ? `the server answered ${code}` : text;
  return { inboundEvent: { what: 'receipt', id, state: 'failed', detail, code } };
}
