import { MESSAGE_STATES } from '../../../../src/model/message.ts';
import { writeInstructions } from '../../../../src/model/sending/instructions.ts';
import type { Store } from '../../../../src/store/store.ts';
import { exerciseRoutes } from './routes.ts';
import { NODE, NOW, PAGE, type Subject, acceptMessages } from './subject.ts';

/** Calls all methods for messages, attempts and resend jobs. */
export async function exerciseMessages(store: Store, subject: Subject): Promise<void> {
  const { applicationId, integrationId } = subject;
  const { messages, attempts, lanes } = store;
  const ids = await acceptMessages(store, subject, ['first', 'second', 'third', 'fourth']);
  const [first = 0, second = 0, third = 0] = ids;
  const message = await messages.get(applicationId, first);
  if (!message) throw new Error('message not found');
  await messages.findByObject({ applicationId, integrationId, recipient: 'first' }, 'object first');
  await messages.getAll(applicationId, ids);
  const filters = [
    {},
    { states: MESSAGE_STATES },
    { integrationIds: [integrationId] },
    { recipient: 'first' },
    { recipient: 'first', integrationIds: [integrationId] },
    { idPrefix: String(first).slice(0, 2) },
    { createdAfter: 1, createdBefore: NOW },
    { states: ['failed'], recipient: 'first' },
  ] as const;
  for (const filter of filters) {
    await messages.list(applicationId, filter, PAGE);
    await messages.list(applicationId, filter, { ...PAGE, startingAfter: third });
    await messages.list(applicationId, filter, { ...PAGE, endingBefore: first });
    await messages.list(applicationId, filter, { ...PAGE, endingBefore: first - 1_000_000 });
  }
  await attempts.list(message);
  await attempts.last(message);
  await lanes.sendConditions(message);
  await lanes.countAhead(message, NOW, 10_000);
  await lanes.retry(applicationId, first, NOW);
  await lanes.cancel(applicationId, second, NOW);
  await lanes.resend(applicationId, second, NOW);
  await lanes.resend(applicationId, first, NOW);
  await acceptMessages(store, subject, ['late'], { expiresAt: 1 });
  await lanes.expire(2, 200);
  const stopped = await acceptMessages(store, subject, ['stopped']);
  await lanes.refuse(applicationId, stopped, 'suppressed', NOW);
  const [planned = 0] = await acceptMessages(store, subject, ['planned'], { dueAt: NOW + 1 });
  await lanes.refuse(applicationId, [planned], 'quiet_hours', NOW);
  const [changed = 0] = await acceptMessages(store, subject, ['changed'], { dueAt: NOW + 1 });
  const read = { applicationId, id: changed, reason: null, updatedAt: NOW };
  await store.schedule.change(read, { dueAt: 2 }, NOW);
  await lanes.cancel(applicationId, changed, NOW);
  await acceptMessages(store, subject, ['soon', 'sooner'], { dueAt: 1 });
  await store.schedule.quietHours(applicationId);
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
  const night = { days, from: '00:00', until: '12:00', action: 'defer' } as const;
  const rules = [{ categories: ['transactional'], ...night }] as const;
  await store.schedule.setQuietHours(applicationId, { defaultZone: 'UTC', rules });
  await acceptMessages(store, subject, ['quiet'], { dueAt: 1, consentKey: 'email:quiet' });
  const contact = { contactId: 1, because: 'preference' } as const;
  const toContact = { dueAt: 1, instructions: writeInstructions({ contact }) };
  await acceptMessages(store, subject, ['contact', 'nobody'], toContact);
  const [chosen, nobody] = await store.schedule.withOutdatedAddress(2, 500);
  if (chosen) await store.schedule.changeAddress(chosen, { recipient: 'chosen' }, NOW);
  if (nobody) await store.schedule.changeAddress(nobody, 'no_address', NOW);
  await store.schedule.release(2, 500);
  await store.schedule.setQuietHours(applicationId, { defaultZone: null, rules: [] });
  await exerciseConsents(store, subject);
  await exerciseRoutes(store, subject);
  for await (const batch of lanes.depths()) if (batch.isLast) break;
  await exerciseJobs(store, subject);
}

async function exerciseConsents(store: Store, { applicationId }: Subject): Promise<void> {
  const { consents } = store;
  const change = { key: 'sms:+15005550006', scope: 'all', state: 'revoked' } as const;
  const proof = { source: 'api', evidence: null } as const;
  const [changed] = await consents.change([{ ...change, ...proof, applicationId, at: NOW }]);
  await consents.get(applicationId, changed?.id ?? 0);
  await consents.of(applicationId, change.key);
  await consents.list(applicationId, PAGE);
  await consents.changes(applicationId, change.key);
  if (changed) await consents.delete(changed);
  await consents.ofAll(applicationId, [change.key]);
  await consents.blocked(applicationId, [change.key]);
  await consents.inOrder(applicationId, changed, 10);
  await consents.settings(applicationId);
  await consents.setSettings(applicationId, { doubleOptIn: false, answers: { stop: 'Bye' } });
}

async function exerciseJobs(store: Store, { applicationId }: Subject): Promise<void> {
  const { jobs } = store;
  const id = await store.nextId();
  const filter = { states: ['canceled', 'failed'], recipient: 'second' } as const;
  const counts = { total: 0, done: 0, orphaned: 0, changed: 0, afterAt: 0, afterId: 0 };
  const of = { id, applicationId, kind: 'resend', state: 'counting', node: null } as const;
  const dated = { createdAt: NOW, updatedAt: NOW, finishedAt: null };
  const wanted = JSON.stringify(filter);
  await jobs.insert({ ...of, filter: wanted, wanted, ...counts, ...dated });
  await jobs.get(applicationId, id);
  await jobs.list(applicationId, { ...PAGE, startingAfter: id });
  await jobs.countByState(applicationId, {}, 1_000);
  await jobs.countByState(applicationId, filter, 1_000);
  await jobs.countOpen(applicationId);
  await jobs.claim(NODE, 10, NOW);
  for (let i = 0; i < 3; i++) await jobs.runBatch({ applicationId, id }, NODE, NOW);
  await jobs.cancel({ applicationId, id }, NOW, undefined);
}
