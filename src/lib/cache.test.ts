import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Cache, type CacheOptions } from './cache.ts';

/** A cache whose loads the test completes, with a clock that the test sets. */
function createCache(options: Partial<CacheOptions> = {}) {
  const loads: { key: string; resolve(value: string): void; reject(reason: Error): void }[] = [];
  const clock = { now: 0 };
  const cache = new Cache<string, string>(
    (key) => new Promise((resolve, reject) => loads.push({ key, resolve, reject })),
    { maxAge: 100, maxEntries: 10, now: () => clock.now, ...options },
  );
  /** Gets a value that must be loaded, and completes the load. */
  const load = async (key: string, value: string) => {
    const before = loads.length;
    const got = cache.get(key);
    assert.equal(loads.length, before + 1, `${key} was not loaded`);
    loads.at(-1)?.resolve(value);
    assert.equal(await got, value);
  };
  return { cache, loads, clock, load };
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

  it('reloads in the background at two thirds of the age and returns the old value meanwhile', async () => {
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

  it('returns no expired value when a background reload fails or is slow', async () => {
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

  it('does not cache a failed load', async () => {
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
    it(`returns but does not cache a load that started before ${how}`, async () => {
      const { cache, loads, load } = createCache();
      const stale = cache.get('a');
      forget(cache);
      const fresh = cache.get('a');
      assert.equal(loads.length, 2, 'a later caller starts a new load');
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

  it('ignores a load that fails after forget', async () => {
    const { cache, loads } = createCache();
    const stale = cache.get('a');
    cache.forget('a');
    const fresh = cache.get('a');
    loads[0]?.reject(new Error('late'));
    await assert.rejects(Promise.resolve(stale), /late/);
    assert.equal(cache.get('a'), fresh, 'callers still share the second load');
    loads[1]?.resolve('new');
    assert.equal(await fresh, 'new');
  });

  it('evicts the entry with the oldest load when full', async () => {
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
