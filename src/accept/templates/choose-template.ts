import type { Id } from '../../model/id.ts';
import { type FieldError, Problem } from '../../model/problem.ts';
import { fillTemplate } from '../../model/templates/template-values.ts';
import {
  type ChosenTemplate,
  type TemplateRequest,
  bestLanguage,
} from '../../model/templates/template.ts';
import type { TemplateDefinition } from '../../model/templates/vendor-template.ts';
import type { Store } from '../../store/store.ts';
import type { Candidate } from '../routing.ts';
import { languageOf, renderTemplate } from './own-templates.ts';

/** Where a template comes from. */
interface Origin {
  store: Store;
  applicationId: Id;
  candidate: Candidate;
}

/**
 * The template to send: the vendor's with that name, or else the application's. Throws a Problem if there is none, or
 * its parameters do not fit. `pointer` locates it in the request.
 */
export async function chooseTemplate(
  origin: Origin,
  request: TemplateRequest,
  pointer: string,
): Promise<ChosenTemplate> {
  const { store, applicationId, candidate } = origin;
  const { name, language, parameters = {} } = request;
  const place = { applicationId, integrationId: candidate.id };
  const definitions = candidate.channel?.templates
    ? await store.vendorTemplates.named(place, name)
    : [];
  if (definitions.length > 0) return vendorTemplate(definitions, request, pointer);
  const template = await store.templates.named(applicationId, name);
  if (!template) {
    throw refused(`there is no template ${name}`, [
      { pointer: `${pointer}/name`, detail: await unknownDetail(origin) },
    ]);
  }
  const chosen = languageOf(template, language);
  const content = template.contents[chosen] ?? {};
  const at = `${pointer}/parameters`;
  const object = await renderTemplate(applicationId, content, parameters, at);
  return { name, language: chosen, parameters, source: 'own', version: template.version, object };
}

/** A template that only the vendor can deliver, since its window is closed. */
export async function chooseVendorTemplate(
  origin: Origin,
  request: TemplateRequest,
  pointer: string,
): Promise<ChosenTemplate> {
  const chosen = await chooseTemplate(origin, request, pointer);
  if (chosen.source === 'vendor') return chosen;
  const detail = 'must be a template of the vendor: others are free text';
  throw refused(`${request.name} is not a template of the vendor`, [
    { pointer: `${pointer}/name`, detail },
  ]);
}

async function unknownDetail({ store, applicationId, candidate }: Origin): Promise<string> {
  if (!candidate.channel?.templates) return 'is unknown';
  const place = { applicationId, integrationId: candidate.id };
  const { syncedAt } = await store.vendorTemplates.list(place);
  return syncedAt === null
    ? 'is unknown: the templates of the vendor were never synced'
    : 'is unknown';
}

const UNUSABLE: ReadonlySet<string> = new Set(['rejected', 'paused', 'disabled']);

function vendorTemplate(
  definitions: readonly TemplateDefinition[],
  { name, language, parameters = {} }: TemplateRequest,
  pointer: string,
): ChosenTemplate {
  const languages = [...new Set(definitions.map((one) => one.language))];
  const wanted = language === undefined ? only(languages) : bestLanguage(languages, language);
  if (wanted === undefined) {
    const detail = `must be one of ${languages.slice(0, 50).join(', ')}`;
    throw refused(`the template ${name} is not in that language`, [
      { pointer: `${pointer}/language`, detail },
    ]);
  }
  const inLanguage = definitions.filter((one) => one.language === wanted);
  const template = inLanguage.find(({ status }) => !UNUSABLE.has(status)) ?? inLanguage[0];
  if (!template || UNUSABLE.has(template.status)) {
    const { status = 'unknown', reason = null } = template ?? {};
    const detail = reason === null ? `is ${status}` : `is ${status}: ${reason}`;
    throw refused(`the template ${name} ${detail}`, [{ pointer: `${pointer}/name`, detail }]);
  }
  if (template.unsupported !== null) {
    const detail = `has ${template.unsupported}, which Switchboard cannot send`;
    throw refused(`the template ${name} ${detail}`, [{ pointer: `${pointer}/name`, detail }]);
  }
  const { values, errors } = fillTemplate(template, parameters, `${pointer}/parameters`);
  if (errors.length > 0) throw refused(`the parameters do not fit the template ${name}`, errors);
  const { vendorId } = template;
  const filled = { name: template.name, language: wanted, vendorId, values };
  return { name, language: wanted, parameters, source: 'vendor', filled };
}

const only = (languages: readonly string[]) => (languages.length === 1 ? languages[0] : undefined);

function refused(detail: string, errors: readonly FieldError[]): Problem {
  return new Problem('template_refused', detail, { errors });
}
