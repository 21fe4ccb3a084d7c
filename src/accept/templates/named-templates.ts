import type { Id } from '../../model/id.ts';
import { Problem } from '../../model/problem.ts';
import type { Instructions } from '../../model/sending/instructions.ts';
import type { Store } from '../../store/store.ts';
import type { Draft } from '../draft.ts';
import type { Candidate } from '../routing.ts';
import { chooseTemplate, chooseVendorTemplate } from './choose-template.ts';

/** Most drafts name no template and need no lookup. */
export const namesTemplate = ({ template, outsideWindow }: Draft): boolean =>
  template !== undefined || outsideWindow !== undefined;

/** The templates that a draft names. Throws a Problem if one of them cannot be sent. */
export async function templatesOf(
  store: Store,
  applicationId: Id,
  candidate: Candidate,
  { activity, template, outsideWindow, base = '' }: Draft,
): Promise<Pick<Instructions, 'template' | 'outsideWindow'>> {
  const origin = { store, applicationId, candidate };
  const [chosen, outside] = [
    template && (await chooseTemplate(origin, template, `${base}/template`)),
    outsideWindow && (await chooseVendorTemplate(origin, outsideWindow, `${base}/outside_window`)),
  ];
  const namesVendorTemplate = chosen?.source === 'vendor' || outside !== undefined;
  if (namesVendorTemplate && activity.type !== 'Create') {
    throw new Problem('template_refused', "a vendor's template can only send a new message");
  }
  return { ...(chosen && { template: chosen }), ...(outside && { outsideWindow: outside }) };
}
