import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as endOfTurn } from 'node:timers/promises';

import { GroupCommit, type GroupCommitOptions, Overloaded } from './group-commit.ts';

interface Commit {
  items: number[];
  succeed(): void;
  fail(reason: Error): void;
}

/** A group commit whose commits the test completes. The result of an item is ten times the item. */
function createGroup(limits: Partial<GroupCommitOptions<number>> = {}) {
  const commits: Commit[] = [];
  const group = new GroupCommit<number, number>(
    (items) => {
      const { promise, resolve, reject } = Promise.withResolvers<number[]>();
      commits.push({ items, succeed: () => resolve(items.map((item) => item * 10)), fail: reject });
      return promise;
    },
    { maxPerCommit: 100, maxWaiting: 1000, maxConcurrent: 1, ...limits },
  );
  const itemsOf = () => commits.map(({ items }) => items);
  /** The nth commit, once it has started. */
  const started = async (position: number): Promise<Commit> => {
    for (;;) {
      const commit = commits[position];
      if (commit) return commit;
      await endOfTurn();
    }
  };
  const succeed = async (...positions: number[]) => {
    for (const position of positions) (await started(position)).succeed();
  };
  return { group, itemsOf, started, succeed };
}

/** Long enough for a commit that must not start to have started. */
async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await endOfTurn();
}

describe('group commit', () => {
  it('commits items of one turn together, in order', async () => {
    const { group, itemsOf, succeed } = createGroup();
    const results = [3, 1, 2].map((item) => group.submit(item));
    await succeed(0);
    assert.deepEqual(await Promise.all(results), [30, 10, 20]);
    assert.deepEqual(itemsOf(), [[3, 1, 2]]);
  });

  it('gathers items that arrive during a commit into the next one', async () => {
    const { group, itemsOf, started, succeed } = createGroup();
    const results = [group.submit(1)];
    await started(0);
    results.push(group.submit(2));
    await severalTurns();
    results.push(group.submit(3), group.submit(4));
    await severalTurns();
    assert.deepEqual(itemsOf(), [[1]]);
    await succeed(0, 1);
    assert.deepEqual(await Promise.all(results), [10, 20, 30, 40]);
    assert.deepEqual(itemsOf(), [[1], [2, 3, 4]]);
  });

  it('resolves only after the commit', async () => {
    const { group, started, succeed } = createGroup();
    const answered: number[] = [];
    const submit = (item: number) => group.submit(item).then((result) => answered.push(result));
    const first = submit(1);
    await started(0);
    const second = submit(2);
    await severalTurns();
    assert.deepEqual(answered, []);
    await succeed(0);
    await first;
    await started(1);
    await severalTurns();
    assert.deepEqual(answered, [10]);
    await succeed(1);
    await second;
    assert.deepEqual(answered, [10, 20]);
  });

  it('puts no more into a commit than its limit', async () => {
    const { group, itemsOf, succeed } = createGroup({ maxPerCommit: 2 });
    const results = [1, 2, 3, 4, 5].map((item) => group.submit(item));
    await succeed(0, 1, 2);
    assert.deepEqual(await Promise.all(results), [10, 20, 30, 40, 50]);
    assert.deepEqual(itemsOf(), [[1, 2], [3, 4], [5]]);
  });

  it('rejects the items of a failed commit only', async () => {
    const { group, itemsOf, started, succeed } = createGroup();
    const failing = Promise.allSettled([group.submit(1), group.submit(2)]);
    const commit = await started(0);
    const later = group.submit(3);
    const reason = new Error('disk full');
    commit.fail(reason);
    assert.deepEqual(await failing, [
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    await succeed(1);
    assert.equal(await later, 30);
    assert.deepEqual(itemsOf(), [[1, 2], [3]]);
  });

  it('rejects items beyond the queue limit and keeps the others', async () => {
    const { group, itemsOf, started, succeed } = createGroup({ maxWaiting: 2 });
    const results = [group.submit(1)];
    await started(0);
    results.push(group.submit(2), group.submit(3));
    await assert.rejects(group.submit(4), Overloaded);
    await succeed(0);
    await started(1);
    results.push(group.submit(5));
    await succeed(1, 2);
    assert.deepEqual(await Promise.all(results), [10, 20, 30, 50]);
    assert.deepEqual(itemsOf(), [[1], [2, 3], [5]]);
  });

  it('runs as many commits at once as allowed', async () => {
    const { group, itemsOf, started, succeed } = createGroup({ maxConcurrent: 2 });
    const results = [group.submit(1)];
    await started(0);
    results.push(group.submit(2));
    await started(1);
    results.push(group.submit(3), group.submit(4));
    await severalTurns();
    assert.deepEqual(itemsOf(), [[1], [2]]);
    // The second commit ends before the first, and the next one takes its slot.
    await succeed(1);
    await started(2);
    assert.deepEqual(itemsOf(), [[1], [2], [3, 4]]);
    await succeed(2, 0);
    assert.deepEqual(await Promise.all(results), [10, 20, 30, 40]);
  });
});

describe('group commit with weights', () => {
  const refused = new Error('refused');

  it('fills commits by weight and gives a too heavy item its own commit', async () => {
    const commits: number[][] = [];
    const group = new GroupCommit<number, number>(
      (items) => {
        commits.push(items);
        return Promise.resolve(items);
      },
      { maxPerCommit: 10, maxWaiting: 100, maxConcurrent: 1, weigh: (item) => item },
    );
    await Promise.all([4, 5, 3, 50, 2].map((item) => group.submit(item)));
    assert.deepEqual(commits, [[4, 5], [3], [50], [2]]);
    const waiting = [90, 9].map((item) => group.submit(item));
    await assert.rejects(group.submit(5), Overloaded);
    await Promise.all(waiting);
  });

  it('retries items one by one when one of them is refused, and not after other failures', async () => {
    let commits = 0;
    const commit = (items: string[]) => {
      commits++;
      if (items.includes('lost')) return Promise.reject(new Error('no answer'));
      return items.includes('bad') ? Promise.reject(refused) : Promise.resolve(items);
    };
    const limits = { maxPerCommit: 10, maxWaiting: 100, maxConcurrent: 1 };
    const group = new GroupCommit(commit, {
      ...limits,
      isPoisoned: (reason) => reason === refused,
    });
    const settled = await Promise.allSettled(['a', 'bad', 'b'].map((item) => group.submit(item)));
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    commits = 0;
    await Promise.allSettled(['a', 'lost'].map((item) => group.submit(item)));
    assert.equal(commits, 1, 'items that may be stored are not committed again');
  });
});
