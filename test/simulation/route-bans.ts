import { type RouteReport, meets } from '../../src/model/sending/message-route.ts';
import { readPartIds } from '../../src/model/sending/sent-part.ts';
import { findRouted, routesOf } from '../../src/store/routes/chain.ts';
import type { Store } from '../../src/store/store.ts';
import type { InboundEvent } from './records.ts';

type Sent = Pick<InboundEvent, 'messageId' | 'route' | 'vendorId' | 'isWhole'>;

/** The routes that must not start any more: a report met the condition of an earlier one, or somebody canceled them. */
export class RouteBans {
  /** The last route that may be sent, by message. */
  readonly #last = new Map<number, number>();
  /** Messages that a vendor reported as failed: their next route may start at any time. */
  readonly #failed = new Set<number>();

  isBanned(messageId: number, route: number): boolean {
    return route > (this.#last.get(messageId) ?? Number.POSITIVE_INFINITY);
  }

  hasFailed(messageId: number): boolean {
    return this.#failed.has(messageId);
  }

  /** The message is resent: its routes may start again. */
  lift(messageId: number): void {
    this.#last.delete(messageId);
  }

  /** A report is about to be recorded. */
  expect({ messageId }: Sent, state: RouteReport): void {
    if (state !== 'failed') return;
    this.#failed.add(messageId);
    this.#last.delete(messageId);
  }

  /** A report was recorded. If it met the condition, and no later route had started, none may. */
  async recorded(
    store: Store,
    applicationId: number,
    { messageId, route: number, vendorId, isWhole }: Sent,
    state: RouteReport,
  ): Promise<void> {
    if (this.#failed.has(messageId) || !isWhole) return;
    const found = await lockedRoutes(store, applicationId, messageId);
    const one = found?.routes[number];
    if (!found || !one) return;
    const { message, routes } = found;
    const { channelIds } = message.route === number ? message : one;
    const later = routes.filter(({ position }) => position > one.position);
    const hasStarted = later.some(({ startedAt }) => startedAt !== null);
    // A node that died before it recorded the vendor's id took it along.
    const isKnown = readPartIds(channelIds).join() === vendorId;
    if (!isKnown || !meets(state, one.until) || hasStarted) return;
    this.#last.set(messageId, Math.min(...later.map((each) => each.number)) - 1);
  }

  /** The remaining routes of a message were dropped. */
  async dropped(store: Store, applicationId: number, messageId: number): Promise<void> {
    const found = await lockedRoutes(store, applicationId, messageId);
    if (found) this.#last.set(messageId, found.message.route);
  }
}

/** Waits for a transaction that is just starting the next route. */
function lockedRoutes(store: Store, applicationId: number, id: number) {
  const { engine } = store;
  return engine.db.transaction().execute(async (trx) => {
    const message = await findRouted(engine, trx, applicationId, id, true);
    if (!message) return undefined;
    const routes = await routesOf(engine, trx, applicationId, id);
    return { message, routes };
  });
}
