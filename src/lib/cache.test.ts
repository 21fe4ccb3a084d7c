import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Cache, type CacheOptions } from './cache.ts';

/** A cache whose loads end when the test says so, on a clock that the test sets. */
function createCache(options: Partial<CacheOptions> = {}) {
  const loads: { key: string; resolve(value: string): void; reject(reason: Error): void }[] = [];
  const clock = { now: 0 };
  const cache = new Cache<string, string>(
    (key) => new Promise((resolve, reject) => loads.push({ key, resolve, reject })),
    { maxAge: 100, maxEntries: 10, now: () => clock.now, ...options },
  );
  /** Gets a value that has to be loaded, and ends its load. */
  const load = async (key: string, value: string) => {
    const before = loads.length;
    const got = cache.get(key);
    assert.equal(loads.length, before + 1, `${key} was not loaded`);
    loads.at(-1)?.resolve(value);
    assert.equal(await got, value);
  };
  return { cache, loads, clock, load };
}

describe('a cache', () => {
  it('loads once, and then answers without a promise', async () => {
    const { cache, loads, load } = createCache();
    await load('a', 'one');
    assert.equal(cache.get('a'), 'one');
    assert.equal(loads.length, 1);
  });

  it('loads anew what has reached its age, counted from when its load began', async () => {
    const { cache, loads, clock, load } = createCache();
    const slow = cache.get('a');
    clock.now = 40;
    loads[0]?.resolve('one');
    await slow;
    clock.now = 49;
    assert.equal(cache.get('a'), 'one');
    clock.now = 100;
    await load('a', 'two');
    assert.equal(cache.get('a'), 'two');
  });

  it('loads ahead what is still asked for at two thirds of its age, and answers the old meanwhile', async () => {
    const { cache, loads, clock, load } = createCache();
    await load('a', 'one');
    clock.now = 66;
    assert.equal(cache.get('a'), 'one');
    assert.equal(loads.length, 1);
    clock.now = 67;
    assert.equal(cache.get('a'), 'one');
    assert.equal(cache.get('a'), 'one');
    assert.equal(loads.length, 2);
    loads[1]?.resolve('two');
    await Promise.resolve();
    await Promise.resolve();
    assert.equal(cache.get('a'), 'two');
    clock.now = 120;
    assert.equal(cache.get('a'), 'two');
  });

  it('answers the old no longer than its age when a load ahead fails or takes long', async () => {
    const { cache, loads, clock, load } = createCache();
    await load('a', 'one');
    clock.now = 70;
    assert.equal(cache.get('a'), 'one');
    loads[1]?.reject(new Error('unreachable'));
    await Promise.resolve();
    await Promise.resolve();
    clock.now = 80;
    assert.equal(cache.get('a'), 'one');
    clock.now = 100;
    const late = cache.get('a');
    assert.ok(late instanceof Promise);
    loads[2]?.resolve('two');
    assert.equal(await late, 'two');
  });

  it('lets concurrent callers share a load', async () => {
    const { cache, loads } = createCache();
    const all = ['a', 'a', 'b', 'a'].map(async (key) => cache.get(key));
    assert.deepEqual(
      loads.map(({ key }) => key),
      ['a', 'b'],
    );
    for (const { key, resolve } of loads) resolve(key.toUpperCase());
    assert.deepEqual(await Promise.all(all), ['A', 'A', 'B', 'A']);
  });

  it('does not keep a load that failed', async () => {
    const { cache, loads, load } = createCache();
    const failing = [cache.get('a'), cache.get('a')];
    loads[0]?.reject(new Error('unreachable'));
    for (const got of failing) await assert.rejects(Promise.resolve(got), /unreachable/);
    await load('a', 'one');
    assert.equal(cache.get('a'), 'one');
  });

  it('keeps the value it has when loading it anew fails, only until its age', async () => {
    const { cache, loads, clock, load } = createCache();
    await load('a', 'one');
    clock.now = 100;
    const failing = cache.get('a');
    loads.at(-1)?.reject(new Error('unreachable'));
    await assert.rejects(Promise.resolve(failing), /unreachable/);
    await load('a', 'two');
  });

  it('forgets one key, or all', async () => {
    const { cache, load } = createCache();
    await load('a', 'one');
    await load('b', 'two');
    cache.forget('a');
    await load('a', 'three');
    assert.equal(cache.get('b'), 'two');
    cache.clear();
    await load('a', 'four');
    await load('b', 'five');
  });

  for (const [how, forget] of [
    ['forget', (cache: Cache<string, string>) => cache.forget('a')],
    ['clear', (cache: Cache<string, string>) => cache.clear()],
  ] as const) {
    it(`answers, but does not keep, a load that began before ${how}`, async () => {
      const { cache, loads, load } = createCache();
      const stale = cache.get('a');
      forget(cache);
      const fresh = cache.get('a');
      assert.equal(loads.length, 2, 'whoever asks after that needs a load of their own');
      loads[1]?.resolve('new');
      assert.equal(await fresh, 'new');
      loads[0]?.resolve('old');
      assert.equal(await stale, 'old');
      assert.equal(cache.get('a'), 'new');

      const alone = cache.get('b');
      cache.forget('b');
      loads.at(-1)?.resolve('old');
      assert.equal(await alone, 'old');
      await load('b', 'new');
    });
  }

  it('is not confused by a load that fails after forget', async () => {
    const { cache, loads } = createCache();
    const stale = cache.get('a');
    cache.forget('a');
    const fresh = cache.get('a');
    loads[0]?.reject(new Error('late'));
    await assert.rejects(Promise.resolve(stale), /late/);
    assert.equal(cache.get('a'), fresh, 'the second load is still the one to share');
    loads[1]?.resolve('new');
    assert.equal(await fresh, 'new');
  });

  it('keeps as many as it may, and drops what was loaded longest ago', async () => {
    const { cache, clock, load } = createCache({ maxEntries: 2 });
    await load('a', '1');
    await load('b', '2');
    clock.now = 100;
    await load('a', '3');
    await load('c', '4');
    assert.equal(cache.get('a'), '3');
    assert.equal(cache.get('c'), '4');
    await load('b', '5');
  });
});
