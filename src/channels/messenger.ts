import { jsonBody } from '../lib/json/json-body.ts';
import { textMember } from '../lib/json/json-member.ts';
import { type Channel, type MediaRenderer, type VendorRequest, matching } from './channel.ts';
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
 * Messenger Platform, Send API.
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages
 * Text: 2,000 characters, within 24 hours of the user's last message; no markup is documented. 300 requests a second
 * per page, and 200 times the number of engaged users in 24 hours. Addresses: page-scoped ids (PSID), known from the
 * user's messages. `notification_type`: https://developers.facebook.com/docs/graph-api/reference/page/messages
 * From 24 hours to 7 days, a human agent may still reply, with the tag HUMAN_AGENT. The other tags are retired and
 * not offered. Compared on 2026-11-17 with the page on sending (of 5 May 2026) and
 * https://developers.facebook.com/docs/messenger-platform/send-messages/message-tags/.
 */
export const messenger: Channel = {
  name: 'messenger',
  title: 'Messenger',
  category: 'chat',
  summary: 'Messages from a Facebook page to people who wrote to it.',
  keywords: ['facebook', 'meta', 'fb', 'page'],
  docs: 'https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages',
  dashboard: 'https://developers.facebook.com/apps',
  credentials: [
    {
      name: 'token',
      label: 'Page access token',
      help: 'At developers.facebook.com/apps, choose your app, then Messenger > Settings > Access tokens, and generate one for your page.',
      secret: true,
      format: { pattern: /^EA/, hint: 'Page access tokens start with EAA.' },
    },
    {
      name: 'secret',
      label: 'Verify token',
      help: 'Any text of your choice. Enter the same text under Messenger > Settings > Webhooks > Verify token.',
      secret: true,
      generate: 'hex',
    },
    {
      name: 'consumer_secret',
      label: 'App secret',
      help: 'At developers.facebook.com/apps, choose your app, then App settings > Basic > App secret. Verifies webhook requests from Meta.',
      secret: true,
      format: META_APP_SECRET,
    },
  ],
  needs: [['token']],
  recipient: {
    format: 'the page-scoped ID (PSID) of a person who wrote to the page, all digits',
    example: '4012345678901234',
    validate: matching(/^\d{1,32}$/, 'must be a page-scoped ID (PSID), all digits'),
  },
  limits: [
    {
      what: '2,000 characters of text',
      link: 'https://developers.facebook.com/docs/graph-api/reference/page/messages',
    },
    {
      what: '300 calls per second per page; in 24 hours, 200 calls for each engaged person',
      link: 'https://developers.facebook.com/documentation/business-messaging/messenger-platform/overview/rate-limiting',
    },
  ],
  url: `https://graph.facebook.com/${GRAPH_VERSION}`,
  text: { max: 2000, measure: (text) => text.length },
  renderers: {
    text: ({ text }, { recipient }) => message(recipient, { text }),
    image: media('image', /^image\/(jpeg|png|gif)$/),
    video: media('video', /^video\//),
    audio: media('audio', /^audio\//),
    document: media('file', /^/),
    buttons: {
      max: MAX_REPLIES,
      maxLabelLength: 20,
      kinds: ['link', 'reply', 'tel'],
      payload: { max: MAX_PAYLOAD_LENGTH, unit: 'characters' },
      add: (request, buttons, { isLast }) => addButtons('Messenger', request, buttons, isLast),
    },
    carousel: {
      max: MAX_CARDS,
      compose: (cards, to) => {
        const content = genericTemplate('Messenger', cards);
        return 'unsupported' in content ? content : message(to.recipient, content);
      },
    },
    reply: (request, id) => ({ ...request, body: { ...request.body, reply_to: { mid: id } } }),
    options: (request, { options: { silent } }) =>
      silent === true
        ? { ...request, body: { ...request.body, notification_type: 'SILENT_PUSH' } }
        : request,
  },
  options: [
    {
      name: 'silent',
      label: 'Silent',
      help: 'Sends a notification without sound and vibration. False by default.',
      rule: { type: 'boolean' },
      link: 'https://developers.facebook.com/docs/messenger-platform/reference/send-api',
    },
    HUMAN_AGENT,
  ],
  window: sendApiWindow(
    'https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages',
  ),
  pace: { integration: { count: 300, seconds: 1, burst: 300 } },
  concurrency: 16,

  send: ({ body }, { options }, context) => sendInWindow(body, options, context),

  async check(context) {
    const answer = await callGraph('me?fields=name', context);
    const name = textMember(answer?.json(), 'name');
    return name === undefined ? classifyFailure(answer, context) : { outcome: 'known', as: name };
  },

  hook: {
    needs: META_NEEDS,
    setup:
      'At developers.facebook.com/apps, choose your app, then Messenger > Settings > Webhooks. Enter the URL as Callback URL, and subscribe your page to messages, messaging_postbacks, message_deliveries, message_reads and message_edits.',
    verify: (call, { credentials }) => faultOfMetaRequest(call, credentials),
    parse: ({ method, body }) =>
      method === 'GET' ? [NOTHING] : readMessaging(jsonBody(body), 'page'),
    answer: (call) => answerToMeta(call),
  },
  receipts: ['delivered', 'read'],

  media: (reference) => Promise.resolve(fileAtMeta(reference)),
};

/** Any message within 24 hours of the user's last one is a RESPONSE. */
function message(recipient: string, content: object): VendorRequest {
  return {
    body: { recipient: { id: recipient }, messaging_type: 'RESPONSE', message: content },
  };
}

function media(type: 'image' | 'video' | 'audio' | 'file', types: RegExp): MediaRenderer {
  return {
    maxCaptionLength: 0,
    compose({ url, mediaType }, { recipient }) {
      const bare = bareType(mediaType);
      if (bare === undefined || types.test(bare)) return message(recipient, attachment(type, url));
      return { unsupported: `Messenger does not accept ${bare} as ${type}` };
    },
  };
}
