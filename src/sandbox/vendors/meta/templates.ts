import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import { placeholdersIn, withValues } from '../../../model/templates/vendor-template.ts';
import type { ShownContent, ShownMedia } from '../../shown.ts';
import type { Reply } from '../../wire/request.ts';
import { graphError } from './graph.ts';

/*
 * The templates of the simulated WhatsApp Business account, in Meta's format.
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates
 */
export const ACCOUNT_ID = '215589313241560883';

interface Component {
  type: 'HEADER' | 'BODY' | 'FOOTER' | 'BUTTONS';
  format?: string;
  text?: string;
  example?: object;
  buttons?: readonly { type: string; text: string; url?: string }[];
}

interface Template {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  rejected_reason: string;
  parameter_format: 'POSITIONAL' | 'NAMED';
  components: readonly Component[];
}

const template = (
  id: number,
  name: string,
  language: string,
  components: readonly Component[],
  more: Partial<Template> = {},
): Template => ({
  id: String(594_425_479_261_000 + id),
  name,
  language,
  status: 'APPROVED',
  category: 'UTILITY',
  rejected_reason: 'NONE',
  parameter_format: 'POSITIONAL',
  components,
  ...more,
});

const shipped = (body: string, track: string): Component[] => [
  { type: 'HEADER', format: 'IMAGE' },
  { type: 'BODY', text: body, example: { body_text: [['Ada', '4711']] } },
  { type: 'FOOTER', text: 'Example Ltd' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'URL', text: track, url: 'https://www.example.com/orders/{{1}}' },
      { type: 'QUICK_REPLY', text: 'Thanks' },
    ],
  },
];

const TEMPLATES: readonly Template[] = [
  template(1, 'hello_world', 'en_US', [{ type: 'BODY', text: 'Welcome to Example Ltd!' }]),
  template(2, 'order_shipped', 'en_US', shipped('Hi {{1}}, order {{2}} is on its way.', 'Track')),
  template(3, 'order_shipped', 'pt_BR', shipped('Oi {{1}}, o pedido {{2}} saiu.', 'Rastrear')),
  template(
    4,
    'appointment',
    'en',
    [
      { type: 'HEADER', format: 'TEXT', text: 'Reminder for {{patient}}' },
      { type: 'BODY', text: 'Your appointment is on {{date}} at {{time}}.' },
    ],
    { parameter_format: 'NAMED' },
  ),
  template(5, 'pickup', 'en_US', [
    { type: 'HEADER', format: 'LOCATION' },
    { type: 'BODY', text: 'Your parcel {{1}} waits here.' },
  ]),
  template(6, 'spring_sale', 'en_US', [{ type: 'BODY', text: '20 % off, only today!' }], {
    status: 'PAUSED',
    category: 'MARKETING',
  }),
  template(7, 'old_offer', 'en_US', [{ type: 'BODY', text: 'Buy now' }], {
    status: 'REJECTED',
    category: 'MARKETING',
    rejected_reason: 'ABUSIVE_CONTENT',
  }),
];

