import type { WindowState } from '../../channels/window.ts';
import { withContent } from '../../compose/templated.ts';
import { parseJson } from '../../lib/json/parse-json.ts';
import type { Activity, ActivityObject } from '../../model/activity.ts';
import type { Id } from '../../model/id.ts';
import { Problem } from '../../model/problem.ts';
import { shownLayout } from '../../model/templates/template-values.ts';
import type { ChosenTemplate } from '../../model/templates/template.ts';
import type { FilledTemplate, TemplateLayout } from '../../model/templates/vendor-template.ts';
import type { Store } from '../../store/store.ts';
import type { Draft } from '../draft.ts';
import type { Candidate } from '../routing.ts';
import { templatesOf } from './named-templates.ts';

/** The template of a message, for the dry run. */
export interface ShownTemplate {
  source: 'vendor' | 'own';
  name: string;
  language: string;
  /** The recipient's view; for vendors' templates only. */
  layout?: TemplateLayout;
}

interface PreviewedTemplates {
  shown?: ShownTemplate;
  /** The content of the application's template. */
  object?: ActivityObject;
  /** The vendor's template. */
  filled?: FilledTemplate;
  /** Why the template cannot be sent. */
  problem?: Problem;
}

/** The template that would be sent now. */
export async function previewTemplates(
  store: Store,
  applicationId: Id,
  candidate: Candidate,
  draft: Draft,
  window: WindowState | undefined,
): Promise<PreviewedTemplates> {
  try {
    const { template, outsideWindow } = await templatesOf(store, applicationId, candidate, draft);
    const isOutside = window?.state === 'closed' && template?.source !== 'vendor';
    const sent = isOutside ? (outsideWindow ?? template) : template;
    if (!sent) return {};
    const { source, name, language } = sent;
    if (source === 'own') return { object: sent.object, shown: { source, name, language } };
    const place = { applicationId, integrationId: candidate.id };
    const layout = await layoutOf(store, place, sent);
    return {
      filled: sent.filled,
      shown: { source, name, language, ...(layout && { layout }) },
    };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}

async function layoutOf(
  store: Store,
  place: { applicationId: Id; integrationId: Id },
  { filled }: Extract<ChosenTemplate, { source: 'vendor' }>,
): Promise<TemplateLayout | undefined> {
  const definitions = await store.vendorTemplates.named(place, filled.name);
  const definition = definitions.find(
    ({ language, vendorId }) => language === filled.language && vendorId === filled.vendorId,
  );
  return definition && shownLayout(definition.layout, filled.values);
}

/** The draft with the content of the application's template. */
export function withTemplate(draft: Draft, content: ActivityObject): Draft {
  const text = withContent(draft.text, content);
  return { ...draft, text, activity: parseJson(text) as Activity };
}
