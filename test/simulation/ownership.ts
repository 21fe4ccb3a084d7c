import assert from 'node:assert/strict';

import type { Store } from '../../src/store/store.ts';
import type { SimulatedNode } from './node.ts';

const MAX_ROUNDS = 400;
const CALM_ROUNDS = 15;

/** Passes time until the nodes share the integrations evenly, and checks that ownership is stable from then on. */
export async function settleOwnership(
  store: Store,
  nodes: () => readonly SimulatedNode[],
  pass: () => Promise<void>,
): Promise<void> {
  const owners = () =>
    store.engine.db
      .selectFrom('ownerships')
      .select(['integrationId', 'node', 'fence'])
      .orderBy('integrationId')
      .execute();
  const isEven = async () => {
    const owned = await owners();
    const counts = nodes().map(
      ({ delivery }) => owned.filter(({ node }) => node === delivery.node).length,
    );
    const isAll = counts.reduce((sum, count) => sum + count, 0) === owned.length;
    return isAll && Math.max(...counts) - Math.min(...counts) <= 1;
  };
  for (let round = 0; !(await isEven()); round++) {
    assert.ok(round < MAX_ROUNDS, `never even: ${JSON.stringify(await owners())}`);
    await pass();
  }
  const before = await owners();
  for (let round = 0; round < CALM_ROUNDS; round++) await pass();
  assert.deepEqual(await owners(), before, 'ownership changed although it was even');
}
