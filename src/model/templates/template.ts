import type { ActivityObject } from '../activity.ts';
import type { Id } from '../id.ts';
import type { Millis } from '../timestamp.ts';
import type { TemplateParameters } from './template-values.ts';
import type { FilledTemplate } from './vendor-template.ts';

/** A template that a message names, with the values of its parameters. */
export interface TemplateRequest {
  name: string;
  language?: string | undefined;
  parameters?: TemplateParameters | undefined;
}

/** The content of one language: texts in Liquid. */
export type TemplateContent = Pick<ActivityObject, 'name' | 'content' | 'mediaType' | 'attachment'>;

/** A template of the application, in its newest version or another. */
export interface Template {
  applicationId: Id;
  id: Id;
  name: string;
  version: number;
  defaultLanguage: string;
  /** By language tag. */
  contents: Readonly<Record<string, TemplateContent>>;
  createdAt: Millis;
  /** When this version was added. */
  updatedAt: Millis;
}

/**
 * The template that a message is sent with, as chosen when it was accepted: the vendor's with its values, or one of the
 * application's as rendered.
 */
export type ChosenTemplate = TemplateRequest & { language: string } & (
    | { source: 'vendor'; filled: FilledTemplate }
    | { source: 'own'; version: number; object: ActivityObject }
  );

/** The tags to try for a language, most specific first: `pt-BR`, then `pt`. */
function languageTags(language: string): string[] {
  const parts = normalTag(language).split('-');
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('-'));
}

/** Vendors write `pt_BR`, BCP 47 `pt-BR`. */
const normalTag = (language: string): string => language.trim().replaceAll('_', '-').toLowerCase();

/** The best of the known languages for a wanted one; undefined if none fits. */
export function bestLanguage(available: readonly string[], wanted: string): string | undefined {
  for (const tag of languageTags(wanted)) {
    const found = available.find((one) => normalTag(one) === tag);
    if (found !== undefined) return found;
  }
  return undefined;
}
