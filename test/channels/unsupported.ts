import assert from 'node:assert/strict';

import type { Channel } from '../../src/channels/channel.ts';
import { makePlan } from '../../src/compose/plan.ts';
import { type TestMessage, outgoing } from './suite.ts';

/** Asserts that the buttons degrade to a list and that the plan says why. */
export function assertListed(
  channel: Channel,
  message: Partial<TestMessage>,
  why: string | RegExp,
): void {
  const { activity, recipient } = outgoing({ recipient: channel.recipient.example, ...message });
  const { degradations } = makePlan(activity, channel, { recipient, credentials: {} });
  const reasons = degradations
    .filter(({ what }) => what === 'buttons')
    .map((degradation) => degradation.why);
  assert.equal(reasons.length, 1, `expected 1 reason, got ${reasons.length}`);
  assert.match(reasons[0] ?? '', new RegExp(why));
}

/** A link button with an address of that length. */
export function linkButton(length: number): { type: string; name: string; url: string } {
  return { type: 'Button', name: 'Far', url: 'https://example.com/'.padEnd(length, 'x') };
}
