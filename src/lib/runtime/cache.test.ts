import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Cache, type CacheOptions } from './cache.ts';

/** A cache whose loads the test completes, and whose entries each depend on their key. */
function createCache(options: Partial<CacheOptions<string, string>> = {}) {
  const loads: { key: string; resolve(value: string): void; reject(reason: Error): void }[] = [];
  const clock = { now: 0 };
  const freshness = { isCurrent: true, refresh: () => Promise.resolve() };
  const cache = new Cache<string, string>(
    (key) => new Promise((resolve, reject) => loads.push({ key, resolve, reject })),
    {
      freshness,
      dependsOn: (key) => [key],
      maxAgeMs: 100,
      maxEntries: 10,
      now: () => clock.now,
      ...options,
    },
  );
  /** Gets a value that must be loaded, and completes the load. */
  const load = async (key: string, value: string) => {
    const before = loads.length;
    const got = cache.get(key);
    assert.equal(loads.length, before + 1, `${key} was not loaded`);
    loads.at(-1)?.resolve(value);
    assert.equal(await got, value);
  };
  return { cache, loads, clock, freshness, load };
}

describe('cache', () => {
  it('loads a value once, then returns it synchronously', async () => {
    const { cache, loads, load } = createCache();
    await load('a', 'one');
    assert.equal(cache.get('a'), 'one');
    assert.equal(loads.length, 1);
  });

  it('reloads an expired entry; its age counts from the start of the load', async () => {
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

  it('reads the changes first when they are not current', async () => {
    const { cache, loads, freshness, load } = createCache();
    await load('a', 'one');
    await load('b', 'two');
    freshness.isCurrent = false;
    freshness.refresh = async () => cache.drop(new Set(['a']));
    const stale = cache.get('a');
    assert.equal(await cache.get('b'), 'two');
    loads.at(-1)?.resolve('three');
    assert.equal(await stale, 'three');
    assert.equal(loads.length, 3);
  });

  it('returns nothing when the changes cannot be read', async () => {
    const { cache, freshness, load } = createCache();
    await load('a', 'one');
    freshness.isCurrent = false;
    freshness.refresh = () => Promise.reject(new Error('unreachable'));
    await assert.rejects(Promise.resolve(cache.get('a')), /unreachable/);
  });

  it('cache does not cache missing values', async () => {
    let loads = 0;
    const cache = new Cache<string, undefined>(async () => void loads++, {
      freshness: { isCurrent: true, refresh: () => Promise.resolve() },
      dependsOn: (key) => [key],
      maxAgeMs: 100,
      maxEntries: 10,
    });
    await cache.get('a');
    await cache.get('a');
    assert.equal(loads, 2);
  });

  it('concurrent callers share a load', async () => {
    const { cache, loads } = createCache();
    const all = ['a', 'a', 'b', 'a'].map(async (key) => cache.get(key));
    assert.deepEqual(
      loads.map(({ key }) => key),
      ['a', 'b'],
    );
    for (const { key, resolve } of loads) resolve(key.toUpperCase());
    assert.deepEqual(await Promise.all(all), ['A', 'A', 'B', 'A']);
  });

  it('cache does not cache a failed load', async () => {
    const { cache, loads, load } = createCache();
    const failing = [cache.get('a'), cache.get('a')];
    loads[0]?.reject(new Error('unreachable'));
    for (const got of failing) await assert.rejects(Promise.resolve(got), /unreachable/);
    await load('a', 'one');
    assert.equal(cache.get('a'), 'one');
  });

  it('keeps an entry until it expires when its reload fails', async () => {
    const { cache, loads, clock, load } = createCache();
    await load('a', 'one');
    clock.now = 100;
    const failing = cache.get('a');
    loads.at(-1)?.reject(new Error('unreachable'));
    await assert.rejects(Promise.resolve(failing), /unreachable/);
    await load('a', 'two');
  });

  it('drops entries that depend on a change, or all', async () => {
    const { cache, load } = createCache();
    await load('a', 'one');
    await load('b', 'two');
    cache.drop(new Set(['a', 'c']));
    await load('a', 'three');
    assert.equal(cache.get('b'), 'two');
    cache.drop('all');
    await load('a', 'four');
    await load('b', 'five');
  });

  for (const changed of [new Set(['x']), 'all'] as const) {
    it(`returns but does not cache a load that started before ${changed === 'all' ? 'all' : 'something'} was dropped`, async () => {
      const { cache, loads, load } = createCache();
      const stale = cache.get('a');
      cache.drop(changed);
      const fresh = cache.get('a');
      assert.equal(loads.length, 2, 'a later caller starts a new load');
      loads[1]?.resolve('new');
      assert.equal(await fresh, 'new');
      loads[0]?.resolve('old');
      assert.equal(await stale, 'old');
      assert.equal(cache.get('a'), 'new');

      const alone = cache.get('b');
      cache.drop(changed);
      loads.at(-1)?.resolve('old');
      assert.equal(await alone, 'old');
      await load('b', 'new');
    });
  }

  it('cache ignores a load that fails after a drop', async () => {
    const { cache, loads } = createCache();
    const stale = cache.get('a');
    cache.drop(new Set(['a']));
    const fresh = cache.get('a');
    loads[0]?.reject(new Error('late'));
    await assert.rejects(Promise.resolve(stale), /late/);
    assert.equal(cache.get('a'), fresh, 'callers still share the second load');
    loads[1]?.resolve('new');
    assert.equal(await fresh, 'new');
  });

  it('evicts the least recently used entry when full', async () => {
    const { cache, load } = createCache({ maxEntries: 2 });
    await load('a', '1');
    await load('b', '2');
    assert.equal(cache.get('a'), '1');
    await load('c', '3');
    assert.equal(cache.get('a'), '1');
    assert.equal(cache.get('c'), '3');
    await load('b', '4');
  });
});
