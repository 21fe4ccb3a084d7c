import assert from 'node:assert/strict';
import { it } from 'node:test';

import { TestClock } from '../support/clock.ts';
import { newKey, openChat } from '../support/service/chat.ts';
import { extendLeases, looksAround } from '../support/service/nodes.ts';
import { until } from '../support/until.ts';

it('the web chat works over several nodes: a message at one is shown at the other', async () => {
  await using one = await openChat('postgres');
  await using two = await one.another();
  const here = await one.visit();
  const there = await two.visit({ token: here.token });
  assert.equal(there.id, here.id);

  const id = await one.send(here.id, { type: 'Note', id: 'first', content: 'To both' });
  await here.sees('To both');
  const { number } = await there.sees('To both');
  there.do({ do: 'read', number });
  await one.reaches(id, 'read');

  await there.say('From two');
  await here.sees('From two');
  await here.say('From one');
  await there.sees('From one');
  await one.event('message.received', ({ data }) => data.object.content === 'From two');

  const object = { type: 'Note', id: 'first', content: 'To both, changed' };
  await two.send(here.id, object, { type: 'Update' });
  for (const page of [here, there]) assert.equal((await page.sees('To both, changed')).number, 1);

  const path = `/1/integrations/${one.integrationId}/typing`;
  await one.app.post(path, { to: { id: here.id } });
  for (const page of [here, there]) await page.waitFor(({ is }) => is === 'typing');
});

it('a web chat node notifies the other nodes, which need not poll', async () => {
  await using one = await openChat('postgres');
  // Its clock stands still, so it never polls.
  await using two = await one.another({ clock: new TestClock(Date.now() + 60_000) });
  const nodes = () => one.service.store.ownerships.nodes(0);
  await until('they know of each other', async () => (await nodes()).length === 2);
  await extendLeases(one.service);
  await looksAround(one.service);
  const here = await one.visit();
  const there = await two.visit({ token: here.token });
  await here.say('Heard at once');
  await there.sees('Heard at once');
});

it('web chat entries have one order across nodes and a repetition is stored once', async () => {
  await using one = await openChat('postgres');
  await using two = await one.another();
  const here = await one.visit();
  const there = await two.visit({ token: here.token });
  const keys = Array.from({ length: 8 }, () => newKey());
  await Promise.all(
    keys.flatMap((key, i) => [here.say(String(i), { key }), there.say(String(i), { key })]),
  );
  const later = await one.visit({ token: here.token });
  assert.deepEqual(
    later.entries.map(({ number }) => number),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  assert.equal((await one.events('message.received')).length, 8);
});

it('the web chat continues at another node when one stops', async () => {
  await using one = await openChat('postgres');
  const two = await one.another();
  const guest = await two.visit();
  await guest.say('Before');
  await two[Symbol.asyncDispose]();
  assert.equal((await guest.isClosed())[0], 1001);
  await one.send(guest.id, 'Meanwhile');
  const again = await one.visit({ token: guest.token }, 1);
  await again.sees('Meanwhile');
  assert.deepEqual(again.texts, ['Meanwhile']);
});
