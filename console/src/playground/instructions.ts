import type { Template, VendorTemplates } from '../api/types.ts';
import { type SendAt, type Zone, sendAtOf } from '../messages/scheduled/send-at.ts';

/* Instructions beside the activity, as the form keeps them and as they are sent. */

type VendorTemplate = VendorTemplates['data'][number];

export const CATEGORIES = {
  transactional: 'Transactional',
  marketing: 'Marketing',
  verification: 'Verification',
} as const;

export interface TemplateChoice {
  source: 'vendor' | 'own';
  name: string;
  language: string;
  /** `outside`: only if the vendor accepts no free text. */
  when: 'always' | 'outside';
  /** The parameters as JSON text. */
  values: string;
}

/** States that a route may have to reach. */
export const CONDITIONS = ['sent', 'delivered', 'read'] as const;
/** The API accepts five routes, of which the message itself is the first. */
export const MAX_ADDED_ROUTES = 4;

/** A route added to the message, and when it starts. */
export interface AddedRoute {
  /** The state that the previous route must reach. */
  until: (typeof CONDITIONS)[number];
  minutes: string;
  /** An integration id or `pool:NAME`. */
  via: string;
  /** Empty: the recipient of the message. */
  to: string;
}

export interface InstructionDraft {
  category: string;
  /** The value of a `datetime-local` input; empty to send at once. */
  sendAt: string;
  zone: Zone;
  template?: TemplateChoice | undefined;
  /** The routes after the first, which is the integration of the message. */
  routes: readonly AddedRoute[];
}

export const NO_INSTRUCTIONS: InstructionDraft = {
  category: '',
  sendAt: '',
  zone: 'own',
  routes: [],
};

interface Route {
  via?: string;
  to?: string;
  until?: string;
  after?: string;
}

interface TemplateRequest {
  name: string;
  language: string;
  parameters: Readonly<Record<string, unknown>>;
}

/** As in the body of `POST /1/message`. */
export interface Instructions {
  category?: string;
  send_at?: SendAt;
  template?: TemplateRequest;
  outside_window?: TemplateRequest;
  routes?: readonly Route[];
}

/** The instructions from the form; undefined while the parameters are not a JSON object. */
export function instructionsOf({
  category,
  sendAt,
  zone,
  template,
  routes,
}: InstructionDraft): Instructions | undefined {
  const templates = template ? templatesOf(template) : {};
  if (!templates) return undefined;
  const at = sendAtOf(sendAt, zone);
  return {
    ...(category !== '' && { category }),
    ...(at !== undefined && { send_at: at }),
    ...templates,
    ...(routes.length > 0 && { routes: routesOf(routes) }),
  };
}

function routesOf(added: readonly AddedRoute[]): Route[] {
  const wait = (next: AddedRoute | undefined) =>
    next && { until: next.until, after: `PT${Math.round(Number(next.minutes) * 60) || 0}S` };
  return [
    { ...wait(added[0]) },
    ...added.map(({ via, to }, i) => ({
      via,
      ...(to !== '' && { to }),
      ...wait(added[i + 1]),
    })),
  ];
}

function templatesOf({
  name,
  language,
  when,
  values,
}: TemplateChoice): Pick<Instructions, 'template' | 'outside_window'> | undefined {
  const parameters = readValues(values);
  if (!parameters) return undefined;
  const request = { name, language, parameters };
  return when === 'always' ? { template: request } : { outside_window: request };
}

export function readValues(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the message may have no content, because a template provides it. */
export const hasTemplate = (draft: InstructionDraft): boolean => draft.template?.when === 'always';

/** A template to choose from, with values to start with. */
export type TemplateOption = Omit<TemplateChoice, 'when'> & { key: string };

export const vendorChoices = (templates: readonly VendorTemplate[]): TemplateOption[] =>
  templates.map(({ name, language, parameters }) => ({
    key: `vendor ${name} ${language}`,
    source: 'vendor',
    name,
    language,
    values: valuesText(parameters.map((one) => [one.name, one.example ?? ''])),
  }));

export const ownChoices = (templates: readonly Template[]): TemplateOption[] =>
  templates.flatMap(({ name, contents }) =>
    Object.entries(contents).map(([language, { name: title = '', content }]) => ({
      key: `own ${name} ${language}`,
      source: 'own' as const,
      name,
      language,
      values: valuesText(
        [...new Set(placeholdersIn(`${title} ${content}`))].map((each) => [each, '']),
      ),
    })),
  );

const valuesText = (values: [string, string][]) =>
  JSON.stringify(Object.fromEntries(values), null, 2);

/** The parameters that a template of the application names. */
export const placeholdersIn = (content: string): string[] =>
  Array.from(content.matchAll(/\{\{-?\s*([A-Za-z_]\w{0,99})/g), ([, name = '']) => name);
