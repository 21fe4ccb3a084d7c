import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import type { Phone } from '../../phone.ts';
import type { ShownContent, ShownMedia } from '../../shown.ts';
import type { Actor, ReportContext, Simulator, WrittenMessage } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { type Shape, link, list, literal, object, oneOf, text } from '../../wire/shape.ts';
import { readSimpleMarkup } from '../simple-markup.ts';
import { isOutsideWindow } from '../window.ts';
import { TOKEN, answerGraph, graphError, invalid, GRAPH_REFUSALS, signedByMeta } from './graph.ts';
import { WHATSAPP_LIMITS } from './limits.ts';
import { ACCOUNT_ID, listTemplates, shownTemplate, templateFault } from './templates.ts';

/*
 * WhatsApp's Cloud API, at least as strict as documented: fields that Meta would silently ignore are refused.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/reference/whatsapp-business-phone-number/message-api
 */
export const NUMBER_ID = '102290129340398';

/** A person who never writes first. */
export const SILENT = '16505551236';

const LOOKASIDE = 'lookaside.fbsbx.com';

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

const linkedFile = oneOf(object({ link }), object({ link, filename: text(240) }));
const parameter = oneOf(
  object({ type: literal('text'), 'parameter_name?': text(100), text: text(1024, /^[^\n\t]*$/) }),
  object({ type: literal('payload'), payload: text(256) }),
  object({ type: literal('coupon_code'), coupon_code: text(15) }),
  object({ type: literal('image'), image: linkedFile }),
  object({ type: literal('video'), video: linkedFile }),
  object({ type: literal('document'), document: linkedFile }),
  object({
    type: literal('location'),
    location: object({
      latitude: coordinate,
      longitude: coordinate,
      'name?': text(1000),
      'address?': text(1000),
    }),
  }),
);
const component = oneOf(
  object({ type: literal('header'), parameters: list(parameter, 1) }),
  object({ type: literal('body'), parameters: list(parameter, 100) }),
  object({
    type: literal('button'),
    sub_type: text(20),
    index: text(2, /^\d$/),
    parameters: list(parameter, 1),
  }),
);