/** The list, in pages: Meta's cursors are opaque, these are positions. */
export function listTemplates(path: string): Reply {
  const query = URL.parse(path, 'https://graph.facebook.com')?.searchParams;
  const limit = Number(query?.get('limit') ?? 25);
  const after = Number(query?.get('after') ?? 0);
  const data = TEMPLATES.slice(after, after + limit);
  const isLast = after + limit >= TEMPLATES.length;
  const cursors = { before: String(after), after: String(after + data.length) };
  const next = `https://graph.facebook.com/${ACCOUNT_ID}/message_templates?after=${cursors.after}`;
  return { status: 200, body: { data, paging: { cursors, ...(!isLast && { next }) } } };
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes */
export function templateFault(requested: unknown): Reply | undefined {
  const definition = find(requested);
  if (!definition) {
    return graphError(132_001, 'Template name does not exist in the translation', { status: 404 });
  }
  if (definition.status === 'PAUSED') return graphError(132_015, 'Template is Paused');
  if (definition.status !== 'APPROVED') return graphError(132_016, 'Template is Disabled');
  const details = faultOf(definition, requested);
  if (details?.startsWith('number of')) {
    return graphError(132_000, 'Number of parameters does not match', { details });
  }
  return details === undefined
    ? undefined
    : graphError(132_012, 'Parameter format does not match', { details });
}

function find(requested: unknown): Template | undefined {
  const [name, code] = [textMember(requested, 'name'), textMember(requested, 'language', 'code')];
  return TEMPLATES.find((each) => each.name === name && each.language === code);
}

const parametersOf = (requested: unknown, type: string): readonly unknown[] =>
  listMember(requested, 'components')
    .filter((each) => textMember(each, 'type') === type)
    .flatMap((each) => listMember(each, 'parameters'));

function faultOf(
  { components, parameter_format }: Template,
  requested: unknown,
): string | undefined {
  const header = components.find(({ type }) => type === 'HEADER');
  const [media] = parametersOf(requested, 'header');
  if (header?.format !== undefined && header.format !== 'TEXT') {
    const kind = header.format.toLowerCase();
    if (textMember(media, 'type') !== kind) return `header: Format mismatch, expected ${kind}`;
    const requiredMember = kind === 'location' ? 'latitude' : 'link';
    if (textMember(media, kind, requiredMember) === undefined)
      return `header: ${kind} is not valid`;
  }
  for (const { type, text = '' } of components) {
    if (type !== 'BODY' && !(type === 'HEADER' && header?.format === 'TEXT')) continue;
    const expected = placeholdersIn(text);
    const parameters = parametersOf(requested, type.toLowerCase());
    if (parameters.length !== expected.length) {
      return `number of localizable_params (${parameters.length}) does not match the expected number of params (${expected.length})`;
    }
    const names = new Set(parameters.map((each) => textMember(each, 'parameter_name')));
    const isNamed = parameter_format === 'NAMED';
    if (isNamed && !expected.every((name) => names.has(name))) {
      return `${type.toLowerCase()}: parameter names do not match`;
    }
  }
  return buttonFault(components, requested);
}

function buttonFault(components: readonly Component[], requested: unknown): string | undefined {
  const buttons = components.flatMap((component) => component.buttons ?? []);
  const requestedButtons = listMember(requested, 'components').filter(
    (each) => textMember(each, 'type') === 'button',
  );
  for (const [index, { type, url = '' }] of buttons.entries()) {
    const button = requestedButtons.find((each) => textMember(each, 'index') === String(index));
    if (type === 'URL' && placeholdersIn(url).length > 0 && !button) {
      return 'number of button params (0) does not match the expected number of params (1)';
    }
    if (button && textMember(button, 'sub_type') !== type.toLowerCase()) {
      return `buttons: sub_type mismatch at ${index}`;
    }
  }
  return requestedButtons.length > buttons.length
    ? 'buttons: more than the template has'
    : undefined;
}

const MEDIA: Readonly<Record<string, ShownMedia['type']>> = {
  image: 'Image',
  video: 'Video',
  document: 'Document',
};

/** The text that the person sees. */
export function shownTemplate(requested: unknown): ShownContent {
  const { components = [] } = find(requested) ?? {};
  const text = (type: Component['type']) => components.find((each) => each.type === type)?.text;
  const filled = (type: 'HEADER' | 'BODY') =>
    withValues(text(type) ?? '', valuesOf(parametersOf(requested, type.toLowerCase())));
  const [media] = parametersOf(requested, 'header');
  const kind = textMember(media, 'type') ?? '';
  const file = MEDIA[kind];
  const place = member(media, 'location');
  const title = filled('HEADER');
  return {
    ...(title !== '' && { title }),
    text: [filled('BODY'), text('FOOTER')].filter(Boolean).join('\n\n'),
    ...(file && { media: [{ type: file, url: textMember(media, kind, 'link') ?? '' }] }),
    ...(place !== undefined && {
      place: {
        latitude: Number(textMember(place, 'latitude')),
        longitude: Number(textMember(place, 'longitude')),
      },
    }),
    ...buttonsOf(components, requested),
  };
}

function valuesOf(parameters: readonly unknown[]): Map<string, string> {
  return new Map(
    parameters.map((each, i) => [
      textMember(each, 'parameter_name') ?? String(i + 1),
      textMember(each, 'text') ?? '',
    ]),
  );
}

function buttonsOf(
  components: readonly Component[],
  requested: unknown,
): Pick<ShownContent, 'buttons'> {
  const buttons = components.flatMap((component) => component.buttons ?? []);
  if (buttons.length === 0) return {};
  const shown = buttons.map(({ text: label, url }, index) => {
    const button = listMember(requested, 'components').find(
      (each) => textMember(each, 'index') === String(index),
    );
    const [value] = listMember(button, 'parameters');
    if (url === undefined) return { label, value: textMember(value, 'payload') ?? label };
    return { label, url: withValues(url, new Map([['1', textMember(value, 'text') ?? '']])) };
  });
  return { buttons: shown };
}
