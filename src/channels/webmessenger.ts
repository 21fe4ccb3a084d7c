import { randomBytes } from 'node:crypto';

import { type RichText, charactersOf } from '../lib/rich-text/rich-text.ts';
import {
  type Destination,
  type Channel,
  type Chat,
  type Context,
  type MediaRenderer,
  type MediaPart,
  type VendorRequest,
  matching,
} from './channel.ts';

/*
 * The built-in web chat, without vendor or account. A message becomes part of a visitor's conversation, as data with
 * its formatting; the page in the browser renders it and never parses markup.
 * Visitors are anonymous, with a generated id, or identified by the application, which signs their identity with
 * HS256 and a key of at least 256 bits. https://www.rfc-editor.org/rfc/rfc7518#section-3.2
 */
export const webmessenger: Channel = {
  name: 'webmessenger',
  title: 'Web Messenger',
  category: 'own',
  summary: 'A chat on your own site. It needs no vendor and no account.',
  keywords: ['web chat', 'live chat', 'widget', 'website', 'browser', 'built in', 'own'],
  docs: '/docs',
  credentials: [
    {
      name: 'secret',
      label: 'Identity key',
      help: 'Any long random text (openssl rand -hex 32). Your site signs visitor identities with it. Leave it empty for anonymous visitors.',
      secret: true,
      generate: 'hex',
    },
    {
      name: 'address',
      label: 'Sites',
      help: 'The origins that may embed the chat, separated by spaces, such as https://www.example.com https://*.example.org. Leave it empty to allow every site.',
      secret: false,
    },
    {
      name: 'username',
      label: 'Title',
      help: 'The title at the top of the chat, such as Acme Support.',
      secret: false,
    },
  ],
  needs: [[]],
  recipient: {
    format:
      'a visitor ID: from a received message, or the user ID (`sub`) that your site signs; 1 to 128 letters, digits and _ . - @ + : | = ~',
    example: 'guest-Zk3pVb0m8Qx1rT6yNw5sJA',
    validate: matching(
      /^[A-Za-z0-9_.@+:|=~-]{1,128}$/,
      'must be a visitor ID: 1 to 128 letters, digits and _ . - @ + : | = ~',
    ),
  },
  limits: [],
  text: { max: 10_000, measure: (text) => text.length, write: (rich) => charactersOf(rich) },
  renderers: {
    text: ({ rich }, to) => ({ body: { ...titled(to), text: runsOf(rich) } }),
    image: media('image'),
    video: media('video'),
    audio: media('audio'),
    document: media('document'),
    place: (place, to) => ({ body: { ...titled(to), place } }),
    buttons: {
      max: 20,
      maxLabelLength: 80,
      kinds: ['link', 'reply', 'tel', 'mailto'],
      withMedia: true,
      add: ({ body }, buttons) => ({ body: { ...body, buttons } }),
    },
    title: 'a separate line above the text',
    reply: ({ body }, reply) => ({ body: { ...body, reply } }),
  },
  // Each part is stored once per key.
  idempotent: true,
  receipts: ['delivered', 'read'],
  page: '/chat/{id}',

  async send({ body }, { key, recipient }, context) {
    // A visitor identified by the application may not have visited yet.
    const mayBegin = context.credentials.secret !== undefined && !isGuest(recipient);
    const id = await chatOf(context).post(recipient, key, body, mayBegin);
    if (id !== undefined) return { outcome: 'sent', id };
    const detail =
      'unknown visitor: no message was received from this ID, and the integration has no secret to sign identities with';
    return { outcome: 'permanent', blame: 'recipient', detail };
  },

  async edit({ id, recipient }, { body }, context) {
    const isPresent = await chatOf(context).update(recipient, id, body);
    return isPresent ? { outcome: 'sent', id } : GONE;
  },

  async remove({ id, recipient }, context) {
    const isPresent = await chatOf(context).update(recipient, id, undefined);
    return isPresent ? { outcome: 'sent' } : GONE;
  },

  check({ credentials }) {
    const detail = faultIn(credentials);
    if (detail !== undefined) {
      return Promise.resolve({ outcome: 'permanent', blame: 'credentials', detail });
    }
    const visitors = credentials.secret === undefined ? 'anonymous' : 'anonymous and known';
    const as = `a chat for ${visitors} visitors`;
    return Promise.resolve({ outcome: 'known', as, account: null });
  },

  async media(reference, context) {
    const file = await chatOf(context).file(reference);
    const detail = 'the file no longer exists';
    return file ?? { outcome: 'permanent', blame: 'content', detail };
  },
};

function faultIn({ secret, address = '' }: Context['credentials']): string | undefined {
  if (secret !== undefined && Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
    return `the secret has fewer than ${MIN_SECRET_BYTES} bytes; use a longer one`;
  }
  const invalid = address.split(/\s+/).find((word) => word !== '' && !ORIGIN.test(word));
  if (invalid === undefined) return undefined;
  return `the address contains ${invalid}, which is not an origin such as https://www.example.com`;
}

/** The id of an anonymous visitor: the part after the hyphen is unguessable. */
export function newGuest(): string {
  return `guest-${randomBytes(16).toString('base64url')}`;
}

export const isGuest = (visitor: string) => /^guest-[A-Za-z0-9_-]{22}$/.test(visitor);

export const MIN_SECRET_BYTES = 32;
const ORIGIN = /^https?:\/\/(?:\*\.)?[a-z0-9.-]+(?::\d{1,5})?$/i;

/** The origins that may embed the chat; undefined when all may. An invalid origin matches none. */
export function originsOf(address: string | undefined): string[] | undefined {
  const origins = (address ?? '').split(/\s+/).filter((word) => word !== '');
  return origins.length === 0 ? undefined : origins.filter((word) => ORIGIN.test(word));
}

const GONE = {
  outcome: 'permanent',
  blame: 'unsupported',
  detail: 'the message no longer exists',
} as const;

function media(kind: string): MediaRenderer {
  return {
    maxCaptionLength: 10_000,
    compose: ({ url, mediaType, name, preview, caption }: MediaPart, to): VendorRequest => {
      const shown = {
        kind,
        url,
        ...(mediaType !== undefined && { mediaType }),
        ...(name !== undefined && { name }),
        ...(preview !== undefined && { preview }),
      };
      const text = caption.rich.length > 0 && { text: runsOf(caption.rich) };
      return { body: { ...titled(to), media: shown, ...text } };
    },
  };
}

/** Schemes that a browser can follow safely. */
const LINK = /^(?:https?:\/\/|mailto:|tel:)/i;

/** The text as runs, which the page renders. */
function runsOf(rich: RichText): object[] {
  return rich.map(({ text, look: { link, ...look } }) => ({
    text,
    ...look,
    ...(link !== undefined && LINK.test(link) && { link }),
  }));
}

function titled({ title }: Destination): object {
  return title === undefined ? {} : { title };
}

function chatOf({ chat }: Context): Chat {
  if (!chat) throw new Error('the web chat has no message store');
  return chat;
}