const CONTENTS: Readonly<Record<string, Shape>> = {
  text: object({ body: text(4096), 'preview_url?': oneOf(literal(true), literal(false)) }),
  image: media(),
  video: media(),
  audio: media({}),
  document: media({ 'caption?': text(1024), filename: text(240) }),
  location: object({ latitude: coordinate, longitude: coordinate, 'name?': text(1000) }),
  template: object({
    name: text(512, /^[a-z0-9_]+$/),
    language: object({ code: text(10) }),
    'components?': list(component, 20),
  }),
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

export const whatsapp: Simulator = {
  channel: 'whatsapp',
  credentials: {
    token: TOKEN,
    username: NUMBER_ID,
    secret: 'fake-verify-token',
    consumer_secret: 'fake-app-secret',
    consumer_key: ACCOUNT_ID,
  },
  hosts: [LOOKASIDE],
  people: [
    { address: '16505551234', name: 'Ada Example' },
    { address: '16505551235', name: 'Grace Example' },
    { address: SILENT, name: 'Silent Example' },
  ],
  hasPlaces: () => true,
  magicAddress: (number) => `15005550${number}`,

  recipientOf: ({ method, path, json }) =>
    method === 'POST' && path === `/${NUMBER_ID}/messages`
      ? (textMember(json, 'to') ?? textMember(json, 'recipient'))?.replace(/^\+/, '')
      : undefined,

  async respond(request, phone) {
    const file = new RegExp(`^https://${LOOKASIDE}/whatsapp_business/attachments/\\?mid=(\\d+)$`);
    const [, mid] = file.exec(request.path) ?? [];
    if (mid !== undefined) return download(mid, phone);
    const [, id = ''] = /^\/(\d{1,32})$/.exec(request.path) ?? [];
    return answerGraph(request, {
      [`POST /${NUMBER_ID}/messages`]: (given) => post(given, phone),
      [`POST /${NUMBER_ID}`]({ json }) {
        const fault = hook(json, 'request');
        return fault === undefined ? { status: 200, body: { success: true } } : invalid(fault);
      },
      ...(id !== '' && { [`GET /${id}`]: () => describeFile(id, phone) }),
      [`GET /${ACCOUNT_ID}/message_templates`]: ({ path }) => listTemplates(path),
      [`GET /${NUMBER_ID}`]: () => ({
        status: 200,
        body: {
          verified_name: 'Example Ltd',
          display_phone_number: '+1 555-010-1234',
          id: NUMBER_ID,
        },
      }),
    });
  },

  refusals: {
    ...GRAPH_REFUSALS,
    blocked: () => graphError(131_026, 'Message undeliverable'),
    unknown: () => graphError(131_030, 'Recipient phone number not in allowed list'),
  },

  limits: WHATSAPP_LIMITS,
  reports: {
    message(written, context) {
      const id = `wamid.${context.number}`;
      const { replyTo } = written;
      const message = {
        ...contentOf(written),
        ...(replyTo && { context: { from: '15550101234', id: replyTo.vendorId } }),
      };
      return { ...change(written, { id, ...message }, context), id };
    },

    press({ message, button: { label, value = label }, ...actor }, context) {
      const pressed = {
        id: `wamid.${context.number}`,
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply: { id: value, title: label } },
        context: { from: '15550101234', id: message.vendorId },
      };
      return change(actor, pressed, context);
    },

    receipt: ({ message, state }, context) =>
      signedByMeta(
        value({
          statuses: [
            {
              id: message.vendorId,
              status: state,
              timestamp: String(Math.floor(context.now / 1000)),
              recipient_id: message.person,
              pricing: {
                billable: true,
                pricing_model: 'PMP',
                type: 'regular',
                category: 'utility',
              },
              ...(state === 'failed' && {
                errors: [{ code: 131_026, title: 'Message undeliverable' }],
              }),
            },
          ],
        }),
        context,
      ),

    react: ({ message, emoji, ...actor }, context) =>
      change(
        actor,
        {
          id: `wamid.${context.number}`,
          type: 'reaction',
          reaction: { message_id: message.vendorId, emoji },
        },
        context,
      ),
  },
};

