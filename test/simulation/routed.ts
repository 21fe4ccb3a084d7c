import assert from 'node:assert/strict';

import type { Message, NewMessage } from '../../src/model/message.ts';
import {
  type Condition,
  type NewRoute,
  progressOf,
  startOfRoute,
} from '../../src/model/sending/message-route.ts';
import type { Store } from '../../src/store/store.ts';
import type { Accepted, InboundEvent } from './records.ts';
import { consentKeyOf } from './stops.ts';

/** A message with two routes, and the seconds that the condition of the first may take. */
export interface RoutedStep {
  integration: number;
  recipient: string;
  text: string;
  until: Condition;
  after: number;
}

const UNSTARTED = { startedAt: null, deadline: null, failoverAt: null, dueAt: null } as const;

/** A message that goes through these integrations, one after the other. */
export function routedMessage(
  { recipient, text, until, after }: Omit<RoutedStep, 'integration'>,
  integrationIds: readonly number[],
  { applicationId, createdAt }: Pick<NewMessage, 'applicationId' | 'createdAt'>,
): NewMessage {
  const consentKey = consentKeyOf(recipient);
  const afterMs = after * 1000;
  const routes = integrationIds.map((integrationId, number): NewRoute => {
    const place = { number, via: 'simulated', integrationId, recipient, consentKey };
    const plain = { position: number, poolId: null, failoverMs: null };
    const common = { ...place, ...plain, instructions: null, because: null };
    return number === 0
      ? {
          ...common,
          until,
          afterMs,
          state: 'active',
          ...startOfRoute({ afterMs, failoverMs: null }, createdAt),
        }
      : { ...common, until: null, afterMs: null, state: 'pending', ...UNSTARTED };
  });
  return {
    applicationId,
    integrationId: integrationIds[0] ?? 0,
    recipient,
    consentKey,
    activity: JSON.stringify({ type: 'Create', object: { type: 'Note', content: text } }),
    objectId: null,
    type: 'Create',
    expiresAt: null,
    createdAt,
    route: 0,
    routes,
  };
}

export const REPORTS = ['delivered', 'read', 'failed'] as const;

export type ReportState = (typeof REPORTS)[number];

/** The record of such a message. It joins two lanes, so it has no place in one. */
export function acceptedRouted(id: number, ids: readonly number[], recipient: string): Accepted {
  const lanes = ids.map((each) => `${each} ${recipient}`);
  const [lane = ''] = lanes;
  const made = { isCanceled: false, wasResent: false, dueAt: undefined, template: 'none' } as const;
  return { id, lane, lanes, place: Number.NaN, integrationId: ids[0] ?? 0, recipient, ...made };
}

/** Reports on one of the parts that the channel accepted. */
export async function reportOn(
  store: Store,
  arrived: readonly InboundEvent[],
  index: number,
  state: ReportState,
  { applicationId, now }: { applicationId: number; now: number },
): Promise<void> {
  const sent = arrived.filter(({ vendorId }) => vendorId !== '');
  const one = sent[index % Math.max(sent.length, 1)];
  if (!one) return;
  const { integrationId, vendorId: channelId } = one;
  const receipts = [{ channelId, state, code: null, detail: null }];
  const report = { applicationId, integrationId, at: now, events: [], receipts, watermarks: [] };
  await store.inboundEvents.accept([report]);
  await store.receipts.apply(100, now);
}

/** Checks the invariants of a message with routes at the end. */
export async function checkRoutes(
  store: Store,
  message: Message,
  own: readonly InboundEvent[],
  wasResent: boolean,
): Promise<void> {
  const { applicationId, id } = message;
  const routes = await store.routes.list(applicationId, id);
  const active = routes.filter(({ state }) => state === 'active');
  assert.ok(active.length <= 1, `${id} has several active routes`);
  // Nothing of a later route was sent before the earlier one had ended.
  const order = own.map(({ route }) => route);
  if (!wasResent) {
    assert.deepEqual(order, order.toSorted(), `${id} went back to an earlier route`);
  }
  for (const { number, state, startedAt } of routes) {
    const wasTried = order.includes(number);
    if (wasTried) assert.notEqual(startedAt, null, `${id} route ${number} was sent unstarted`);
    if (state === 'pending' || state === 'unused') assert.equal(wasTried, false, `${id} ${number}`);
  }
  const furthest = Math.max(...routes.map(({ state }) => progressOf(state)));
  const isHeld = message.state === 'uncertain' || message.state === 'canceled';
  if (!isHeld) assert.ok(progressOf(message.state) >= furthest, `${id} is ${message.state}`);
}
