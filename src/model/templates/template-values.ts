import { type FieldError, pointerToken } from '../problem.ts';
import type {
  FileValue,
  FilledParameter,
  PlaceValue,
  TemplateDefinition,
  TemplateLayout,
  TemplateParameter,
} from './vendor-template.ts';
import { withValues } from './vendor-template.ts';

/* The values of a vendor's template: checked against its parameters before it is sent. */

export type TemplateParameters = Readonly<Record<string, unknown>>;

const MAX_TEXT_LENGTH = 1024;
const MAX_SHOWN_NAMES = 20;

/** The parameters with their values, or what is wrong with them. `pointer` locates the values in the request. */
export function fillTemplate(
  { parameters }: Pick<TemplateDefinition, 'parameters'>,
  input: TemplateParameters,
  pointer: string,
): { values: FilledParameter[]; errors: FieldError[] } {
  const values: FilledParameter[] = [];
  const errors: FieldError[] = [];
  const names = parameters.map(({ name }) => name);
  for (const name of Object.keys(input)) {
    if (names.includes(name)) continue;
    const shownNames = names.slice(0, MAX_SHOWN_NAMES).join(', ');
    const detail = `is not a parameter of the template, which has ${shownNames === '' ? 'none' : shownNames}`;
    errors.push({ pointer: `${pointer}/${pointerToken(name.slice(0, 64))}`, detail });
  }
  for (const parameter of parameters) {
    const { name, isOptional } = parameter;
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined) {
      if (isOptional) continue;
      errors.push({ pointer: `${pointer}/${name}`, detail: 'is required by the template' });
      continue;
    }
    const result = readValue(parameter, value);
    if (typeof result === 'object' && 'fault' in result) {
      errors.push({ pointer: `${pointer}/${name}`, detail: result.fault });
    } else values.push({ ...parameter, value: result });
  }
  return { values, errors };
}

/** A token of a JSON pointer. RFC 6901, section 3 */

function readValue(
  { kind }: TemplateParameter,
  value: unknown,
): string | FileValue | PlaceValue | { fault: string } {
  switch (kind) {
    case 'text':
    case 'payload':
      return readText(value);
    case 'location':
      return readPlace(value);
    default:
      return readFile(kind, value);
  }
}

function readText(value: unknown): string | { fault: string } {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return { fault: 'must be a text' };
  if (value.trim() === '') return { fault: 'must not be empty' };
  if (value.length > MAX_TEXT_LENGTH) {
    return { fault: `must have at most ${MAX_TEXT_LENGTH} characters` };
  }
  // Vendors refuse these in the parameters of templates.
  return /[\n\r\t]| {5}/.test(value)
    ? { fault: 'must not have line breaks, tabs or more than four spaces in a row' }
    : value;
}

function readFile(kind: string, value: unknown): FileValue | { fault: string } {
  const { url, name } =
    typeof value === 'string' ? { url: value, name: undefined } : members(value);
  if (typeof url !== 'string' || !/^https?:\/\/[^\s]{1,2000}$/.test(url)) {
    return { fault: `must be the http or https URL of the ${kind}, or an object with a url` };
  }
  return typeof name === 'string' ? { url, name: name.slice(0, 240) } : { url };
}

function readPlace(value: unknown): PlaceValue | { fault: string } {
  const { latitude, longitude, name, address } = members(value);
  if (typeof latitude !== 'number' || typeof longitude !== 'number') {
    return { fault: 'must be an object with latitude and longitude' };
  }
  return {
    latitude,
    longitude,
    ...(typeof name === 'string' && { name: name.slice(0, 1000) }),
    ...(typeof address === 'string' && { address: address.slice(0, 1000) }),
  };
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** What the recipient will see. */
export function shownLayout(
  { header, body, footer, buttons }: TemplateLayout,
  values: readonly FilledParameter[],
): TemplateLayout {
  const at = (place: TemplateParameter['place'], index?: number) =>
    new Map(
      values
        .filter((one) => one.place === place && one.index === index)
        .map(({ name, value }) => [name, textOf(value)]),
    );
  const headers = at('header');
  return {
    ...(header !== undefined && {
      header: withValues(header, new Map([...headers, ['1', headers.get('header') ?? '{{1}}']])),
    }),
    body: withValues(body, at('body')),
    ...(footer !== undefined && { footer }),
    buttons: buttons.map(({ label, url }, index) => {
      const [suffix] = at('button', index).values();
      return url === undefined
        ? { label }
        : { label, url: suffix === undefined ? url : withValues(url, new Map([['1', suffix]])) };
    }),
  };
}

function textOf(value: FilledParameter['value']): string {
  if (typeof value === 'string') return value;
  return 'url' in value ? value.url : `${value.latitude}, ${value.longitude}`;
}