/** The fault in a message; undefined if it is valid. */
export function faultOf(json: unknown): string | undefined {
  const type = textMember(json, 'type') ?? '';
  const content = Object.hasOwn(CONTENTS, type) ? CONTENTS[type] : undefined;
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

async function post({ json }: Request, phone: Phone): Promise<Reply> {
  const fault = faultOf(json);
  if (fault !== undefined) return invalid(fault);
  const buttons = listMember(json, 'interactive', 'action', 'buttons');
  for (const field of ['id', 'title']) {
    const values = buttons.map((each) => textMember(each, 'reply', field));
    if (new Set(values).size < values.length) {
      return graphError(131_009, 'Parameter value is not valid', {
        details: `Duplicated ${field} across buttons`,
      });
    }
  }
  const to = textMember(json, 'to') ?? textMember(json, 'recipient') ?? '';
  const number = to.replace(/^\+/, '');
  const template = member(json, 'template');
  const refused =
    template === undefined ? await windowFault(number, phone) : templateFault(template);
  if (refused) return refused;
  const { vendorId } = await phone.show(number, shownOf(json), (id) => `wamid.${id}`);
  const contact = number.includes('.') ? { input: to, user_id: to } : { input: to, wa_id: number };
  return {
    status: 200,
    body: { messaging_product: 'whatsapp', contacts: [contact], messages: [{ id: vendorId }] },
  };
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes */
async function windowFault(number: string, phone: Phone): Promise<Reply | undefined> {
  if (!(await isOutsideWindow(number, phone, [SILENT]))) return undefined;
  return graphError(131_047, 'Re-engagement message', {
    details: 'More than 24 hours have passed since the recipient last replied.',
  });
}

const MEDIA: Readonly<Record<string, ShownMedia['type']>> = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
};

function shownOf(json: unknown): ShownContent {
  const type = textMember(json, 'type') ?? '';
  const content = member(json, type);
  const replyTo = textMember(json, 'context', 'message_id');
  const quoted = replyTo === undefined ? {} : { reply_to: replyTo };
  if (type === 'template') return { ...shownTemplate(content), ...quoted };
  const kind = MEDIA[type];
  if (kind) {
    const [url, name] = [textMember(content, 'link') ?? '', textMember(content, 'filename')];
    const file = { type: kind, url, ...(name !== undefined && { name }) };
    return { media: [file], ...readSimpleMarkup(textMember(content, 'caption') ?? ''), ...quoted };
  }
  if (type === 'location') {
    const [latitude, longitude] = ['latitude', 'longitude'].map((key) =>
      Number(textMember(content, key)),
    );
    const name = textMember(content, 'name');
    return {
      place: {
        latitude: latitude ?? 0,
        longitude: longitude ?? 0,
        ...(name !== undefined && { name }),
      },
      ...quoted,
    };
  }
  if (type === 'text') return { ...readSimpleMarkup(textMember(content, 'body') ?? ''), ...quoted };
  const replies = listMember(content, 'action', 'buttons').map((each) => ({
    label: textMember(each, 'reply', 'title') ?? '',
    value: textMember(each, 'reply', 'id') ?? '',
  }));
  const url = textMember(content, 'action', 'parameters', 'url');
  const label = textMember(content, 'action', 'parameters', 'display_text') ?? '';
  const shown = readSimpleMarkup(textMember(content, 'body', 'text') ?? '');
  return { ...shown, buttons: url === undefined ? replies : [{ label, url }], ...quoted };
}

/** Ids of files are decimal at Meta, hexadecimal on the phone. */
const mediaId = (file: string) => BigInt(`0x1${file}`).toString();
const fileId = (id: string) => BigInt(id).toString(16).slice(1);

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media */
async function describeFile(id: string, phone: Phone): Promise<Reply> {
  const file = await phone.file(fileId(id));
  if (!file)
    return graphError(100, 'Unsupported get request. Object does not exist', { subcode: 33 });
  return {
    status: 200,
    body: {
      messaging_product: 'whatsapp',
      url: `https://${LOOKASIDE}/whatsapp_business/attachments/?mid=${id}`,
      mime_type: file.mediaType,
      sha256: 'a',
      file_size: file.bytes.length,
      id,
    },
  };
}

async function download(id: string, phone: Phone): Promise<Reply> {
  const file = await phone.file(fileId(id));
  if (!file) return { status: 404, body: 'Not Found' };
  return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages */
function contentOf({ text: written, media: sent, place }: WrittenMessage): object {
  if (place) {
    return { type: 'location', location: { ...place } };
  }
  if (!sent) return { type: 'text', text: { body: written } };
  const { id, mediaType, name } = sent.file;
  const type = sent.type.toLowerCase();
  const file = { id: mediaId(id), mime_type: mediaType, sha256: 'a' };
  const caption = written === undefined ? {} : { caption: written };
  return {
    type,
    [type]: { ...file, ...caption, ...(sent.type === 'Document' && { filename: name }) },
  };
}

function change({ person }: Actor, message: object, context: ReportContext) {
  const { address, name } = person;
  return signedByMeta(
    value({
      contacts: [{ profile: { name }, wa_id: address }],
      messages: [{ from: address, timestamp: String(Math.floor(context.now / 1000)), ...message }],
    }),
    context,
  );
}

const value = (content: object) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '102290129340399',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '15550101234', phone_number_id: NUMBER_ID },
            ...content,
          },
        },
      ],
    },
  ],
});
