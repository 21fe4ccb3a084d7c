import type { Event, NewEvent } from '../../../../src/model/event.ts';
import type { Store } from '../../../../src/store/store.ts';
import { BATCH, NOW, PAGE, type Subject } from './subject.ts';

const COST = {
  channelId: 'cost',
  channel: 'vonage',
  sandbox: 0,
  amountMicros: 33_300,
  currency: 'EUR',
  category: '',
  billable: 1,
} as const;

const WINDOW = { address: 'whatsapp:+1', inboundAt: NOW, openUntil: NOW, perhapsUntil: NOW };

/** Calls all methods for feeds, webhooks and delivery reports. */
export async function exerciseEvents(store: Store, subject: Subject): Promise<void> {
  const { applicationId } = subject;
  const { events, feedSearch } = store;
  const of = { applicationId, media: null, createdAt: NOW } as const;
  const event: NewEvent = { ...of, type: 'message.received', data: '{}' };
  await events.append([event, event, event]);
  const last = await events.last(applicationId);
  await events.list(applicationId, last - 2, PAGE.limit);
  await events.next(applicationId, last, PAGE.limit);
  await events.get(applicationId, last);
  await events.lastOfEach([applicationId]);
  await events.before(applicationId, NOW);
  for (const wanted of [undefined, ['webhook.test']] as const) {
    await feedSearch.forward(applicationId, 0, PAGE.limit, wanted);
    await feedSearch.backward(applicationId, undefined, PAGE.limit, wanted);
  }
  await exerciseEndpoint(store, subject);
  await exerciseReports(store, subject, event);
  await events.removeOlder(applicationId, 1, BATCH);
}

async function exerciseEndpoint(store: Store, { teamId, applicationId }: Subject): Promise<void> {
  const { applications, endpoints, webhookDeliveries } = store;
  const set = (webhookUrl: string | null) =>
    applications.update(teamId, applicationId, { webhookUrl, updatedAt: NOW });
  await set('https://example.com/hook');
  await set('https://example.com/other');
  await endpoints.rotate(applicationId, 'secret', 1);
  await endpoints.forgetSecrets(2, NOW);
  await endpoints.resume(applicationId, NOW);
  await endpoints.recover(applicationId, 0, NOW);
  await endpoints.listBehind();
  await endpoints.filterWithEndpoint([applicationId]);
  await endpoints.copyToQueue(applicationId, () => '{}', NOW);
  await endpoints.redeliver(applicationId, { id: 1, body: '{}', trace: null }, NOW);
  const endpoint = await endpoints.get(applicationId);
  if (!endpoint) throw new Error('endpoint not found');
  const { items } = await webhookDeliveries.list(applicationId, {}, PAGE);
  await webhookDeliveries.list(applicationId, { states: ['queued', 'failed'] }, PAGE);
  await webhookDeliveries.list(applicationId, { eventId: 1 }, PAGE);
  await webhookDeliveries.get(applicationId, items[0]?.id ?? 1);
  await webhookDeliveries.context(applicationId, items);
  await webhookDeliveries.backlog(endpoint);
  await webhookDeliveries.backlog({ ...endpoint, failingSince: NOW });
  await store.engine.db
    .transaction()
    .execute((trx) => endpoints.set(trx, applicationId, null, { id: 0, secret: '' }, NOW));
}

async function exerciseReports(
  store: Store,
  { teamId, applicationId, integrationId }: Subject,
  event: Omit<Event, 'id' | 'trace'>,
): Promise<void> {
  const { inboundEvents, receipts } = store;
  const part = await store.engine.db
    .selectFrom('parts')
    .select('channelId')
    .where('integrationId', '=', integrationId)
    .executeTakeFirst();
  const receipt = { state: 'delivered', code: null, detail: null } as const;
  await inboundEvents.accept([
    {
      applicationId,
      integrationId,
      at: NOW,
      events: [{ key: `key ${applicationId}`, event, windows: [WINDOW] }],
      receipts: [{ channelId: part?.channelId ?? 'none', ...receipt }],
      watermarks: [{ recipient: 'sent', state: 'read', upTo: NOW }],
      costs: [COST],
      cursor: 'cursor',
    },
  ]);
  const one = { applicationId, integrationId, reason: 'no_event', count: 1, lastAt: NOW } as const;
  for (const type of ['new', 'new', 'other']) await store.ignored.count({ ...one, type });
  await store.ignored.list(applicationId, integrationId, PAGE);
  const people = [['address', 'alias'], ['alias']];
  await store.aliases.resolve({ applicationId, integrationId }, people, NOW);
  await store.windows.find({ applicationId, integrationId }, WINDOW.address);
  store.windows.recall({ applicationId, integrationId }, WINDOW.address);
  await store.costs.of(applicationId, integrationId, ['cost']);
  await store.costs.totals({ teamId, applicationId }, { from: 0, to: NOW });
  await store.costs.totals({ teamId, channel: 'vonage' }, { from: 0, to: NOW });
  await store.costs.forgetTotals(1, BATCH);
  await receipts.apply(BATCH, NOW);
  await receipts.forget(1, BATCH);
  await inboundEvents.forget(1, BATCH);
}
