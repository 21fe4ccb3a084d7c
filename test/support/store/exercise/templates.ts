import type { Store } from '../../../../src/store/store.ts';
import { NOW, PAGE, type Subject } from './subject.ts';

/** Calls all methods for templates. */
export async function exerciseTemplates(
  store: Store,
  { applicationId, integrationId }: Subject,
): Promise<void> {
  const { templates, vendorTemplates } = store;
  const id = await store.nextId();
  const dated = { createdAt: NOW, updatedAt: NOW };
  const contents = { en: { content: 'Hello' } };
  const template = { applicationId, id, name: 'hello', defaultLanguage: 'en', contents, ...dated };
  await templates.create(template);
  await templates.addVersion(template);
  await templates.get(applicationId, id);
  await templates.get(applicationId, id, 1);
  await templates.named(applicationId, 'hello');
  await templates.list(applicationId, PAGE);
  await templates.versions(applicationId, id);
  await templates.delete(applicationId, id);

  const place = { applicationId, integrationId };
  const definition = {
    name: 'hello',
    language: 'en',
    vendorId: 'HX1',
    status: 'approved',
    category: null,
    reason: null,
    unsupported: null,
    parameters: [],
    layout: { body: 'Hello', buttons: [] },
  } as const;
  await vendorTemplates.replace(place, [definition], { now: NOW, nextAt: NOW });
  await vendorTemplates.claimDue(NOW, NOW + 1, 10);
  await vendorTemplates.list(place);
  await vendorTemplates.named(place, 'hello');
  await vendorTemplates.named(place, 'HX1');
}
