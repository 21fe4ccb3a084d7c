import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Inbox } from './inbox.ts';

/** Distinct objects with possibly equal texts. */
const item = (text: string) => ({ text });
const open = (most: number) => new Inbox<{ text: string }>(most, ({ text }) => text.length);
const over = Promise.resolve();

async function all(inbox: Inbox<{ text: string }>): Promise<string[]> {
  const passedOn: string[] = [];
  await inbox.drain(async (items) => {
    await Promise.resolve();
    passedOn.push(...items.map(({ text }) => text));
  }, over);
  return passedOn;
}

describe('inbox', () => {
  it('passes on items from before and after the call, in order', async () => {
    const inbox = open(1000);
    const end = Promise.withResolvers<void>();
    for (let i = 0; i < 150; i++) inbox.put(item(String(i)));
    const passedOn: string[] = [];
    const passing = inbox.drain(async (items) => {
      await Promise.resolve();
      passedOn.push(...items.map(({ text }) => text));
      if (passedOn.length === 150) {
        inbox.put(item('150'));
        setImmediate(() => {
          inbox.put(item('151'));
          end.resolve();
        });
      }
    }, end.promise);
    await passing;
    assert.deepEqual(
      passedOn,
      Array.from({ length: 152 }, (_, i) => String(i)),
    );
  });

  it('keeps a batch that could not be passed on', async () => {
    const inbox = open(10);
    inbox.put(item('a'));
    inbox.put(item('a'));
    const fails = inbox.drain(() => Promise.reject(new Error('not now')), over);
    await assert.rejects(fails, /not now/);
    assert.deepEqual(await all(inbox), ['a', 'a']);
    assert.deepEqual(await all(inbox), []);
  });

  it('drops the oldest items beyond its limit, also during a batch', async () => {
    const inbox = open(3);
    for (const text of ['a', 'b', 'c', 'd']) inbox.put(item(text));
    assert.deepEqual(await all(inbox), ['b', 'c', 'd']);
    for (const text of ['a', 'b', 'cc', 'too long', 'd', 'ee']) inbox.put(item(text));
    assert.deepEqual(await all(inbox), ['d', 'ee']);
    for (const text of ['a', 'b', 'c']) inbox.put(item(text));
    const passedOn: string[][] = [];
    await inbox.drain(async (items) => {
      await Promise.resolve();
      if (passedOn.push(items.map(({ text }) => text)) > 1) return;
      for (const text of ['d', 'e']) inbox.put(item(text));
    }, over);
    assert.deepEqual(passedOn, [
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
  });
});
