import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type LookupOptions, createLookup } from './dns.ts';

/** Lookups that the test completes. */
function open(options?: LookupOptions) {
  const started: string[] = [];
  const answers = new Map<string, PromiseWithResolvers<string[]>>();
  const lookUp = createLookup((host) => {
    started.push(host);
    const answer = Promise.withResolvers<string[]>();
    answers.set(host, answer);
    return answer.promise;
  }, options);
  const { signal } = new AbortController();
  return {
    started,
    lookUp: (host: string, until = signal) => {
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
    const { started, lookUp, answer } = open();
    const lookups = ['a.example', 'A.example', 'a.EXAMPLE'].map((host) => lookUp(host));
    assert.deepEqual(started, ['a.example']);
    answer('a.example');
    for (const each of lookups) assert.deepEqual(await each, ['address of a.example']);
    void lookUp('a.example');
    assert.deepEqual(started, ['a.example', 'a.example']);
  });

  it('a failure goes to all callers and is not cached', async () => {
    const { started, lookUp, fail } = open();
    const lookups = [lookUp('a.example'), lookUp('a.example')];
    fail('a.example');
    for (const each of lookups) await assert.rejects(each, { message: 'no such host' });
    void lookUp('a.example');
    assert.equal(started.length, 2);
  });

  it('lookups beyond the limit wait in order', async () => {
    const { started, lookUp, answer, fail } = open({ maxConcurrent: 2 });
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((host) => lookUp(host));
    assert.deepEqual(started, ['a', 'b']);
    answer('b');
    assert.deepEqual(await b, ['address of b']);
    assert.deepEqual(started, ['a', 'b', 'c']);
    fail('c');
    await assert.rejects(async () => c);
    assert.deepEqual(started, ['a', 'b', 'c', 'd']);
    answer('a');
    answer('d');
    await Promise.all([a, d]);
  });

  it('a queued lookup is canceled when its last caller cancels', async () => {
    const { started, lookUp, answer } = open({ maxConcurrent: 1 });
    const given = new AbortController();
    const first = lookUp('a');
    void lookUp('b', given.signal);
    void lookUp('c', given.signal);
    const callers = lookUp('c');
    given.abort();
    void lookUp('d', given.signal);
    answer('a');
    await first;
    assert.deepEqual(started, ['a', 'c']);
    answer('c');
    assert.deepEqual(await callers, ['address of c']);
    assert.deepEqual(started, ['a', 'c']);
    void lookUp('b');
    assert.deepEqual(started, ['a', 'c', 'b']);
  });

  it('names known to be slow leave slots to others', async () => {
    const { started, lookUp, answer } = open({ maxConcurrent: 2, slowMs: 0 });
    for (const host of ['slow-1', 'slow-2']) {
      const lookup = lookUp(host);
      answer(host);
      await lookup;
    }
    started.splice(0);
    const [first] = [lookUp('slow-1'), lookUp('slow-2'), lookUp('new')];
    assert.deepEqual(started, ['slow-1', 'new']);
    answer('slow-1');
    await first;
    assert.deepEqual(started, ['slow-1', 'new', 'slow-2']);
  });
});
