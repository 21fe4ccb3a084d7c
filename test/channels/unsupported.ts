import assert from 'node:assert/strict';

import type { Channel } from '../../src/channels/channel.ts';
import { makePlan } from '../../src/compose/plan.ts';
import { type TestMessage, outgoing } from './suite.ts';

/** That its buttons go as a list, and that whoever sends it is told why. */
export function assertListed(
  channel: Channel,
  message: Partial<TestMessage>,
  why: string | RegExp,
): void {
  const { activity, recipient } = outgoing({ recipient: channel.recipient.example, ...message });
  const { degradations } = makePlan(activity, channel, { recipient, credentials: {} });
  const told = degradations
    .filter(({ what }) => what === 'buttons')
    .map((degradation) => degradation.why);
  assert.equal(told.length, 1, `${told.length} reasons were told`);
  assert.match(told[0] ?? '', new RegExp(why));
}

/** A button that leads to an address of that length. */
export function leadingTo(length: number): { type: string; name: string; url: string } {
  return { type: 'Button', name: 'Far', url: 'https://example.com/'.padEnd(length, 'x') };
}
