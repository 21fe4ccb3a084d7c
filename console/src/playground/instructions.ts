import type { Template, VendorTemplates } from '../api/types.ts';

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

export interface InstructionDraft {
  category: string;
  /** The value of a `datetime-local` input; empty to send at once. */
  sendAt: string;
  template?: TemplateChoice | undefined;
}

export const NO_INSTRUCTIONS: InstructionDraft = { category: '', sendAt: '' };

interface TemplateRequest {
  name: string;
  language: string;
  parameters: Readonly<Record<string, unknown>>;
}

/** As in the body of `POST /1/message`. */
export interface Instructions {
  category?: string;
  send_at?: string;
  template?: TemplateRequest;
  outside_window?: TemplateRequest;
}

/** The instructions from the form; undefined while the parameters are not a JSON object. */
export function instructionsOf({
  category,
  sendAt,
  template,
}: InstructionDraft): Instructions | undefined {
  const templates = template ? templatesOf(template) : {};
  if (!templates) return undefined;
  const at = Date.parse(sendAt);
  return {
    ...(category !== '' && { category }),
    ...(!Number.isNaN(at) && { send_at: new Date(at).toISOString() }),
    ...templates,
  };
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
export type Choosable = Omit<TemplateChoice, 'when'> & { key: string };

export const vendorChoices = (templates: readonly VendorTemplate[]): Choosable[] =>
  templates.map(({ name, language, parameters }) => ({
    key: `vendor ${name} ${language}`,
    source: 'vendor',
    name,
    language,
    values: written(parameters.map((one) => [one.name, one.example ?? ''])),
  }));

export const ownChoices = (templates: readonly Template[]): Choosable[] =>
  templates.flatMap(({ name, contents }) =>
    Object.entries(contents).map(([language, { content }]) => ({
      key: `own ${name} ${language}`,
      source: 'own' as const,
      name,
      language,
      values: written([...new Set(placeholdersIn(content))].map((each) => [each, ''])),
    })),
  );

const written = (values: [string, string][]) => JSON.stringify(Object.fromEntries(values), null, 2);

/** The parameters that a template of the application names. */
export const placeholdersIn = (content: string): string[] =>
  Array.from(content.matchAll(/\{\{-?\s*([A-Za-z_]\w{0,99})/g), ([, name = '']) => name);
