import type { Store } from '../../../../src/store/store.ts';
import { exerciseAccounts } from './accounts.ts';
import { exerciseApplications, exerciseDeletion } from './applications.ts';
import { exerciseChats } from './chats.ts';
import { exerciseDelivery } from './delivery.ts';
import { exerciseEvents } from './events.ts';
import { exerciseMessages } from './messages.ts';
import { exercisePeople } from './people.ts';
import { exerciseSandboxes } from './sandboxes.ts';
import { NOW, type Subject } from './subject.ts';
import { exerciseTemplates } from './templates.ts';

const YEAR_MS = 365 * 24 * 3_600_000;

/**
 * Calls every method of the store, with every variant of arguments that produces a different statement, to check query
 * plans or measure durations. Deletes the subject at the end.
 */
export async function exercise(store: Store, subject: Subject): Promise<void> {
  await store.engine.ping();
  await store.storeRingMarker();
  await store.ringFits();
  await exerciseDelivery(store, subject);
  await exerciseMessages(store, subject);
  await exerciseApplications(store, subject);
  await exerciseEvents(store, subject);
  await exerciseChats(store, subject);
  await exerciseSandboxes(store, subject);
  await exerciseTemplates(store, subject);
  await exercisePeople(store, subject);
  await exerciseAccounts(store, subject);
  await exerciseRetention(store, subject);
  await store.resealAll();
  await exerciseDeletion(store, subject);
}

async function exerciseRetention({ retention }: Store, { applicationId }: Subject): Promise<void> {
  await retention.prepare(NOW, YEAR_MS);
  await retention.setDays(applicationId, 1);
  await retention.days(applicationId);
  // Everything of the subject is older by then.
  while (await retention.removeOld(NOW + YEAR_MS / 2, YEAR_MS, 200));
  await retention.setDays(applicationId, null);
}

/** Wraps the store, and reports the methods of its parts that were not called. */
export function watchCalls(store: Store): { store: Store; uncalled(): string[] } {
  const called = new Set<string>();
  const parts = new Map(
    Object.entries(store)
      .filter(([name]) => name !== 'engine')
      .map(([name, part]) => [name, watched(name, part as object, called)]),
  );
  const watchedStore = new Proxy(store, {
    get(target, name) {
      const value: unknown = parts.get(String(name)) ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const all = Object.entries(store)
    .filter(([name]) => name !== 'engine')
    .flatMap(([name, part]) => methodsOf(part as object).map((method) => `${name}.${method}`));
  return { store: watchedStore, uncalled: () => all.filter((name) => !called.has(name)) };
}

function watched(name: string, part: object, called: Set<string>): object {
  return new Proxy(part, {
    get(target, method) {
      const value: unknown = Reflect.get(target, method);
      if (typeof value !== 'function') return value;
      called.add(`${name}.${String(method)}`);
      return value.bind(target) as unknown;
    },
  });
}

const methodsOf = (part: object) =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter((name) => name !== 'constructor');
