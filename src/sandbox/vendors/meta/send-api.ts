import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import type { Credentials } from '../../../model/integration.ts';
import type { Phone } from '../../phone.ts';
import type { ReceiptState, ShownButton, ShownContent, ShownMedia } from '../../shown.ts';
import type { Person, ReportContext, Simulator, WebhookRequest } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import {
  type Shape,
  fieldNamesIn,
  link,
  list,
  literal,
  object,
  oneOf,
  text,
} from '../../wire/shape.ts';
import { isOutsideWindow } from '../window.ts';
import { answerGraph, graphError, invalid, GRAPH_REFUSALS, signedByMeta } from './graph.ts';
import { SEND_API_LIMITS } from './limits.ts';

/*
 * Meta's Send API, at least as strict as documented: fields that Meta would silently ignore are refused.
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages
 */
const CDN = 'scontent.xx.fbcdn.net';
const PAGE = '1906385232743851';

/** Never writes, so the window for free text is closed. */
export const SILENT: Person = { address: '4012345678901299', name: 'Silent Example' };

/** The time in which a human agent may answer. */
const AGENT_HOURS = 7 * 24;

interface SendApi {
  channel: string;
  credentials: Credentials;
  /** All tokens that it accepts. */
  tokens: readonly string[];
  people: Simulator['people'];
  /** The `object` of webhook requests. */
  object: 'page' | 'instagram';
  /** The shape of a text: its length is limited. */
  messageText: Shape;
  /** Fields besides recipient and message. */
  extraFields: Readonly<Record<string, Shape>>;
  /** Whether phone buttons are supported. */
  hasPhoneButtons: boolean;
  /** The account's name, by the field that contains it. */
  names: Readonly<Record<string, string>>;
  receipts: readonly ReceiptState[];
}

const KINDS = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  file: 'Document',
} as const satisfies Record<string, ShownMedia['type']>;

const reply = object({ content_type: literal('text'), title: text(20), payload: text(1000) });
const button = oneOf(
  object({ type: literal('web_url'), title: text(20), url: link }),
  object({ type: literal('postback'), title: text(20), payload: text(1000) }),
);
const call = object({
  type: literal('phone_number'),
  title: text(20),
  payload: text(16, /^\+\d{3,15}$/),
});

const withSecondField =
  (shape: Shape): Shape =>
  (value, at) =>
    fieldNamesIn(value).length > 1 ? shape(value, at) : at;

/** https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages/template */
function templateOf(buttons: Shape): Shape {
  const element = object({
    title: text(80),
    'subtitle?': text(80),
    'image_url?': link,
    'buttons?': list(buttons, 3),
  });
  return object({
    type: literal('template'),
    payload: oneOf(
      object({ template_type: literal('generic'), elements: list(withSecondField(element), 10) }),
      object({ template_type: literal('button'), text: text(640), buttons: list(buttons, 3) }),
    ),
  });
}

function requestOf({ messageText, extraFields, hasPhoneButtons }: SendApi): Shape {
  const media = Object.keys(KINDS).map((kind) =>
    object({ type: literal(kind), payload: object({ url: link }) }),
  );
  const template = templateOf(hasPhoneButtons ? oneOf(call, button) : button);
  return object({
    ...extraFields,
    recipient: object({ id: text(32, /^\d+$/) }),
    'reply_to?': object({ mid: text(300) }),
    message: oneOf(
      object({ attachment: oneOf(template, ...media) }),
      object({ text: messageText, 'quick_replies?': list(reply, 13) }),
    ),
  });
}

/** https://developers.facebook.com/documentation/business-messaging/messenger-platform/error-codes */
const OUTSIDE_WINDOW = graphError(10, 'This message is sent outside of allowed window.', {
  status: 403,
  subcode: 2_018_278,
});

