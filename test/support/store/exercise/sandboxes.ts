import type { Store } from '../../../../src/store/store.ts';
import { BATCH, NOW, type Subject } from './subject.ts';

/** Calls all methods for the sandbox. */
export async function exerciseSandboxes(store: Store, subject: Subject): Promise<void> {
  const { applicationId, integrationId } = subject;
  const { sandboxMessages, sandboxFiles, sandboxReports } = store;
  const place = { applicationId, integrationId };
  const id = await sandboxMessages.nextId();
  const dated = { createdAt: NOW, updatedAt: NOW };
  const shown = { person: 'ada', vendorId: '1', body: '{}', ...dated };
  await sandboxMessages.insert({ ...place, id, author: 'person', ...shown });
  await sandboxMessages.get(place, id);
  await sandboxMessages.findByVendorId(place, '1');
  await sandboxMessages.update(place, id, '{"a":1}', NOW);
  // Large ones count.
  await sandboxMessages.update(place, id, JSON.stringify('x'.repeat(20_000)), NOW);
  await sandboxMessages.list(place, { limit: 10 }, 'ada');
  await sandboxMessages.byPeopleAfter(place, 0, 10);
  await sandboxMessages.lastAction(place, 'ada');
  await sandboxMessages.sentSinceAction(place, 'ada');
  await sandboxMessages.people(place);
  await sandboxMessages.behaviours({ applicationId, id: integrationId });
  await sandboxMessages.replaceBehaviours({ applicationId, id: integrationId }, null, null);

  const file = { name: 'a.txt', mediaType: 'text/plain', size: 1, bytes: Buffer.from('a') };
  await sandboxFiles.put({ ...place, id: 'a', ...file, createdAt: NOW });
  await sandboxFiles.get(place, 'a');
  await sandboxReports.insert({ ...place, id, createdAt: NOW, dueAt: null, body: '{}' });
  await sandboxReports.activeSince(NOW);
  await sandboxReports.due(NOW, BATCH);
  await sandboxReports.forSession(place, BATCH);
  await sandboxReports.remove(place, id);
  await sandboxFiles.forget(1, BATCH);
  await sandboxFiles.reset(place);
  await store.lanes.hasMessages(applicationId, integrationId);
}
