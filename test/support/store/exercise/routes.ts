import type { NewRoute } from '../../../../src/model/sending/message-route.ts';
import type { Store } from '../../../../src/store/store.ts';
import { NOW, PAGE, type Subject, acceptMessages } from './subject.ts';

const AFTER_MS = 60_000;

/** Calls all methods for messages with several routes. */
export async function exerciseRoutes(store: Store, subject: Subject): Promise<void> {
  const { applicationId, integrationId } = subject;
  const { routes: own, schedule, lanes } = store;
  const plain = { poolId: null, failoverMs: null, failoverAt: null, objectId: 'routed' };
  const common = { integrationId, consentKey: null, instructions: null, because: null, ...plain };
  const unstarted = { startedAt: null, deadline: null, dueAt: null };
  const routes = (isStarted: boolean): NewRoute[] => [
    {
      number: 0,
      position: 0,
      via: 'first',
      recipient: 'routed',
      until: 'read',
      afterMs: AFTER_MS,
      state: 'active',
      ...common,
      ...unstarted,
      ...(isStarted && { startedAt: NOW, deadline: NOW, dueAt: NOW }),
    },
    {
      number: 1,
      position: 1,
      via: 'second',
      recipient: 'routed again',
      until: null,
      afterMs: null,
      state: 'pending',
      ...common,
      ...unstarted,
    },
  ];
  const accept = async (dueAt: number | null) => {
    const change = { route: 0, routes: routes(dueAt === null), dueAt };
    const [id = 0] = await acceptMessages(store, subject, ['routed'], change);
    return id;
  };
  const late = await accept(null);
  await own.list(applicationId, late);
  const place = { applicationId, integrationId, recipient: 'routed' };
  await store.messages.findByObject(place, 'routed');
  await store.deliveries.sentParts(place, 'routed');
  // It leaves its lane, then its route.
  await own.run(NOW, 100);
  await schedule.release(NOW, 500);
  await own.run(NOW + 2 * AFTER_MS, 100);
  await lanes.cancel(applicationId, late, NOW);
  await lanes.resend(applicationId, late, NOW);
  await lanes.cancel(applicationId, late, NOW);
  const restart = await own.restart(applicationId, late, 0, NOW);
  await lanes.resend(applicationId, late, NOW, undefined, restart);
  await lanes.cancel(applicationId, late, NOW);
  const planned = await accept(NOW + AFTER_MS);
  const change = { dueAt: 2, routes: routes(false) };
  const read = { applicationId, id: planned, reason: null, updatedAt: NOW };
  await schedule.change(read, change, NOW);
  await lanes.refuse(applicationId, [planned], 'suppressed', NOW);
  await own.drop(applicationId, late, NOW);
  await own.moveBack('a node', 1, NOW);
  await exercisePools(store, subject);
}

async function exercisePools(store: Store, { applicationId, integrationId }: Subject) {
  const { pools } = store;
  const id = await store.nextId();
  const members = [{ integrationId, weight: 1, priceMicros: null }];
  const named = { applicationId, id, name: 'sms', strategy: 'order' } as const;
  const pool = { ...named, failoverMs: AFTER_MS, members, createdAt: NOW, updatedAt: NOW };
  await pools.create(pool);
  await pools.update(pool);
  await pools.get(applicationId, id);
  await pools.named(applicationId, 'sms');
  await pools.list(applicationId, PAGE);
  await pools.situation(pool, 'ada', NOW);
  await pools.hasWaiting({ applicationId, integrationId, recipient: 'ada' });
  await pools.assign({ applicationId, poolId: id, recipient: 'ada' }, integrationId, NOW);
  await pools.delete(applicationId, id);
}
