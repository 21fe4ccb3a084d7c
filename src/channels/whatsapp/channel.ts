import { jsonBody } from '../../lib/json/json-body.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import { WHATSAPP_TEXT } from '../../lib/rich-text/whatsapp-text.ts';
import { payloadOf } from '../../model/button.ts';
import {
  type Button,
  type Channel,
  type MediaRenderer,
  type Unsupported,
  type VendorRequest,
  matching,
} from '../channel.ts';
import { numberWithoutPlus, whatsappAddress } from '../consent-address.ts';
import { DIGITS, META_APP_SECRET } from '../credential-formats.ts';
import { NOTHING, webhookSecret } from '../inbound.ts';
import { GRAPH_VERSION, callGraph, classifyFailure } from '../meta/graph.ts';
import { META_NEEDS, answerToMeta, faultOfMetaRequest, isAtMeta } from '../meta/hook.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { readWhatsApp } from './events.ts';
import { WHATSAPP_OPTIONS, withWhatsAppOptions } from './options.ts';
import { isGroup, message } from './request.ts';
import { WHATSAPP_TEMPLATES } from './templates.ts';

/*
 * WhatsApp Business Platform, Cloud API.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages
 * Text: 4,096 characters; free-form messages only within 24 hours of the user's last message. 80 messages a second
 * per number: https://developers.facebook.com/documentation/business-messaging/whatsapp/throughput
 * One message every 6 seconds on average per user. Bursts of 45 are allowed and must be made up for later; error 131056
 * reports when the limit is exceeded.
 * Addresses, according to the page on business-scoped user ids of 28 May 2026: a phone number in international format
 * (`to`), or the business-scoped user id (US.1349…, or the parent's, US.ENT.1349…) of a user who hides the number
 * (`recipient`). https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 * Groups, according to the page of 21 May 2026: `to` is the group id, with `recipient_type: group`; text and media
 * only. https://developers.facebook.com/documentation/business-messaging/whatsapp/groups/groups-messaging
 */
const MAX_REPLY_ID_LENGTH = 256;

