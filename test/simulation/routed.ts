import assert from 'node:assert/strict';

import type { Message, NewMessage } from '../../src/model/message.ts';
import type { Category } from '../../src/model/sending/consent.ts';
import {
  type Condition,
  type NewRoute,
  progressOf,
  startOfRoute,
} from '../../src/model/sending/message-route.ts';
import type { Store } from '../../src/store/store.ts';
import { mayBeOut } from './behaviours.ts';
import { FAILOVER_MS, POOL_ID } from './pools.ts';
import type { Accepted, InboundEvent } from './records.ts';
import type { RouteBans } from './route-bans.ts';
import { consentKeyOf } from './stops.ts';

/**
 * The shapes of messages with routes: one integration after the other; the same and then another address; a pool of both
 * integrations; and a pool, then another address.
 */
export const SHAPES = ['two', 'three', 'pool', 'pool and route'] as const;

/** A message with routes, and the seconds that the condition of each but the last may take. */
export interface RoutedStep {
  integration: number;
  recipient: string;
  text: string;
  category: Category | null;
  shape: (typeof SHAPES)[number];
  until: Condition;
  after: number;
  /** Seconds until it is due; 0 if it is sent at once. */
  delay: number;
}

const UNSTARTED = { startedAt: null, deadline: null, failoverAt: null, dueAt: null } as const;

interface Place {
  integrationId: number;
  recipient: string;
  position: number;
  poolId: number | null;
}

/** The integrations and addresses of the routes. */
function placesOf({ shape, recipient }: RoutedStep, ids: readonly number[]): Place[] {
  const isPool = shape.startsWith('pool');
  const first = ids.map((integrationId, i) => ({
    integrationId,
    recipient,
    position: isPool ? 0 : i,
    poolId: isPool ? POOL_ID : null,
  }));
  if (shape === 'two' || shape === 'pool') return first;
  const [integrationId = 0] = ids;
  const position = isPool ? 1 : 2;
  return [
    ...first,
    { integrationId, recipient: `${recipient}, elsewhere`, position, poolId: null },
  ];
}

/** The message, and the record of it. It joins several lanes, so it has no place in one. */
export function routedMessage(
  step: RoutedStep,
  integrationIds: readonly number[],
  { applicationId, createdAt }: Pick<NewMessage, 'applicationId' | 'createdAt'>,
): { message: NewMessage; record: Omit<Accepted, 'id'> } {
  const { recipient, text, category, delay } = step;
  const places = placesOf(step, integrationIds);
  const lastPosition = places.at(-1)?.position ?? 0;
  const dueAt = delay === 0 ? null : createdAt + delay * 1000;
  const routes = places.map(({ position, poolId, ...place }, number): NewRoute => {
    const isLast = position === lastPosition;
    const until = isLast ? null : step.until;
    const afterMs = isLast ? null : step.after * 1000;
    const failoverMs = poolId === null ? null : FAILOVER_MS;
    const consentKey = consentKeyOf(place.recipient);
    const own = { ...place, consentKey, position, poolId, failoverMs, until, afterMs };
    const unset = { instructions: null, objectId: null, because: null };
    const common = { number, via: 'simulated', ...own, ...unset };
    if (number > 0) return { ...common, state: 'pending', ...UNSTARTED };
    const times = dueAt === null ? startOfRoute(common, createdAt) : UNSTARTED;
    return { ...common, state: 'active', ...times };
  });
  const [integrationId = 0] = integrationIds;
  const lanes = places.map((place) => `${place.integrationId} ${place.recipient}`);
  const activity = JSON.stringify({ type: 'Create', object: { type: 'Note', content: text } });
  const timed = { expiresAt: null, dueAt, createdAt };
  const to = { applicationId, integrationId, recipient, consentKey: consentKeyOf(recipient) };
  return {
    message: {
      ...to,
      activity,
      category,
      objectId: null,
      type: 'Create',
      ...timed,
      route: 0,
      routes,
    },
    record: {
      lane: lanes[0] ?? '',
      lanes,
      positions: places.map(({ position }) => position),
      place: Number.NaN,
      integrationId,
      recipient,
      category,
      text,
      isCanceled: false,
      wasResent: false,
      dueAt: dueAt ?? undefined,
      template: 'none',
    },
  };
}

export const REPORTS = ['delivered', 'read', 'failed'] as const;

export type ReportState = (typeof REPORTS)[number];

/** Reports on one of the parts that the channel accepted. */
export async function reportOn(
  store: Store,
  bans: RouteBans,
  arrived: readonly InboundEvent[],
  { index, state }: { index: number; state: ReportState },
  { applicationId, now }: { applicationId: number; now: number },
): Promise<void> {
  const sent = arrived.filter(({ vendorId }) => vendorId !== '');
  const one = sent[index % Math.max(sent.length, 1)];
  if (!one) return;
  const { integrationId, vendorId: channelId } = one;
  const receipts = [{ channelId, state, code: null, detail: null }];
  const report = { applicationId, integrationId, at: now, events: [], receipts, watermarks: [] };
  bans.expect(one, state);
  await store.inboundEvents.accept([report]);
  await bans.recorded(store, applicationId, one, state);
  await store.receipts.apply(100, now);
}

/** Checks the invariants of a message with routes at the end. */
export async function checkRoutes(
  store: Store,
  message: Message,
  own: readonly InboundEvent[],
  { wasResent, positions = [] }: Pick<Accepted, 'wasResent' | 'positions'>,
  { bans, uncertain }: { bans: RouteBans; uncertain: string },
): Promise<void> {
  const { applicationId, id } = message;
  const routes = await store.routes.list(applicationId, id);
  const active = routes.filter(({ state }) => state === 'active');
  assert.ok(active.length <= 1, `${id} has several active routes`);
  for (const { number, state, startedAt } of routes) {
    const wasTried = own.some(({ route }) => route === number);
    if (wasTried) assert.notEqual(startedAt, null, `${id} route ${number} was sent unstarted`);
    if (state === 'pending' || state === 'unused') assert.equal(wasTried, false, `${id} ${number}`);
  }
  const furthest = Math.max(...routes.map(({ state }) => progressOf(state)));
  const isHeld = message.state === 'uncertain' || message.state === 'canceled';
  if (!isHeld) assert.ok(progressOf(message.state) >= furthest, `${id} is ${message.state}`);
  if (wasResent) return;
  // Nothing of a later route was sent before the earlier one had ended.
  const order = own.map(({ route }) => route);
  assert.deepEqual(order, order.toSorted(), `${id} went back to an earlier route`);
  // Nothing that may have been sent changes its provider within a pool.
  const out = own.filter(mayBeOut);
  for (const theirs of Map.groupBy(out, ({ route }) => positions[route]).values()) {
    const members = new Set(theirs.map(({ route }) => route));
    assert.ok(members.size <= 1, `${id} may have been sent by several members`);
  }
  if (uncertain !== 'hold') return;
  const byPart = Map.groupBy(out, ({ route, part }) => `${route} ${part}`);
  for (const [part, times] of byPart) {
    assert.equal(times.length, 1, `${id} part ${part} was sent twice`);
  }
  // Nobody knows whether it was sent, so no other route follows.
  const lost = own.find(({ behaviour }) => behaviour === 'lost' || behaviour === 'hangs');
  if (lost && !bans.hasFailed(id)) {
    assert.ok(
      own.every(({ route }) => route <= lost.route),
      `${id} was rerouted while uncertain`,
    );
  }
}
