import { member, textMember } from '../../../src/lib/json/json-member.ts';
import type { HttpPeer, Reply, Request } from '../server/http.ts';
import { type Shape, link, list, literal, object, oneOf, text } from '../server/shape.ts';
import { graphError, invalid, openGraph } from './graph.ts';

/*
 * The parts of WhatsApp's Cloud API that we use, at least as strict as documented: fields that Meta would silently
 * ignore are refused.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/reference/whatsapp-business-phone-number/message-api
 */
export const NUMBER_ID = '102290129340398';

export const PEOPLE = {
  known: '16505551234',
  hidden: 'US.13491208655302741918',
  hiddenFromParent: 'US.ENT.11815799212886844830',
  unreachable: '16505550000',
  silent: '16505550024',
} as const;

export const GROUP = 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD';

/** Received files and their addresses. */
export const FILES = {
  here: '1037543291543636',
  elsewhere: '1037543291543637',
} as const;

const LOOKASIDE = 'https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1037543291543636';

const hook = object({
  webhook_configuration: object({
    override_callback_uri: text(200, /^https:\/\//),
    verify_token: text(1000),
  }),
});

const media = (more: Readonly<Record<string, Shape>> = { 'caption?': text(1024) }) =>
  object({ link, ...more });

const coordinate = text(32, /^-?\d{1,3}(\.\d+)?$/);
const body = object({ text: text(1024) });
const button = object({
  type: literal('reply'),
  reply: object({ id: text(256, /^\S(.*\S)?$/s), title: text(20) }),
});

const CONTENTS: Readonly<Record<string, Shape>> = {
  text: object({ body: text(4096), 'preview_url?': oneOf(literal(true), literal(false)) }),
  image: media(),
  video: media(),
  audio: media({}),
  document: media({ 'caption?': text(1024), filename: text(240) }),
  location: object({ latitude: coordinate, longitude: coordinate, 'name?': text(1000) }),
  interactive: oneOf(
    object({ type: literal('button'), body, action: object({ buttons: list(button, 3) }) }),
    object({
      type: literal('cta_url'),
      body,
      action: object({
        name: literal('cta_url'),
        parameters: object({ display_text: text(20), url: link }),
      }),
    }),
  ),
};

function faultOf(json: unknown): string | undefined {
  const type = textMember(json, 'type') ?? '';
  const content = CONTENTS[type];
  if (!content) return 'type';
  const common = {
    messaging_product: literal('whatsapp'),
    type: literal(type),
    [type]: content,
    'context?': object({ message_id: text(256, /^wamid\./) }),
  };
  // Text, media and templates only: https://developers.facebook.com/documentation/business-messaging/whatsapp/groups/groups-messaging
  if (textMember(json, 'recipient_type') === 'group') {
    if (type === 'location' || type === 'interactive') return 'type in a group';
    const group = text(256, /^[A-Za-z][\w+/=-]+$/);
    return object({ ...common, recipient_type: literal('group'), to: group })(json, 'message');
  }
  const head = { ...common, recipient_type: literal('individual') };
  // https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
  return oneOf(
    object({ ...head, recipient: text(135, /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/) }),
    object({ ...head, to: text(16, /^\+?\d+$/) }),
  )(json, 'message');
}

export async function openWhatsApp(): Promise<HttpPeer> {
  let last = 0;
  return openGraph({
    [`POST /${NUMBER_ID}/messages`]({ json }: Request) {
      const fault = faultOf(json);
      if (fault !== undefined) return invalid(fault);
      const titles = member(json, 'interactive', 'action', 'buttons');
      if (Array.isArray(titles) && new Set(titles.map(idOf)).size < titles.length) {
        return graphError(131_009, 'Parameter value is not valid', {
          details: 'Duplicated id across buttons',
        });
      }
      if (Array.isArray(titles) && new Set(titles.map(titleOf)).size < titles.length) {
        return graphError(131_009, 'Parameter value is not valid', {
          details: 'Duplicated title across buttons',
        });
      }
      const to = textMember(json, 'to') ?? textMember(json, 'recipient') ?? '';
      const number = to.replace(/^\+/, '');
      if (number === PEOPLE.unreachable) {
        return graphError(131_026, 'Message undeliverable', { details: 'Unable to deliver.' });
      }
      if (number === PEOPLE.silent) {
        return graphError(131_047, 'Re-engagement message', {
          details: 'More than 24 hours have passed since the recipient last replied.',
        });
      }
      const known: readonly string[] = [...Object.values(PEOPLE), GROUP];
      if (!known.includes(number)) {
        return graphError(131_030, 'Recipient phone number not in allowed list');
      }
      return {
        status: 200,
        body: {
          messaging_product: 'whatsapp',
          contacts: [
            number.includes('.') ? { input: to, user_id: to } : { input: to, wa_id: number },
          ],
          messages: [{ id: `wamid.${++last}` }],
        },
      };
    },

    [`POST /${NUMBER_ID}`]({ json }: Request) {
      const fault = hook(json, 'request');
      return fault === undefined ? { status: 200, body: { success: true } } : invalid(fault);
    },

    [`GET /${FILES.here}`]: () => file(FILES.here, LOOKASIDE),
    [`GET /${FILES.elsewhere}`]: () => file(FILES.elsewhere, 'https://evil.example.com/'),

    [`GET /${NUMBER_ID}`]: () => ({
      status: 200,
      body: {
        verified_name: 'Example Ltd',
        display_phone_number: '+1 555-010-1234',
        id: NUMBER_ID,
      },
    }),
  });
}

const file = (id: string, url: string): Reply => ({
  status: 200,
  body: {
    messaging_product: 'whatsapp',
    url,
    mime_type: 'image/jpeg',
    sha256: 'a',
    file_size: 7,
    id,
  },
});

const titleOf = (each: unknown) => textMember(each, 'reply', 'title');
const idOf = (each: unknown) => textMember(each, 'reply', 'id');
