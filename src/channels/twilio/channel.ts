import { listMember, textMember } from '../../lib/json/json-member.ts';
import { WHATSAPP_TEXT } from '../../lib/rich-text/whatsapp-text.ts';
import type { FilledTemplate, TemplateDefinition } from '../../model/templates/vendor-template.ts';
import {
  type Destination,
  type Channel,
  type Check,
  type Context,
  type Failure,
  type MediaRenderer,
  type VendorRequest,
  matching,
} from '../channel.ts';
import { numberWithPlus, phoneAddress } from '../consent-address.ts';
import type { HookRequest } from '../inbound.ts';
import { MAX_PAGE_BYTES, MAX_TEMPLATES } from '../templates.ts';
import { isSuccess, sentUnlessRefused } from '../unexpected-success.ts';
import { withTimeLeft } from '../validity.ts';
import { addressOf, ask, authorizationOf, call, classifyFailure, keyOf } from './api.ts';
import { readTwilio } from './hook.ts';
import { TWILIO_OPTIONS, VALIDITY, withTwilioOptions } from './options.ts';
import { withPrices } from './price.ts';
import { isSignedByTwilio } from './signature.ts';
import { CONTENT_LIST, nextPage, readContents } from './templates.ts';

/*
 * Twilio Programmable Messaging. https://www.twilio.com/docs/messaging/api/message-resource
 * Text: 1,600 characters. Twilio queues messages above the sender's rate.
 * Addresses: E.164, or one of Twilio's channel addresses: https://www.twilio.com/docs/messaging/channels
 * A WhatsApp user who hides the number is `whatsapp:` and a business-scoped user id, which `ExternalUserId` also
 * holds when the number is visible. No page of Twilio's was available; derived from public programs that receive it,
 * of April to August 2026.
 * Media: https://www.twilio.com/docs/messaging/guides/accepted-mime-types
 * A sent message cannot be recalled: deleting it at Twilio leaves it on the phone.
 */
