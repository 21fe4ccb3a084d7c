import assert from 'node:assert/strict';
import { it } from 'node:test';

import fc from 'fast-check';

import { sharesOf } from './spread.ts';

const nodes = fc.array(fc.nat(50), { minLength: 1, maxLength: 8 });
const byName = (counts: readonly number[]) =>
  new Map(counts.map((count, i) => [`node-${i}`, count]));
const sum = (counts: Iterable<number>) => [...counts].reduce((all, count) => all + count, 0);

it('shares all there is, no node having more than one more than another', () => {
  fc.assert(
    fc.property(nodes, fc.nat(100), (counts, free) => {
      const total = sum(counts) + free;
      const shares = [...sharesOf(byName(counts), total).values()];
      assert.equal(sum(shares), total);
      assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
    }),
  );
});

it('asks nothing of anybody where the spread is even', () => {
  fc.assert(
    fc.property(nodes, fc.nat(100), (counts, free) => {
      const even = sharesOf(byName(counts), sum(counts) + free);
      assert.deepEqual(sharesOf(even, sum(even.values())), even);
    }),
  );
});

it('says the same to all nodes, in whatever order they are named', () => {
  fc.assert(
    fc.property(nodes, fc.nat(100), (counts, free) => {
      const named = byName(counts);
      const turned = new Map([...named].toReversed());
      const total = sum(counts) + free;
      assert.deepEqual(sharesOf(turned, total), sharesOf(named, total));
    }),
  );
});

it('becomes even when nodes follow it one by one, each giving or taking, in any order; then nothing moves', () => {
  const turns = fc.array(fc.tuple(fc.nat(7), fc.nat(10)), { minLength: 200, maxLength: 200 });
  fc.assert(
    fc.property(nodes, fc.nat(30), turns, (counts, unowned, order) => {
      const owned = byName(counts);
      const total = sum(counts) + unowned;
      let free = unowned;
      const follow = (node: string, most: number) => {
        const has = owned.get(node) ?? 0;
        // What it gives is told by an order that all share; what it takes, by one in which it is first.
        const surplus = has - (sharesOf(owned, total).get(node) ?? 0);
        const lacks = (sharesOf(owned, total, node).get(node) ?? 0) - has;
        const moves = surplus > 0 ? -Math.min(surplus, most) : Math.min(lacks, free, most);
        owned.set(node, has + moves);
        free -= moves;
      };
      for (const [index, most] of order) follow(`node-${index % counts.length}`, most);
      // However little each has done so far: two rounds in which everybody does what is asked.
      for (let round = 0; round < 2; round++) for (const node of owned.keys()) follow(node, total);
      assert.equal(free, 0);
      assert.deepEqual(sharesOf(owned, total), owned);
    }),
  );
});

it('leaves to others what a node has given', () => {
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

it('moves no more than it must when a node comes', () => {
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
