import assert from 'node:assert/strict';
import { it } from 'node:test';

import { fc } from '../../../test/support/fast-check.ts';
import { sharesOf } from './fair-share.ts';

const nodes = fc.array(fc.nat(50), { minLength: 1, maxLength: 8 });
const byName = (counts: readonly number[]) =>
  new Map(counts.map((count, i) => [`node-${i}`, count]));
const sum = (counts: Iterable<number>) => [...counts].reduce((all, count) => all + count, 0);

it('shares cover everything and differ by at most one', () => {
  fc.assert(
    fc.property(nodes, fc.nat(100), (counts, free) => {
      const total = sum(counts) + free;
      const shares = [...sharesOf(byName(counts), total).values()];
      assert.equal(sum(shares), total);
      assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
    }),
  );
});

it('an even distribution changes nothing', () => {
  fc.assert(
    fc.property(nodes, fc.nat(100), (counts, free) => {
      const even = sharesOf(byName(counts), sum(counts) + free);
      assert.deepEqual(sharesOf(even, sum(even.values())), even);
    }),
  );
});

it('shares do not depend on the order of the nodes', () => {
  fc.assert(
    fc.property(nodes, fc.nat(100), (counts, free) => {
      const named = byName(counts);
      const turned = new Map([...named].toReversed());
      const total = sum(counts) + free;
      assert.deepEqual(sharesOf(turned, total), sharesOf(named, total));
    }),
  );
});

it('nodes that follow their shares one by one, in any order, reach an even distribution and stop', () => {
  const dispatcher = fc.array(fc.tuple(fc.nat(7), fc.nat(10)), { minLength: 200, maxLength: 200 });
  fc.assert(
    fc.property(nodes, fc.nat(30), dispatcher, (counts, unowned, order) => {
      const owned = byName(counts);
      const total = sum(counts) + unowned;
      let free = unowned;
      const follow = (node: string, most: number) => {
        const has = owned.get(node) ?? 0;
        // A node gives by an order that all nodes share, and takes by one in which it comes first.
        const surplus = has - (sharesOf(owned, total).get(node) ?? 0);
        const lacks = (sharesOf(owned, total, node).get(node) ?? 0) - has;
        const moves = surplus > 0 ? -Math.min(surplus, most) : Math.min(lacks, free, most);
        owned.set(node, has + moves);
        free -= moves;
      };
      for (const [index, most] of order) follow(`node-${index % counts.length}`, most);
      // From any state in between, two rounds suffice.
      for (let round = 0; round < 2; round++) for (const node of owned.keys()) follow(node, total);
      assert.equal(free, 0);
      assert.deepEqual(sharesOf(owned, total), owned);
    }),
  );
});

it('a node that released integrations does not claim them again', () => {
  fc.assert(
    fc.property(nodes, fc.nat(30), (counts, unowned) => {
      const owned = byName(counts);
      const total = sum(counts) + unowned;
      for (const [node, share] of sharesOf(owned, total)) {
        if (share >= (owned.get(node) ?? 0)) continue;
        const after = new Map(owned).set(node, share);
        assert.ok((sharesOf(after, total, node).get(node) ?? 0) <= share);
      }
    }),
  );
});

it('a new node causes the minimum number of moves', () => {
  assert.deepEqual(
    sharesOf(
      new Map([
        ['a', 2],
        ['b', 2],
        ['c', 0],
      ]),
      4,
    ),
    new Map([
      ['a', 2],
      ['b', 1],
      ['c', 1],
    ]),
  );
});