export const twilio: Channel = {
  name: 'twilio',
  title: 'Twilio',
  category: 'sms',
  summary: 'SMS, MMS and WhatsApp through Twilio, worldwide.',
  keywords: ['text', 'texting', 'phone', 'number', 'mms', 'whats app'],
  docs: 'https://www.twilio.com/docs/messaging/api/message-resource',
  dashboard: 'https://console.twilio.com',
  credentials: [
    {
      name: 'token',
      label: 'Account SID',
      help: 'At console.twilio.com, on the first page under Account Info. It starts with AC.',
      secret: false,
      format: {
        pattern: /^AC[\da-f]{32}$/,
        hint: 'Account SIDs start with AC and have 34 characters.',
      },
      publicBecause: 'an account SID is part of URLs; the auth token is the secret',
    },
    {
      name: 'secret',
      label: 'Auth token',
      help: 'At console.twilio.com, on the first page under Account Info. Also verifies webhook requests from Twilio.',
      secret: true,
      format: { pattern: /^[\da-f]{32}$/, hint: 'Auth tokens have 32 hexadecimal digits.' },
    },
    {
      name: 'username',
      label: 'Sender',
      help: 'One of your numbers (+15551234567 or whatsapp:+15551234567) from Phone Numbers > Manage > Active numbers, or the SID of a messaging service (MG…).',
      secret: false,
    },
    {
      name: 'consumer_key',
      label: 'API key SID',
      help: 'To send without the auth token: in the console, open Account > API keys & tokens > Create API key. It starts with SK.',
      secret: false,
      format: {
        pattern: /^SK[\da-f]{32}$/,
        hint: 'API key SIDs start with SK and have 34 characters.',
      },
    },
    {
      name: 'consumer_secret',
      label: 'API key secret',
      help: 'Twilio shows it once, when you create the API key.',
      secret: true,
    },
  ],
  needs: [
    ['token', 'secret', 'username'],
    ['token', 'consumer_key', 'consumer_secret', 'username'],
  ],
  needNames: ['Auth token', 'API key'],
  recipient: {
    format:
      'a phone number in E.164 format, alone or with the prefix "whatsapp:" or "rcs:"; a business-scoped user ID with the prefix "whatsapp:" (whatsapp:US.1349…); or a page-scoped ID with the prefix "messenger:"',
    example: '+15558675310',
    validate: matching(
      /^((whatsapp:|rcs:)?\+[1-9]\d{4,14}|whatsapp:[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}|messenger:\d{1,32})$/,
      'must be a phone number in E.164 format (+15558675310), alone or with the prefix "whatsapp:" or "rcs:", a business-scoped user ID with the prefix "whatsapp:", or a page-scoped ID with the prefix "messenger:"',
    ),
    consentAddress: phoneAddress,
    normalize: numberWithPlus,
  },
  limits: [
    {
      what: '1,600 characters of text',
      link: 'https://www.twilio.com/docs/messaging/api/message-resource',
    },
    {
      what: '5 MB of media per message; 16 MB on WhatsApp and RCS, images 5 MB',
      link: 'https://www.twilio.com/docs/messaging/guides/accepted-mime-types',
    },
    {
      what: 'a rate per sender, depending on its type and country',
      link: 'https://help.twilio.com/articles/115002943027-Understanding-Twilio-Rate-Limits-and-Message-Queues',
    },
  ],
  url: 'https://api.twilio.com',
  text: {
    max: 1600,
    measure: (text) => text.length,
    write: (rich, to) => (isWhatsApp(to) ? WHATSAPP_TEXT.write(rich) : undefined),
    clashes: (rich, to) => isWhatsApp(to) && WHATSAPP_TEXT.clashes(rich),
    isSms: ({ recipient }) => recipient.startsWith('+'),
    formats: (_, to) => (isWhatsApp(to) ? WHATSAPP_TEXT.formats() : []),
  },
  renderers: {
    text: ({ text }, to) => message(to, { Body: text }),
    image: media(1600, /^image\//),
    video: media(1600, /^video\//),
    // WhatsApp shows no caption with these.
    audio: media(0, /^audio\//),
    document: media(0, /^(text|application|image|video|audio)\//),
    place: ({ latitude, longitude, name }, to) => {
      if (!isWhatsApp(to)) return { unsupported: 'Twilio sends locations to WhatsApp only' };
      // https://www.twilio.com/docs/whatsapp/message-features: the text is the name, and is required.
      const where = `${latitude},${longitude}`;
      const label = name === undefined ? '' : `|${name.replaceAll('|', '/')}`;
      return message(to, { Body: name ?? where, PersistentAction: `geo:${where}${label}` });
    },
    options: withTwilioOptions,
  },
  options: TWILIO_OPTIONS,
  templates: {
    list: listTemplates,
    render: ({ vendorId, values }, to) =>
      message(to, {
        ContentSid: vendorId,
        ...(values.length > 0 && { ContentVariables: variablesOf(values) }),
      }),
  },
  window: {
    hours: 24,
    appliesTo: (recipient) => /^(whatsapp|messenger):/.test(recipient),
    link: 'https://www.twilio.com/docs/whatsapp/key-concepts',
  },

  async send(request, { options }, context) {
    const { body } = withTimeLeft(request, options, context.clock.now(), VALIDITY);
    // Plain numbers have no configured status callback:
    // https://www.twilio.com/docs/messaging/guides/track-outbound-message-status
    const reports = await context.hookUrl?.();
    const form = { ...textsOf(body), ...(reports !== undefined && { StatusCallback: reports }) };
    const answer = await call('/Messages.json', context, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
    const json = answer?.json();
    const [id, state] = [textMember(json, 'sid'), textMember(json, 'status')];
    const isAccepted = id !== undefined && state !== 'failed' && state !== 'undelivered';
    if (answer && isSuccess(answer) && isAccepted) return { outcome: 'sent', id };
    const failure = classifyFailure(answer, context);
    return id === undefined ? sentUnlessRefused(answer, failure) : failure;
  },

  async check(context) {
    const { token = '' } = context.credentials;
    if (keyOf(context)) {
      // A standard key may not read the account. The response may hold messages, so it is not logged.
      const answer = await call('/Messages.json?PageSize=1', context, { isPrivate: true });
      const isConfirmed = answer && isSuccess(answer) && typeof answer.json() === 'object';
      return isConfirmed ? { outcome: 'known', as: token } : classifyFailure(answer, context);
    }
    const answer = await call('.json', context);
    const name = textMember(answer?.json(), 'friendly_name');
    const isConfirmed = answer && isSuccess(answer) && name !== undefined;
    return isConfirmed ? { outcome: 'known', as: name } : classifyFailure(answer, context);
  },

  hook: {
    needs: [['secret']],
    setup:
      'At console.twilio.com, open Phone Numbers > Manage > Active numbers, choose your number, and enter the URL under Messaging > "A message comes in" (Webhook, HTTP POST). For a messaging service: Messaging > Services > your service > Integration. For WhatsApp: Messaging > Senders > WhatsApp senders > your sender, both URLs. Delivery reports need no setup if SWITCHBOARD_PUBLIC_URL is set.',
    verify(request, { credentials: { secret = '' } }) {
      if (secret === '') return 'the integration has no auth token';
      // A GET request has its fields in the URL.
      const fields = request.method === 'GET' ? new URLSearchParams() : fieldsOf(request);
      return isSignedByTwilio(request.url, fields, request.header('x-twilio-signature'), secret)
        ? undefined
        : 'the signature does not match';
    },
    parse: (request, context) => withPrices(readTwilio(fieldsOf(request)), context),
    // Sends no reply: https://www.twilio.com/docs/messaging/twiml
    answer: () => ({ text: '<Response/>', type: 'text/xml' }),
    register,
  },
  receipts: ['delivered', 'read', 'failed'],
  expires: true,
  // https://help.twilio.com/articles/223134027-Twilio-support-for-opt-out-keywords-SMS-STOP-filtering-
  answeredWords: new Set(
    'stop stopall unsubscribe cancel end quit revoke optout start unstop help info'.split(' '),
  ),
  // https://www.twilio.com/docs/api/errors/21610
  blockedCodes: { send: /^21610$/, report: /^21610$/, as: 'vendor' },

  async media(reference, context) {
    if (!MEDIA.test(reference)) {
      const detail = 'invalid Twilio media reference';
      return { outcome: 'permanent', blame: 'content', detail };
    }
    const path = `/Messages/${reference.replace('/', '/Media/')}`;
    const answer = await call(path, context, { isPrivate: true });
    // Twilio redirects to the file, at a URL that expires after a few hours.
    const location = URL.parse(answer?.header('location') ?? '');
    const isRedirect = answer && answer.status >= 300 && answer.status < 400;
    if (isRedirect && location?.protocol === 'https:') return { url: location.href };
    if (!answer || !isSuccess(answer)) return classifyFailure(answer, context);
    const authorization = authorizationOf(context) ?? '';
    return { url: addressOf(path, context), headers: { authorization } };
  },
};

const SID = /^[A-Z]{2}[0-9a-f]{32}$/i;
/** The ids of a message and of its media. */
const MEDIA = /^[A-Z]{2}[0-9a-f]{32}\/ME[0-9a-f]{32}$/i;

function fieldsOf({ method, query, body }: HookRequest): URLSearchParams {
  return method === 'GET' ? query : new URLSearchParams(body.toString());
}

/** Sets the webhook for messages on a number; on a messaging service, also the one for reports. */
async function register(url: string, context: Context): Promise<Check> {
  const sender = context.credentials.username ?? '';
  const to = SERVICE.test(sender) ? sender : await numberOf(sender, context);
  if (typeof to !== 'string') return to;
  const form = SERVICE.test(sender)
    ? {
        InboundRequestUrl: url,
        InboundMethod: 'POST',
        StatusCallback: url,
        UseInboundWebhookOnNumber: 'false',
      }
    : { SmsUrl: url, SmsMethod: 'POST' };
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  } as const;
  const answer = SERVICE.test(sender)
    ? await ask(`${messagingOf(context)}/v1/Services/${to}`, context, request)
    : await call(`/IncomingPhoneNumbers/${to}.json`, context, request);
  const isConfirmed = answer && isSuccess(answer) && textMember(answer.json(), 'sid') === to;
  return isConfirmed ? { outcome: 'known', as: sender } : classifyFailure(answer, context);
}

/** https://www.twilio.com/docs/messaging/api/service-resource has a separate host. */
const messagingOf = ({ url }: Context) =>
  url === twilio.url ? 'https://messaging.twilio.com' : url;

/** https://www.twilio.com/docs/content/content-api-resources has a separate host. */
async function listTemplates(context: Context): Promise<TemplateDefinition[] | Failure> {
  const host = context.url === twilio.url ? 'https://content.twilio.com' : context.url;
  const found: TemplateDefinition[] = [];
  let next: string | undefined = `${host}${CONTENT_LIST}`;
  while (next !== undefined && found.length < MAX_TEMPLATES) {
    const answer = await ask(next, context, { maxBytes: MAX_PAGE_BYTES });
    const contents = answer && isSuccess(answer) ? readContents(answer.json()) : undefined;
    if (!contents) return classifyFailure(answer, context);
    found.push(...contents);
    next = nextPage(answer?.json(), host);
  }
  return found.slice(0, MAX_TEMPLATES);
}

const variablesOf = (values: FilledTemplate['values']) =>
  JSON.stringify(Object.fromEntries(values.map(({ name, value }) => [name, value])));

async function numberOf(sender: string, context: Context): Promise<string | Failure> {
  if (!/^\+\d+$/.test(sender)) {
    const detail = 'only numbers and messaging services can have a webhook';
    return { outcome: 'permanent', blame: 'unsupported', detail };
  }
  const path = `/IncomingPhoneNumbers.json?PhoneNumber=${encodeURIComponent(sender)}`;
  const answer = await call(path, context);
  if (!answer || !isSuccess(answer)) return classifyFailure(answer, context);
  const number = listMember(answer.json(), 'incoming_phone_numbers').find(
    (each) => textMember(each, 'phone_number') === sender,
  );
  const sid = textMember(number, 'sid');
  if (sid !== undefined && SID.test(sid)) return sid;
  const detail = `${sender} is not a number of this account`;
  return { outcome: 'permanent', blame: 'credentials', detail };
}

const isWhatsApp = ({ recipient }: Destination) => recipient.startsWith('whatsapp:');

const SERVICE = /^MG[0-9a-f]{32}$/i;
const NUMBER = /^(?:whatsapp:)?(\+\d+)$/;

/** WhatsApp and SMS write the same number differently. */
function message(to: Destination, more: object): VendorRequest {
  const { recipient, credentials } = to;
  const sender = credentials.username ?? '';
  const [, number] = NUMBER.exec(sender) ?? [];
  const fitting = number === undefined ? sender : isWhatsApp(to) ? `whatsapp:${number}` : number;
  const from = SERVICE.test(sender) ? { MessagingServiceSid: sender } : { From: fitting };
  return { body: { To: recipient, ...from, ...more } };
}

function media(maxCaptionLength: number, types: RegExp): MediaRenderer {
  return {
    maxCaptionLength,
    compose({ url, mediaType, caption: { text } }, to) {
      if (mediaType !== undefined && !types.test(mediaType)) {
        return { unsupported: `Twilio does not accept ${mediaType} here` };
      }
      return message(to, { ...(text !== '' && { Body: text }), MediaUrl: url });
    },
  };
}

function textsOf(body: VendorRequest['body']): Record<string, string> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]));
}
