import { createCipheriv, createHash, randomBytes } from 'node:crypto';

import type {
  Actor,
  ReportContext,
  Reports,
  WebhookRequest,
  WrittenMessage,
} from '../../simulator.ts';

/*
 * WeChat's webhook requests, in safe mode.
 * https://developers.weixin.qq.com/doc/offiaccount/Message_Management/Receiving_standard_messages.html
 * https://developers.weixin.qq.com/doc/offiaccount/Message_Management/Receiving_event_pushes.html
 */

type Fields = Readonly<Record<string, string>>;

export const messages: Reports = {
  message(written, context) {
    const contents = contentsOf(written);
    // Each message has one content: a file and a text are two requests.
    const [first, ...more] = contents.map((content, i) => {
      const id = `230${String(context.number * 10 + i).padStart(14, '0')}`;
      return Object.assign(sealed(written, { ...content, MsgId: id }, context), { id });
    });
    return { ...(first ?? sealed(written, {}, context)), more };
  },

  press: ({ button: { label, value = label }, ...actor }, context) =>
    sealed(
      actor,
      {
        MsgType: 'text',
        Content: label,
        MsgId: `230${String(context.number * 10).padStart(14, '0')}`,
        bizmsgmenuid: value,
      },
      context,
    ),

  join: (actor, context) => event(actor, 'subscribe', context),
  leave: (actor, context) => event(actor, 'unsubscribe', context),
  // Somebody who no longer follows the account can receive nothing.
  block: (actor, context) => event(actor, 'unsubscribe', context),
  unblock: (actor, context) => event(actor, 'subscribe', context),
};

const event = (actor: Actor, name: string, context: ReportContext) =>
  sealed(actor, { MsgType: 'event', Event: name, EventKey: '' }, context);

function contentsOf({ text, media, place }: WrittenMessage): Fields[] {
  const contents: Fields[] = [];
  if (media) {
    const types = { Image: 'image', Audio: 'voice', Video: 'video', Document: 'file' } as const;
    const type = types[media.type];
    contents.push({ MsgType: type, MediaId: `fake-media-${type}-${media.file.id}` });
  }
  if (place) {
    contents.push({
      MsgType: 'location',
      Location_X: String(place.latitude),
      Location_Y: String(place.longitude),
      Scale: '20',
      Label: place.name ?? '',
    });
  }
  if (text !== undefined) contents.push({ MsgType: 'text', Content: text });
  return contents;
}

const element = ([name, value]: readonly [string, string]) =>
  `<${name}><![CDATA[${value.replaceAll(']]>', ']]]]><![CDATA[>')}]]></${name}>`;

const sha1 = (...parts: string[]) =>
  createHash('sha1').update(parts.toSorted().join('')).digest('hex');

/** Encrypts and signs a message. */
function sealed(
  { person: { address: openid } }: Actor,
  fields: Fields,
  { credentials, now, number }: ReportContext,
): WebhookRequest {
  const { secret = '', refresh = '', consumer_key: app = '' } = credentials;
  const timestamp = String(Math.floor(now / 1000));
  const all = { ToUserName: 'gh_1', FromUserName: openid, CreateTime: timestamp, ...fields };
  const xml = `<xml>${Object.entries(all).map(element).join('\n')}</xml>`;
  const ciphertext = encrypted(xml, app, refresh);
  const nonce = String(1_000_000_000 + number);
  const query = new URLSearchParams({
    signature: sha1(secret, timestamp, nonce),
    timestamp,
    nonce,
    openid,
    encrypt_type: 'aes',
    msg_signature: sha1(secret, timestamp, nonce, ciphertext),
  });
  return {
    query: query.toString(),
    headers: { 'content-type': 'text/xml' },
    body: `<xml>${element(['ToUserName', 'gh_1'])}${element(['Encrypt', ciphertext])}</xml>`,
  };
}

const BLOCK_BYTES = 32;

/** 16 random bytes, the length, the message, the app id, and padding to blocks of 32. */
function encrypted(text: string, app: string, encodingKey: string): string {
  const key = Buffer.from(`${encodingKey}=`, 'base64');
  const message = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  const plain = Buffer.concat([randomBytes(16), length, message, Buffer.from(app)]);
  const padding = BLOCK_BYTES - (plain.length % BLOCK_BYTES);
  const cipher = createCipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false);
  const padded = Buffer.concat([plain, Buffer.alloc(padding, padding)]);
  return Buffer.concat([cipher.update(padded), cipher.final()]).toString('base64');
}
