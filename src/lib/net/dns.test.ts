import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type LookupOptions, createLookup } from './dns.ts';

/** Lookups that the test completes. */
function open(options?: LookupOptions) {
  const begun: string[] = [];
  const answers = new Map<string, PromiseWithResolvers<string[]>>();
  const lookUp = createLookup((host) => {
    begun.push(host);
    const answer = Promise.withResolvers<string[]>();
    answers.set(host, answer);
    return answer.promise;
  }, options);
  const { signal } = new AbortController();
  return {
    begun,
    ask: (host: string, until = signal) => {
      const answer = lookUp(host, until);
      answer.catch(() => {});
      return answer;
    },
    answer: (host: string) => answers.get(host)?.resolve([`address of ${host}`]),
    fail: (host: string) => answers.get(host)?.reject(new Error('no such host')),
  };
}

describe('name lookup', () => {
  it('concurrent callers share a lookup, case-insensitive; later callers look up again', async () => {
    const { begun, ask, answer } = open();
    const asked = ['a.example', 'A.example', 'a.EXAMPLE'].map((host) => ask(host));
    assert.deepEqual(begun, ['a.example']);
    answer('a.example');
    for (const each of asked) assert.deepEqual(await each, ['address of a.example']);
    void ask('a.example');
    assert.deepEqual(begun, ['a.example', 'a.example']);
  });

  it('a failure goes to all callers and is not cached', async () => {
    const { begun, ask, fail } = open();
    const asked = [ask('a.example'), ask('a.example')];
    fail('a.example');
    for (const each of asked) await assert.rejects(each, { message: 'no such host' });
    void ask('a.example');
    assert.equal(begun.length, 2);
  });

  it('lookups beyond the limit wait in order', async () => {
    const { begun, ask, answer, fail } = open({ most: 2 });
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((host) => ask(host));
    assert.deepEqual(begun, ['a', 'b']);
    answer('b');
    assert.deepEqual(await b, ['address of b']);
    assert.deepEqual(begun, ['a', 'b', 'c']);
    fail('c');
    await assert.rejects(async () => c);
    assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
    answer('a');
    answer('d');
    await Promise.all([a, d]);
  });

  it('a queued lookup is canceled when its last caller cancels', async () => {
    const { begun, ask, answer } = open({ most: 1 });
    const given = new AbortController();
    const first = ask('a');
    void ask('b', given.signal);
    void ask('c', given.signal);
    const wanted = ask('c');
    given.abort();
    void ask('d', given.signal);
    answer('a');
    await first;
    assert.deepEqual(begun, ['a', 'c']);
    answer('c');
    assert.deepEqual(await wanted, ['address of c']);
    assert.deepEqual(begun, ['a', 'c']);
    void ask('b');
    assert.deepEqual(begun, ['a', 'c', 'b']);
  });

  it('names known to be slow leave slots to others', async () => {
    const { begun, ask, answer } = open({ most: 2, slow: 0 });
    for (const host of ['slow-1', 'slow-2']) {
      const asked = ask(host);
      answer(host);
      await asked;
    }
    begun.splice(0);
    const [first] = [ask('slow-1'), ask('slow-2'), ask('new')];
    assert.deepEqual(begun, ['slow-1', 'new']);
    answer('slow-1');
    await first;
    assert.deepEqual(begun, ['slow-1', 'new', 'slow-2']);
  });
});
