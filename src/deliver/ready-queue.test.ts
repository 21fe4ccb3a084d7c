import assert from 'node:assert/strict';
import { it } from 'node:test';

import { ReadyQueue } from './ready-queue.ts';

interface One {
  teamId: number;
  name: string;
}

function lineOf(...names: string[]) {
  const line = new ReadyQueue<One>();
  const all = names.map((name) => ({ name, teamId: Number(name[0]) }));
  for (const one of all) line.add(one);
  const take = (most: number, hasCapacity: (teamId: number | null) => boolean = () => true) =>
    line
      .take(hasCapacity)
      .take(most)
      .map(({ name }) => name)
      .toArray();
  return { line, all, take };
}

it('the ready queue alternates between teams, and between the integrations of a team', () => {
  const { take } = lineOf('1a', '1b', '1c', '2a', '3a', '3b');
  assert.deepEqual(take(4), ['1a', '2a', '3a', '1b']);
  assert.deepEqual(take(9), ['3b', '1c']);
});

it('a team without capacity keeps its place and is checked once, however many of its integrations wait', () => {
  const { line, take } = lineOf('1a', '1b', '1c', '2a', '2b');
  let checkCount = 0;
  const noRoom = (teamId: number | null) => {
    checkCount += teamId === 1 ? 1 : 0;
    return teamId !== 1;
  };
  assert.deepEqual(take(9, noRoom), ['2a', '2b']);
  assert.equal(checkCount, 1);
  assert.equal(line.size, 3);
  assert.deepEqual(take(9), ['1a', '1b', '1c']);
});

it('an integration is queued at most once, and not after it was removed', () => {
  const { line, all, take } = lineOf('1a', '1b', '2a');
  for (const one of all) line.add(one);
  assert.equal(line.size, 3);
  for (const one of all.slice(0, 2)) line.delete(one);
  assert.deepEqual(take(9), ['2a']);
  assert.equal(line.size, 0);
});
