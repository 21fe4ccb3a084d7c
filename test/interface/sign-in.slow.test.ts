import assert from 'node:assert/strict';
import { it } from 'node:test';

import { MAX_SLOTS, MAX_ADDRESSES } from '../../src/store/accounts/sign-in-attempts.ts';
import { FROM_ANYWHERE, makeAccount } from '../support/service/sign-in.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

onEachEngine(
  'sign-in under attack',
  (sb) => {
    it('limits guesses from many IP addresses for the account, but not at an address that signed in before', async () => {
      const { enter } = await makeAccount(sb());
      const home = '2001:db8:1:1::1';
      assert.equal((await enter(home)).status, 201);
      const statuses: number[] = [];
      for (let i = 0; i < 105; i++) {
        statuses.push((await enter(`2001:db8:2:${i.toString(16)}::1`, 'wrong')).status);
      }
      assert.deepEqual([statuses[99], statuses[104]], [401, 429]);
      assert.equal((await enter('2001:db8:3:3::1')).status, 429);
      assert.equal((await enter(home)).status, 201);
    });

    it('limits guesses from one IP address over all accounts', async () => {
      const { enter } = await makeAccount(sb());
      const guess = (i: number) => enter('203.0.113.6', 'wrong', `nobody-${i}@example.com`);
      const statuses: number[] = [];
      for (let i = 0; i < 60; i++) statuses.push((await guess(i)).status);
      assert.deepEqual([statuses[49], statuses.includes(429)], [401, true]);
    });

    it('limits the stored data about guesses and addresses', async () => {
      const { owner, enter } = await makeAccount(sb());
      for (let i = 0; i < MAX_ADDRESSES + 5; i++) {
        assert.equal((await enter(`198.51.100.${i}`)).status, 201);
      }
      const { db } = sb().store.engine;
      const addresses = await db
        .selectFrom('signInAddresses')
        .selectAll()
        .where('userId', '=', owner.id)
        .execute();
      assert.equal(addresses.length, MAX_ADDRESSES);
      assert.ok(!JSON.stringify(addresses).includes('198.51'), 'only digests of addresses');
      const slots = await db.selectFrom('signInAttempts').select('slot').execute();
      assert.ok(slots.every(({ slot }) => slot >= 0 && slot < MAX_SLOTS));
    });
  },
  { environment: FROM_ANYWHERE },
);