export const whatsapp: Channel = {
  name: 'whatsapp',
  title: 'WhatsApp',
  category: 'chat',
  summary: 'Messages and templates from a WhatsApp Business number.',
  keywords: ['whats app', 'facebook', 'meta', 'wa', 'business'],
  docs: 'https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages',
  dashboard: 'https://developers.facebook.com/apps',
  credentials: [
    {
      name: 'token',
      label: 'Access token',
      help: 'In Meta Business Settings, open Users > System users > Generate token, with the permission whatsapp_business_messaging.',
      secret: true,
      format: { pattern: /^EA/, hint: 'Access tokens start with EAA.' },
    },
    {
      name: 'username',
      label: 'Phone number ID',
      help: 'At developers.facebook.com/apps, choose your app, then WhatsApp > API Setup. The ID is below the sending number; it is not the number itself.',
      secret: false,
      format: DIGITS,
    },
    {
      name: 'consumer_secret',
      label: 'App secret',
      help: 'At developers.facebook.com/apps, choose your app, then App settings > Basic > App secret. Verifies webhook requests from Meta.',
      secret: true,
      format: META_APP_SECRET,
    },
    {
      name: 'secret',
      label: 'Verify token',
      help: 'Any text of your choice. Enter the same text under WhatsApp > Configuration > Webhook > Verify token.',
      secret: true,
      generate: 'hex',
    },
    {
      name: 'consumer_key',
      label: 'Business account ID',
      help: 'For templates only: at developers.facebook.com/apps, choose your app, then WhatsApp > API Setup. The ID of the WhatsApp Business account is beside the phone number ID. The access token then also needs the permission whatsapp_business_management.',
      secret: false,
      format: DIGITS,
    },
  ],
  needs: [['token', 'username']],
  recipient: {
    format:
      'a phone number with country code, digits only (a leading + is allowed), a business-scoped user ID, or a group ID',
    example: '16505551234',
    validate: matching(
      /^(\+?[1-9]\d{4,14}|[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}|[A-Za-z][\w+/=-]{15,255})$/,
      'must be a phone number with country code, digits only, a business-scoped user ID such as US.13491208655302741918, or a group ID',
    ),
    consentAddress: whatsappAddress,
    normalize: numberWithoutPlus,
  },
  limits: [
    {
      what: '4,096 characters of text, 1,024 above buttons and as a caption',
      link: 'https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/text-messages',
    },
    {
      what: '80 messages per second per number, 1 every 6 seconds to a person after a burst of 45',
      link: 'https://developers.facebook.com/documentation/business-messaging/whatsapp/throughput',
    },
  ],
  url: `https://graph.facebook.com/${GRAPH_VERSION}`,
  text: { max: 4096, measure: (text) => text.length, ...WHATSAPP_TEXT },
  renderers: {
    text: ({ text }, to) => message(to, 'text', { body: text }),
    image: media('image', 'JPEG and PNG', /^image\/(jpeg|png)$/),
    video: media('video', 'MP4 and 3GP', /^video\/(mp4|3gpp?)$/),
    audio: media('audio', 'AAC, AMR, MP3, M4A and OGG', /^audio\/(aac|amr|mpeg|mp4|ogg)$/),
    document: media('document', 'files', /./),
    // Strings, according to Meta's specification.
    place: ({ latitude, longitude, name }, to) =>
      isGroup(to.recipient)
        ? { unsupported: 'WhatsApp accepts only text and media in groups' }
        : message(to, 'location', {
            latitude: String(latitude),
            longitude: String(longitude),
            ...(name !== undefined && { name }),
          }),
    buttons: {
      max: 3,
      maxLabelLength: 20,
      kinds: ['link', 'reply'],
      payload: { max: MAX_REPLY_ID_LENGTH, unit: 'characters' },
      add: addButtons,
    },
    reply: (request, id) => ({
      ...request,
      body: { ...request.body, context: { message_id: id } },
    }),
    options: withWhatsAppOptions,
  },
  options: WHATSAPP_OPTIONS,
  templates: WHATSAPP_TEMPLATES,
  window: {
    hours: 24,
    link: 'https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages#customer-service-windows',
  },
  pace: {
    integration: { count: 80, seconds: 1, burst: 80 },
    recipient: () => 6,
    recipientBurst: 45,
  },
  concurrency: 16,

  async send({ body }, _message, context) {
    const { username = '' } = context.credentials;
    if (!NUMBER_ID.test(username)) return NO_NUMBER_ID;
    const answer = await callGraph(`${username}/messages`, context, body);
    const id = textMember(answer?.json(), 'messages', '0', 'id');
    if (id !== undefined) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  async check(context) {
    const { username = '' } = context.credentials;
    if (!NUMBER_ID.test(username)) return NO_NUMBER_ID;
    const fields = 'verified_name,display_phone_number';
    const answer = await callGraph(`${username}?fields=${fields}`, context);
    const number = textMember(answer?.json(), 'display_phone_number');
    if (number === undefined) return classifyFailure(answer, context);
    const name = textMember(answer?.json(), 'verified_name');
    return { outcome: 'known', as: name ? `${name}, ${number}` : number };
  },

  hook: {
    needs: META_NEEDS,
    setup:
      'At developers.facebook.com/apps, choose your app, then WhatsApp > Configuration > Webhook. Enter the URL as Callback URL, and subscribe to the fields messages and user_preferences. For a single number, Switchboard can register the URL with Meta.',
    verify: (call, { credentials }) => faultOfMetaRequest(call, credentials),
    parse: ({ method, body }, { credentials: { username } }) =>
      method === 'GET' ? [NOTHING] : readWhatsApp(jsonBody(body), username),
    answer: (call) => answerToMeta(call),

    /**
     * Registers the webhook for this number, overriding the app's.
     * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/override/
     */
    async register(url, context) {
      const { username = '' } = context.credentials;
      if (!NUMBER_ID.test(username)) return NO_NUMBER_ID;
      const secret = await webhookSecret(context);
      const body = { webhook_configuration: { override_callback_uri: url, verify_token: secret } };
      const answer = await callGraph(username, context, body);
      const isAccepted = member(answer?.json(), 'success') === true;
      return isAccepted
        ? { outcome: 'known', as: `the number ${username}` }
        : classifyFailure(answer, context);
    },
  },
  receipts: ['delivered', 'read', 'failed'],

  /** https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media */
  async media(reference, context) {
    const none = {
      outcome: 'permanent',
      blame: 'content',
      detail: 'the file does not exist or has expired at WhatsApp',
    } as const;
    if (!MEDIA_ID.test(reference)) return none;
    const answer = await callGraph(reference, context);
    const url = textMember(answer?.json(), 'url');
    if (url === undefined) {
      const failure = classifyFailure(answer, context);
      // Meta uses the same error for an unknown number and an unknown file.
      const isGone = failure.outcome === 'permanent' && failure.code === '100/33';
      return isGone ? { ...none, code: '100/33' } : failure;
    }
    if (!isAtMeta(url)) return { ...none, detail: 'not a Meta file URL' };
    return { url, headers: { authorization: `Bearer ${context.credentials.token ?? ''}` } };
  },
};

const NUMBER_ID = /^\d{1,32}$/;
const MEDIA_ID = /^\d{1,32}$/;
const NO_NUMBER_ID = {
  outcome: 'permanent',
  blame: 'credentials',
  detail: 'the phone number ID must be all digits',
} as const;

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media */
function media(type: string, accepted: string, types: RegExp): MediaRenderer {
  return {
    maxCaptionLength: type === 'audio' ? 0 : 1024,
    compose({ url, mediaType, name, caption: { text } }, to) {
      const bare = mediaType?.split(';', 1)[0]?.trim().toLowerCase();
      if (bare !== undefined && !types.test(bare)) {
        return { unsupported: `WhatsApp accepts ${accepted} only` };
      }
      return message(to, type, {
        link: url,
        ...(text !== '' && { caption: text }),
        ...(type === 'document' && { filename: name ?? fileNameOf(url) }),
      });
    },
  };
}

/** Without a name, WhatsApp shows the file as untitled, without a hint of its type. */
function fileNameOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  return path.slice(path.lastIndexOf('/') + 1) || 'file';
}

