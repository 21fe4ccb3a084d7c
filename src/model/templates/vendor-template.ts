import type { Id } from '../id.ts';
import type { Millis } from '../timestamp.ts';

/** `unsubmitted`: never sent to the vendor for approval, which some channels do not need. */
export const TEMPLATE_STATUSES = [
  'approved',
  'pending',
  'rejected',
  'paused',
  'disabled',
  'unsubmitted',
] as const;

export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number];

/** `payload`: the value that the vendor returns when a person presses the button. */
export const PARAMETER_KINDS = [
  'text',
  'image',
  'video',
  'document',
  'location',
  'payload',
] as const;

type ParameterKind = (typeof PARAMETER_KINDS)[number];

/** A variable part of a vendor's template. */
export interface TemplateParameter {
  name: string;
  kind: ParameterKind;
  place: 'header' | 'body' | 'button';
  /** The position of the button, from 0, and the vendor's type of it. */
  index?: number;
  button?: string;
  /** Whether the vendor knows it by its name instead of its position. */
  isNamed?: true;
  isOptional?: true;
  example?: string;
}

/** What the template looks like, with `{{name}}` for its parameters. */
export interface TemplateLayout {
  header?: string;
  body: string;
  footer?: string;
  buttons: readonly { label: string; url?: string }[];
}

export const MAX_TEMPLATE_NAME_LENGTH = 512;
const MAX_LANGUAGE_LENGTH = 200;
const MAX_VENDOR_ID_LENGTH = 200;

/** A template as the vendor describes it. */
export interface TemplateDefinition {
  name: string;
  language: string;
  /** The vendor's id, where templates are sent by it; empty elsewhere. */
  vendorId: string;
  status: TemplateStatus;
  category: string | null;
  /** Why the vendor rejected it. */
  reason: string | null;
  /** The content that Switchboard cannot send. */
  unsupported: string | null;
  parameters: readonly TemplateParameter[];
  layout: TemplateLayout;
}

/** A template of a vendor as of the last sync. */
export interface VendorTemplate extends TemplateDefinition {
  applicationId: Id;
  integrationId: Id;
  syncedAt: Millis;
}

/** A file given as a value. */
export interface FileValue {
  url: string;
  name?: string;
}

/** A place given as a value. */
export interface PlaceValue {
  latitude: number;
  longitude: number;
  name?: string;
  address?: string;
}

export type FilledParameter = TemplateParameter & { value: string | FileValue | PlaceValue };

/** A vendor's template with all its values, as it is sent. */
export interface FilledTemplate {
  name: string;
  language: string;
  vendorId: string;
  values: readonly FilledParameter[];
}

const PLACEHOLDER = /\{\{\s*(\w{1,100})\s*\}\}/g;

/** The names of the placeholders in a text, in order, each once. */
export function placeholdersIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(PLACEHOLDER), ([, name = '']) => name))];
}

/** The text with the values of its placeholders; those without a value stay. */
export function withValues(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(PLACEHOLDER, (placeholder, name: string) =>
    values.has(name) ? (values.get(name) ?? '') : placeholder,
  );
}

/** Whether a request can name the template. PostgreSQL cannot store much longer names in an index. */
export const isNameable = ({ name, language, vendorId }: TemplateDefinition): boolean =>
  name.length <= MAX_TEMPLATE_NAME_LENGTH &&
  language.length <= MAX_LANGUAGE_LENGTH &&
  vendorId.length <= MAX_VENDOR_ID_LENGTH;