/** Simulates Messenger or Instagram. */
export function sendApi(api: SendApi): Simulator {
  const { channel, credentials, tokens, people, names, receipts } = api;
  const shape = requestOf(api);

  const post = async ({ json }: Request, phone: Phone): Promise<Reply> => {
    const fault = shape(json, 'request');
    if (fault !== undefined) return invalid(fault);
    const isTagged = textMember(json, 'messaging_type') === 'MESSAGE_TAG';
    if (isTagged !== (textMember(json, 'tag') !== undefined)) return invalid('tag');
    const id = textMember(json, 'recipient', 'id') ?? '';
    if (await isOutsideWindow(id, phone, [SILENT.address], isTagged ? AGENT_HOURS : 24)) {
      return OUTSIDE_WINDOW;
    }
    const { vendorId } = await phone.show(id, shownOf(json), (number) => `m_${number}`);
    return { status: 200, body: { recipient_id: id, message_id: vendorId } };
  };

  return {
    channel,
    credentials,
    hosts: [CDN],
    people,
    magicAddress: (number) => `900000${number}`,
    receipts,

    recipientOf: ({ method, path, json }) =>
      method === 'POST' && path === '/me/messages'
        ? textMember(json, 'recipient', 'id')
        : undefined,

    async respond(request, phone) {
      const [, file] = /^https:\/\/scontent\.xx\.fbcdn\.net\/v\/(\w+)$/.exec(request.path) ?? [];
      if (file !== undefined) return download(file, phone);
      const routes = {
        'POST /me/messages': (postRequest: Request) => post(postRequest, phone),
        'GET /me'({ path }: Request) {
          const field = /\?fields=(\w+)$/.exec(path)?.[1] ?? '';
          const name = Object.hasOwn(names, field) ? names[field] : undefined;
          if (name === undefined) return invalid(`fields=${field}`);
          return { status: 200, body: { [field]: name, id: PAGE } };
        },
      };
      return answerGraph(request, routes, tokens);
    },

    refusals: {
      ...GRAPH_REFUSALS,
      blocked: () =>
        graphError(551, "This person isn't available right now.", { subcode: 1_545_041 }),
      unknown: () => graphError(100, 'No matching user found', { subcode: 2_018_001 }),
    },

    limits: SEND_API_LIMITS,
    reports: {
      message({ person, text: words, media, replyTo }, context) {
        const id = `m_${context.number}`;
        const quoted = replyTo && { reply_to: { mid: replyTo.vendorId } };
        // A message has files or text. A person who sends both sends two.
        const file = media && {
          attachments: [{ type: kindOf(media.type), payload: { url: addressOf(media.file.id) } }],
        };
        const contents = [
          ...(file ? [{ mid: id, ...file, ...quoted }] : []),
          ...(words === undefined ? [] : [{ mid: file ? `${id}_2` : id, text: words, ...quoted }]),
        ];
        const events = contents.map((message) => ({ message }));
        return { ...webhookRequest(api, person, events, context), id };
      },

      press({ person, button: { label, value = label, quick } }, context) {
        const mid = `m_${context.number}`;
        const event = quick
          ? { message: { mid, text: label, quick_reply: { payload: value } } }
          : { postback: { mid, title: label, payload: value } };
        return webhookRequest(api, person, [event], context);
      },

      receipt({ message: { person: address, vendorId }, state }, context) {
        const person = { address, name: address };
        return webhookRequest(api, person, [receiptOf(api, vendorId, state, context)], context);
      },

      react({ person, message, emoji }, context) {
        const { vendorId: mid } = message;
        const reaction = { mid, action: 'react', emoji, reaction: 'other' };
        return webhookRequest(api, person, [{ reaction }], context);
      },
    },
  };
}

/** Messenger reports a time up to which messages were delivered or read, Instagram the message. */
function receiptOf(
  { object: kind }: SendApi,
  mid: string,
  state: ReceiptState,
  { now }: ReportContext,
) {
  if (kind === 'instagram') return { read: { mid } };
  return state === 'read'
    ? { read: { watermark: now } }
    : { delivery: { mids: [mid], watermark: now } };
}

function shownOf(json: unknown): ShownContent {
  const message = member(json, 'message');
  const replyTo = textMember(json, 'reply_to', 'mid');
  const quoted = replyTo === undefined ? {} : { reply_to: replyTo };
  const content = textMember(message, 'text');
  if (content !== undefined) {
    const replies = listMember(message, 'quick_replies').map((each) => ({
      label: textMember(each, 'title') ?? '',
      value: textMember(each, 'payload') ?? '',
      quick: true as const,
    }));
    return { text: content, ...(replies.length > 0 && { buttons: replies }), ...quoted };
  }
  const type = textMember(message, 'attachment', 'type') ?? '';
  const payload = member(message, 'attachment', 'payload');
  const kind = Object.entries(KINDS).find(([name]) => name === type)?.[1];
  if (kind) return { media: [{ type: kind, url: textMember(payload, 'url') ?? '' }], ...quoted };
  const cards = listMember(payload, 'elements').map(cardOf);
  if (cards.length > 0) return { cards, ...quoted };
  return { text: textMember(payload, 'text') ?? '', ...buttonsOf(payload), ...quoted };
}

function cardOf(element: unknown): ShownContent {
  const [subtitle, image] = [textMember(element, 'subtitle'), textMember(element, 'image_url')];
  return {
    title: textMember(element, 'title') ?? '',
    ...(subtitle !== undefined && { text: subtitle }),
    ...(image !== undefined && { media: [{ type: 'Image', url: image }] }),
    ...buttonsOf(element),
  };
}

function buttonsOf(holder: unknown): { buttons?: ShownButton[] } {
  const buttons = listMember(holder, 'buttons').map((each): ShownButton => {
    const label = textMember(each, 'title') ?? '';
    const [url, payload = ''] = [textMember(each, 'url'), textMember(each, 'payload')];
    if (url !== undefined) return { label, url };
    const isCall = textMember(each, 'type') === 'phone_number';
    return isCall ? { label, url: `tel:${payload}` } : { label, value: payload };
  });
  return buttons.length === 0 ? {} : { buttons };
}

const addressOf = (file: string) => `https://${CDN}/v/${file}`;

async function download(id: string, phone: Phone): Promise<Reply> {
  const file = await phone.file(id);
  if (!file) return { status: 404, body: 'Bad URL hash' };
  return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
}

const kindOf = (type: ShownMedia['type']) =>
  Object.entries(KINDS).find(([, shown]) => shown === type)?.[0];

/** https://developers.facebook.com/documentation/business-messaging/messenger-platform/webhooks/webhook-events */
function webhookRequest(
  { object: kind }: SendApi,
  { address }: Person,
  events: readonly object[],
  context: ReportContext,
): WebhookRequest {
  const messaging = events.map((event) => ({
    sender: { id: address },
    recipient: { id: PAGE },
    timestamp: context.now,
    ...event,
  }));
  return signedByMeta(
    { object: kind, entry: [{ id: PAGE, time: context.now, messaging }] },
    context,
  );
}
