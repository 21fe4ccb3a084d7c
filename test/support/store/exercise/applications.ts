import { noCounts } from '../../../../src/model/statistics.ts';
import type { Store } from '../../../../src/store/store.ts';
import { NODE, NOW, PAGE, type Subject, createApplication } from './subject.ts';

/** Calls all methods for applications, integrations, health and statistics. */
export async function exerciseApplications(store: Store, subject: Subject): Promise<void> {
  const { applicationId, integrationId, teamId } = subject;
  const { applications, integrations, health, overview } = store;
  await applications.enabled(new Set([applicationId]));
  await applications.get(applicationId);
  await applications.list(teamId, PAGE);
  await applications.list(teamId, PAGE, 'order');
  await applications.list(teamId, PAGE, `#${applicationId}`);
  await applications.list(teamId, { ...PAGE, endingBefore: applicationId });
  await applications.update(teamId, applicationId, { updatedAt: NOW });

  await integrations.get(applicationId, integrationId);
  await integrations.ofChannel(integrationId, 'webhook');
  await integrations.list(applicationId, PAGE);
  await integrations.list(applicationId, { ...PAGE, startingAfter: integrationId });
  await integrations.listOutlines([applicationId]);
  await integrations.idsOf(applicationId, 'webhook');
  await integrations.namesOf([integrationId]);
  await integrations.update(applicationId, integrationId, (current) => current);
  const place = { applicationId, id: integrationId };
  const { credentials = {} } = (await integrations.get(applicationId, integrationId)) ?? {};
  await integrations.renew(place, credentials, credentials);
  const hook = await integrations.hookOf(applicationId, integrationId);
  await integrations.findByHook(integrationId, hook?.random ?? '');
  await integrations.setRegistered(place, NOW);
  await integrations.setHookRequest(place, { at: NOW });
  await integrations.setHookRequest(place, { at: NOW, refusal: 'signature does not match' });
  await integrations.cursorOf(applicationId, integrationId);

  const integration = await integrations.get(applicationId, integrationId);
  if (!integration) throw new Error('integration not found');
  await integrations.setAccount(integration, '@example_bot');
  await health.checked(integration, { reason: 'credentials', detail: 'refused' }, NOW);
  await health.recover({ applicationId, integrationId }, NOW);
  await health.checked(integration, undefined, NOW);
  const owned = { applicationId, integrationId, fence: 1 };
  const lost = { reason: 'transient', detail: 'connection lost', isLasting: false } as const;
  for (let i = 0; i < 2; i++) await health.sessionFailed(owned, lost, NOW);
  await health.sessionLasts(owned, NOW, NOW);

  for (const scope of [{ teamId }, { teamId, applicationId }]) {
    await overview.queues(scope, 'queued');
    await overview.queues(scope, 'uncertain');
    await overview.unhealthy(scope);
    await overview.retried(scope);
  }
  await overview.waiting(applicationId, integrationId);
  await overview.status(applicationId, integrationId);
  await exerciseStatistics(store, subject);
}

async function exerciseStatistics(store: Store, subject: Subject): Promise<void> {
  const { teamId, applicationId, integrationId } = subject;
  const { statistics } = store;
  const at = NOW - (NOW % 60_000);
  const counted = { step: 'minute', at, channel: 'webhook', sandbox: 0, lastSentAt: NOW } as const;
  await statistics.add([{ ...noCounts(), applicationId, integrationId, ...counted }]);
  const span = { step: 'minute', from: NOW - 3_600_000, to: NOW } as const;
  for (const scope of [
    { teamId },
    { teamId, applicationId },
    { teamId, channel: 'webhook' },
  ] as const) {
    await statistics.series(scope, span, 60_000);
    await statistics.byChannel(scope, span);
    await statistics.byApplication(scope, span);
    await statistics.byIntegration(scope, span);
  }
  await statistics.lastSentAt(applicationId, integrationId);
  await statistics.removeOlder('minute', 1, 1);
}

/** Deletes an application and an integration with all their data. */
export async function exerciseDeletion(store: Store, subject: Subject): Promise<void> {
  const { purges } = store;
  const { applicationId, integrationId, teamId } = subject;
  const other = await createApplication(store, subject);
  await store.integrations.delete(other.applicationId, other.integrationId, NOW);
  await store.applications.delete(teamId, other.applicationId, NOW);
  await purges.list();
  const of = { applicationId, createdAt: NOW } as const;
  const integration = { kind: 'integration', resourceId: integrationId, ...of } as const;
  const application = { kind: 'application', resourceId: applicationId, ...of } as const;
  await purges.cancelScheduled(integration, 200, NOW);
  await purges.cancelMessages(integration, 200, NOW);
  for (const purge of [integration, application]) {
    await purges.removeLanes(purge, 1_000);
    await purges.removeChats(purge, 1_000);
    await purges.removeReports(purge, 1_000);
    await purges.removeConsents(purge, 1_000);
    await purges.purgePeople(purge, 1_000);
  }
  await purges.deleteMessages(applicationId, 200);
  await store.events.removeAll(applicationId, 1_000);
  await store.statistics.removeAll(applicationId, 1_000);
  await purges.finish({
    ...integration,
    applicationId: other.applicationId,
    resourceId: other.integrationId,
  });
  await purges.finish({
    ...application,
    applicationId: other.applicationId,
    resourceId: other.applicationId,
  });
  await store.ownerships.releaseAll(NODE);
}