const MAX_LENGTH_ABOVE_BUTTONS = 1024;

/**
 * Buttons that send a value back, or one link button, but not both.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/interactive-reply-buttons-messages
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/interactive-cta-url-messages
 */
function addButtons(
  request: VendorRequest,
  buttons: readonly Button[],
): VendorRequest | Unsupported {
  const { type: _, text, ...head } = request.body;
  if (head['recipient_type'] === 'group') {
    return { unsupported: 'WhatsApp accepts only text and media in groups' };
  }
  const bodyText = textMember(text, 'body') ?? '';
  const link = buttons.find(({ url }) => url !== undefined);
  const names = new Set(buttons.map(({ name }) => name.trim()));
  if (bodyText.length > MAX_LENGTH_ABOVE_BUTTONS) {
    return {
      unsupported: `WhatsApp accepts at most ${MAX_LENGTH_ABOVE_BUTTONS} characters above buttons`,
    };
  }
  if (link && buttons.length > 1) {
    return { unsupported: 'WhatsApp accepts a link button only on its own' };
  }
  if (names.size < buttons.length) {
    return { unsupported: 'WhatsApp requires button names to be unique' };
  }
  if (new Set(buttons.map(idOf)).size < buttons.length) {
    return { unsupported: 'WhatsApp requires button values to be unique' };
  }
  const interactive = {
    type: link ? 'cta_url' : 'button',
    body: { text: bodyText },
    action: link
      ? { name: 'cta_url', parameters: { display_text: link.name, url: link.url } }
      : { buttons: buttons.map(toReply) },
  };
  return { ...request, body: { ...head, type: 'interactive', interactive } };
}

/** Ids may not have leading or trailing spaces. */
const idOf = (button: Button) => payloadOf(button).trim();

function toReply(button: Button): object {
  return { type: 'reply', reply: { id: idOf(button), title: button.name } };
}
