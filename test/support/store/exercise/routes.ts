import type { NewRoute } from '../../../../src/model/sending/message-route.ts';
import type { Store } from '../../../../src/store/store.ts';
import { NOW, type Subject, acceptMessages } from './subject.ts';

const AFTER_MS = 60_000;

/** Calls all methods for messages with several routes. */
export async function exerciseRoutes(store: Store, subject: Subject): Promise<void> {
  const { applicationId, integrationId } = subject;
  const { routes: own, schedule, lanes } = store;
  const common = { integrationId, consentKey: null, instructions: null, because: null };
  const unstarted = { startedAt: null, deadline: null, dueAt: null };
  const routes = (isStarted: boolean): NewRoute[] => [
    {
      number: 0,
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
  // It leaves its lane, then its route.
  await own.run(NOW, 100);
  await schedule.release(NOW, 500);
  await own.run(NOW + 2 * AFTER_MS, 100);
  await lanes.cancel(applicationId, late, NOW);
  await lanes.resend(applicationId, late, NOW);
  await lanes.cancel(applicationId, late, NOW);
  const planned = await accept(NOW + AFTER_MS);
  const change = { dueAt: 2, routes: routes(false) };
  await schedule.change({ applicationId, id: planned, reason: null }, change, NOW);
  await lanes.refuse(applicationId, [planned], 'suppressed', NOW);
  await own.forget(1, 100);
}
