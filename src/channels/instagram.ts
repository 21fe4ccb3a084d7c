import { jsonBody } from '../lib/json/json-body.ts';
import { textMember } from '../lib/json/json-member.ts';
import { type Channel, type Context, type MediaRenderer, matching } from './channel.ts';
import { META_APP_SECRET } from './credential-formats.ts';
import { NOTHING } from './inbound.ts';
import {
  MAX_CARDS,
  MAX_PAYLOAD_LENGTH,
  MAX_REPLIES,
  addButtons,
  genericTemplate,
} from './meta/buttons.ts';
import { GRAPH_VERSION, callGraph, classifyFailure } from './meta/graph.ts';
import { META_NEEDS, answerToMeta, faultOfMetaRequest } from './meta/hook.ts';
import { fileAtMeta, readMessaging } from './meta/send-api-events.ts';
import { HUMAN_AGENT, attachment, bareType, sendApiWindow, sendInWindow } from './meta/send-api.ts';

/*
 * Instagram messaging.
 * https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/messaging-api
 * https://developers.facebook.com/documentation/business-messaging/instagram-messaging/features/send-message
 * Text: 1,000 bytes of UTF-8, within 24 hours of the user's last message; no markup is documented. 300 requests a
 * second per account. Addresses: Instagram-scoped ids (IGSID), known from the user's messages.
 */
const INSTAGRAM = `https://graph.instagram.com/${GRAPH_VERSION}`;
const FACEBOOK = `https://graph.facebook.com/${GRAPH_VERSION}`;

export const instagram: Channel = {
  name: 'instagram',
  title: 'Instagram',
  category: 'chat',
  summary: 'Direct messages of an Instagram business account.',
  keywords: ['facebook', 'meta', 'dm', 'ig'],
  docs: 'https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/messaging-api',
  dashboard: 'https://developers.facebook.com/apps',
  credentials: [
    {
      name: 'token',
      label: 'Access token',
      help: 'At developers.facebook.com/apps, choose your app, then Instagram > API setup > Generate token for your professional account. The token of a linked page works too.',
      secret: true,
      format: {
        pattern: /^(?:IG|EA)/,
        hint: 'Access tokens start with IG, and those of a page with EAA.',
      },
    },
    {
      name: 'secret',
      label: 'Verify token',
      help: 'Any text of your choice. Enter the same text under Instagram > API setup > Configure webhooks > Verify token.',
      secret: true,
      generate: 'hex',
    },
    {
      name: 'consumer_secret',
      label: 'App secret',
      help: 'At developers.facebook.com/apps, choose your app, then Instagram > API setup > Instagram app secret. With a page token: App settings > Basic > App secret.',
      secret: true,
      format: META_APP_SECRET,
    },
  ],
  needs: [['token']],
  recipient: {
    format: 'the Instagram-scoped ID (IGSID) of a person who wrote to the account, all digits',
    example: '1784140123456789',
    validate: matching(/^\d{1,32}$/, 'must be an Instagram-scoped ID (IGSID), all digits'),
  },
  limits: [
    {
      what: '1,000 bytes of UTF-8 text',
      link: 'https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/messaging-api',
    },
    {
      what: '300 calls per second per account',
      link: 'https://developers.facebook.com/documentation/business-messaging/messenger-platform/overview/rate-limiting',
    },
  ],
  url: INSTAGRAM,
  text: { max: 1000, unit: 'bytes', measure: (text) => Buffer.byteLength(text) },
  renderers: {
    text: ({ text }, { recipient }) => ({
      body: { recipient: { id: recipient }, message: { text } },
    }),
    image: media('image', 'JPEG, PNG and GIF', /^image\/(jpeg|png|gif)$/),
    video: media(
      'video',
      'MP4, OGG, AVI, MOV and WebM',
      /^video\/(mp4|ogg|avi|x-msvideo|quicktime|webm)$/,
    ),
    audio: media('audio', 'AAC, M4A, WAV and MP4', /^audio\/(aac|mp4|(x-)?m4a|(x-|vnd\.)?wave?)$/),
    document: media('file', 'PDF', /^application\/pdf$/),
    buttons: {
      max: MAX_REPLIES,
      maxLabelLength: 20,
      kinds: ['link', 'reply'],
      payload: { max: MAX_PAYLOAD_LENGTH, unit: 'characters' },
      add: (request, buttons, { isLast }) => addButtons('Instagram', request, buttons, isLast),
    },
    carousel: {
      max: MAX_CARDS,
      compose: (cards, to) => {
        const content = genericTemplate('Instagram', cards);
        return 'unsupported' in content
          ? content
          : { body: { recipient: { id: to.recipient }, message: content } };
      },
    },
    reply: (request, id) => ({ ...request, body: { ...request.body, reply_to: { mid: id } } }),
  },
  options: [HUMAN_AGENT],
  window: sendApiWindow(
    'https://developers.facebook.com/documentation/business-messaging/instagram-messaging/features/send-message',
  ),
  pace: { integration: { count: 300, seconds: 1, burst: 300 } },
  concurrency: 16,

  send: ({ body }, { options }, context) => sendInWindow(body, options, withEndpoint(context)),

  async check(context) {
    const field = hasPageToken(context) ? 'name' : 'username';
    const answer = await callGraph(`me?fields=${field}`, withEndpoint(context));
    const name = textMember(answer?.json(), field);
    if (name === undefined) return classifyFailure(answer, context);
    return { outcome: 'known', as: field === 'name' ? name : `@${name}` };
  },

  hook: {
    needs: META_NEEDS,
    setup:
      'At developers.facebook.com/apps, choose your app, then Instagram > API setup > Configure webhooks. Enter the URL as Callback URL, and subscribe to messages, messaging_postbacks and messaging_seen.',
    verify: (call, { credentials }) => faultOfMetaRequest(call, credentials),
    parse: ({ method, body }) =>
      method === 'GET' ? [NOTHING] : readMessaging(jsonBody(body), 'instagram'),
    answer: (call) => answerToMeta(call),
  },
  receipts: ['read'],

  media: (reference) => Promise.resolve(fileAtMeta(reference)),
};

/** Page tokens begin with EAA, tokens of Instagram accounts with IG. */
const hasPageToken = ({ credentials: { token = '' } }: Context) => token.startsWith('EAA');

/** Page tokens work at another URL. A configured URL replaces both. */
function withEndpoint(context: Context): Context {
  const url = context.url === INSTAGRAM && hasPageToken(context) ? FACEBOOK : context.url;
  return { ...context, url };
}

function media(
  type: 'image' | 'video' | 'audio' | 'file',
  accepted: string,
  types: RegExp,
): MediaRenderer {
  return {
    maxCaptionLength: 0,
    compose({ url, mediaType }, { recipient }) {
      const fits =
        mediaType === undefined
          ? type !== 'file' || /\.pdf(?:[?#]|$)/i.test(url)
          : types.test(bareType(mediaType) ?? '');
      if (!fits) return { unsupported: `Instagram accepts ${accepted} only` };
      return { body: { recipient: { id: recipient }, message: attachment(type, url) } };
    },
  };
}
