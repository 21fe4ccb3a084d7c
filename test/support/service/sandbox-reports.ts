import { mock } from 'node:test';

import type { SandboxTest } from './sandbox.ts';

/** What a simulated vendor reports, however often the service counts it. */
export interface SentReports extends Disposable {
  /** The states that it reported of messages, in order. */
  states(): string[];
  /** How many reports it sent: webhook requests, or reports in a session. */
  count(): number;
  /** Whether a report waits until it is due. */
  hasLate(): boolean;
}

/** Watches the vendor of an integration until it is disposed of. */
export function watchReports({ service: { store }, integrationId }: SandboxTest): SentReports {
  const hooks = mock.method(store.integrations, 'findByHook');
  const reports = mock.method(store.sandboxReports, 'insert');
  const changes = mock.method(store.sandboxMessages, 'update');
  const own = () =>
    reports.mock.calls
      .map(({ arguments: [report] }) => report)
      .filter((report) => report.integrationId === integrationId);
  return {
    states: () =>
      changes.mock.calls
        .filter(({ arguments: [place] }) => place.integrationId === integrationId)
        .flatMap(({ arguments: [, , body] }) => JSON.parse(body).status ?? []),
    count: () =>
      hooks.mock.calls.filter(({ arguments: [id] }) => id === integrationId).length +
      own().filter(({ dueAt }) => dueAt === null).length,
    hasLate: () => own().some(({ dueAt }) => dueAt !== null),
    [Symbol.dispose]() {
      for (const each of [hooks, reports, changes]) each.mock.restore();
    },
  };
}
