import { listMember, member, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import {
  type FilledParameter,
  type TemplateDefinition,
  type TemplateLayout,
  type TemplateParameter,
  type TemplateStatus,
  placeholdersIn,
} from '../../model/templates/vendor-template.ts';
import type { Context, Failure } from '../channel.ts';
import { callGraph, classifyFailure } from '../meta/graph.ts';
import { MAX_PAGE_BYTES, MAX_TEMPLATES, type TemplateSupport } from '../templates.ts';
import { message } from './request.ts';

/*
 * Message templates of the WhatsApp Business account.
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/overview
 */
export const WHATSAPP_TEMPLATES: TemplateSupport = {
  list: listTemplates,
  render: ({ name, language, values }, to) =>
    message(to, 'template', {
      name,
      language: { code: language },
      ...(values.length > 0 && { components: componentsOf(values) }),
    }),
};

const ACCOUNT_ID = /^\d{1,32}$/;
const FIELDS = 'name,language,status,category,rejected_reason,parameter_format,components';
const PAGE_SIZE = 100;

async function listTemplates(context: Context): Promise<TemplateDefinition[] | Failure> {
  const { consumer_key: account = '' } = context.credentials;
  if (!ACCOUNT_ID.test(account)) return NO_ACCOUNT;
  const templates: TemplateDefinition[] = [];
  let after = '';
  do {
    const path = `${account}/message_templates?fields=${FIELDS}&limit=${PAGE_SIZE}${after}`;
    const answer = await callGraph(path, context, undefined, { maxBytes: MAX_PAGE_BYTES });
    const json = answer?.json();
    if (!answer || !Array.isArray(member(json, 'data'))) return classifyFailure(answer, context);
    templates.push(...listMember(json, 'data').flatMap(readTemplate));
    const cursor = textMember(json, 'paging', 'cursors', 'after');
    const hasMore = textMember(json, 'paging', 'next') !== undefined && cursor !== undefined;
    after = hasMore ? `&after=${encodeURIComponent(cursor)}` : '';
  } while (after !== '' && templates.length < MAX_TEMPLATES);
  return templates.slice(0, MAX_TEMPLATES);
}

const NO_ACCOUNT = {
  outcome: 'permanent',
  blame: 'credentials',
  detail: 'templates belong to a business account, and the integration has no business account ID',
} as const;

const STATUSES: Readonly<Record<string, TemplateStatus>> = {
  APPROVED: 'approved',
  REJECTED: 'rejected',
  PAUSED: 'paused',
  DISABLED: 'disabled',
};

function readTemplate(json: unknown): TemplateDefinition[] {
  const [name, language] = [textMember(json, 'name'), textMember(json, 'language')];
  if (name === undefined || language === undefined) return [];
  const reason = textMember(json, 'rejected_reason');
  const components = listMember(json, 'components');
  return [
    {
      name,
      language,
      vendorId: '',
      status: STATUSES[textMember(json, 'status') ?? ''] ?? 'pending',
      category: textMember(json, 'category')?.toLowerCase() ?? null,
      reason: reason === undefined || reason === 'NONE' ? null : reason,
      unsupported: components.flatMap(unsupportedIn)[0] ?? null,
      parameters: components.flatMap(parametersIn),
      layout: layoutOf(components),
    },
  ];
}

const COMPONENTS = new Set(['HEADER', 'BODY', 'FOOTER', 'BUTTONS']);
const BUTTONS = new Set(['URL', 'QUICK_REPLY', 'PHONE_NUMBER', 'COPY_CODE', 'VOICE_CALL']);

const typeOf = (json: unknown) => (textMember(json, 'type') ?? '').toUpperCase();

function unsupportedIn(component: unknown): string[] {
  const type = typeOf(component);
  if (!COMPONENTS.has(type)) return [type.toLowerCase()];
  return listMember(component, 'buttons')
    .map(typeOf)
    .filter((button) => !BUTTONS.has(button))
    .map((button) => `a button of type ${button.toLowerCase()}`);
}

const MEDIA: Readonly<Record<string, TemplateParameter['kind']>> = {
  IMAGE: 'image',
  VIDEO: 'video',
  DOCUMENT: 'document',
  LOCATION: 'location',
};

function parametersIn(component: unknown): TemplateParameter[] {
  const text = textMember(component, 'text') ?? '';
  switch (typeOf(component)) {
    case 'HEADER': {
      const kind = MEDIA[textMember(component, 'format') ?? ''];
      if (kind) return [{ name: 'header', kind, place: 'header' }];
      return placeholdersIn(text).map((name) =>
        textParameter('header', isPosition(name) ? 'header' : name, name),
      );
    }
    case 'BODY':
      return placeholdersIn(text).map((name, i) =>
        Object.assign(textParameter('body', name, name), exampleOf(component, name, i)),
      );
    case 'BUTTONS':
      return listMember(component, 'buttons').flatMap(parameterOfButton);
    default:
      return [];
  }
}

function textParameter(
  place: TemplateParameter['place'],
  name: string,
  placeholder: string,
): TemplateParameter {
  const named = isPosition(placeholder) ? {} : ({ isNamed: true } as const);
  return { name, kind: 'text', place, ...named };
}

const isPosition = (name: string) => /^\d+$/.test(name);

function exampleOf(component: unknown, name: string, position: number): { example?: string } {
  const named = listMember(component, 'example', 'body_text_named_params').find(
    (each) => textMember(each, 'param_name') === name,
  );
  const [row] = listMember(component, 'example', 'body_text');
  const example = textMember(named, 'example') ?? textMember(row, String(position));
  return example === undefined ? {} : { example };
}

function parameterOfButton(button: unknown, index: number): TemplateParameter[] {
  const common = { name: `button_${index + 1}`, place: 'button', index } as const;
  switch (typeOf(button)) {
    case 'URL':
      return placeholdersIn(textMember(button, 'url') ?? '').length === 0
        ? []
        : [{ ...common, kind: 'text', button: 'url' }];
    case 'QUICK_REPLY':
      return [{ ...common, kind: 'payload', button: 'quick_reply', isOptional: true }];
    case 'COPY_CODE':
      return [{ ...common, kind: 'text', button: 'copy_code' }];
    default:
      return [];
  }
}

function layoutOf(components: readonly unknown[]): TemplateLayout {
  const find = (type: string) => components.find((each) => typeOf(each) === type);
  const [header, footer] = [find('HEADER'), find('FOOTER')];
  const kind = (textMember(header, 'format') ?? '').toLowerCase();
  const title = textMember(header, 'text') ?? (kind === '' ? undefined : `[${kind}] {{header}}`);
  const note = textMember(footer, 'text');
  return {
    ...(header !== undefined && title !== undefined && { header: title }),
    body: textMember(find('BODY'), 'text') ?? '',
    ...(note !== undefined && { footer: note }),
    buttons: listMember(find('BUTTONS'), 'buttons').map((button) => {
      const label = textMember(button, 'text') ?? '';
      return Object.assign({ label }, omitUndefined({ url: textMember(button, 'url') }));
    }),
  };
}

/** The values as Meta takes them: by component, in order. */
function componentsOf(values: readonly FilledParameter[]): object[] {
  const at = (wanted: TemplateParameter['place']) =>
    values.filter(({ place }) => place === wanted).map(parameterObject);
  const [header, body] = [at('header'), at('body')];
  const buttons = values.filter(({ place }) => place === 'button');
  return [
    ...(header.length > 0 ? [{ type: 'header', parameters: header }] : []),
    ...(body.length > 0 ? [{ type: 'body', parameters: body }] : []),
    ...buttons.map((parameter) => ({
      type: 'button',
      sub_type: parameter.button,
      index: String(parameter.index),
      parameters: [parameterObject(parameter)],
    })),
  ];
}

function parameterObject({ name, kind, button, isNamed, value }: FilledParameter): object {
  if (typeof value === 'string') {
    if (kind === 'payload') return { type: 'payload', payload: value };
    if (button === 'copy_code') return { type: 'coupon_code', coupon_code: value };
    return { type: 'text', ...(isNamed && { parameter_name: name }), text: value };
  }
  if (!('url' in value)) {
    const { latitude, longitude, ...rest } = value;
    const place = { latitude: String(latitude), longitude: String(longitude), ...rest };
    return { type: 'location', location: place };
  }
  const file = { link: value.url, ...(kind === 'document' && { filename: value.name ?? 'file' }) };
  return { type: kind, [kind]: file };
}
