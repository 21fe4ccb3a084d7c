import assert from 'node:assert/strict';
import { it } from 'node:test';

import { SignIn } from '../../src/http/auth/sign-in.ts';
import { systemClock } from '../../src/lib/runtime/clock.ts';
import { TestClock } from '../support/clock.ts';
import { startTestService } from '../support/service/service.ts';
import { FROM_ANYWHERE, PASSWORD, makeAccount } from '../support/service/sign-in.ts';
import { ENGINES } from '../support/store/databases.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const HOUR = 3_600_000;

onEachEngine(
  'sign-in',
  (sb) => {
    it('wrong guesses from one IP address do not lock out the user at another', async () => {
      const { enter, exhaust } = await makeAccount(sb());
      const seconds = await exhaust('203.0.113.1');
      assert.ok(seconds > 0 && seconds <= 60);
      assert.equal((await enter('203.0.113.2')).status, 201);
      assert.equal((await enter('203.0.113.1')).status, 429);
    });

    it('addresses of one IPv6 /64 count as one', async () => {
      const { enter, exhaust } = await makeAccount(sb());
      await exhaust('2001:db8:0:7::1');
      assert.equal((await enter('2001:db8:0:7:ffff::2')).status, 429);
      assert.equal((await enter('2001:db8:0:8::1')).status, 201);
    });

    it('guesses count the same for an account that does not exist', async () => {
      const { exhaust, enter } = await makeAccount(sb());
      await exhaust('203.0.113.3', 'nobody@example.com');
      assert.equal((await enter('203.0.113.3', PASSWORD)).status, 201);
    });

    it('a sign-in link works at an address without guesses left and unblocks it', async () => {
      const { owner, from, enter, exhaust } = await makeAccount(sb());
      await exhaust('203.0.113.4');
      const code = await new SignIn(sb().store, systemClock).createLink(owner.id);
      assert.equal((await from('203.0.113.4').post('/1/tokens', { code })).status, 201);
      assert.equal((await enter('203.0.113.4')).status, 201);
    });

    it('guesses are also limited at an address that signed in before', async () => {
      const { enter, exhaust } = await makeAccount(sb());
      assert.equal((await enter('203.0.113.5')).status, 201);
      await exhaust('203.0.113.5');
    });

    it('the known addresses of a removed user are deleted', async () => {
      const { api, team } = await sb().otherTeam();
      const email = `leaver-${team.id}@example.com`;
      const fields = { email, state: 'enable', password: PASSWORD };
      const { body } = await api.post('/1/users', fields);
      await sb().as(undefined).post('/1/tokens', { email, password: PASSWORD });
      const known = () =>
        sb()
          .store.engine.db.selectFrom('signInAddresses')
          .select('userId')
          .where('userId', '=', body.id)
          .execute();
      assert.equal((await known()).length, 1);
      await api.delete(`/1/users/${body.id}`);
      assert.equal((await known()).length, 0);
    });
  },
  { environment: FROM_ANYWHERE },
);

for (const engine of ENGINES) {
  it(`guesses are counted across restarts and clock changes (${engine})`, async () => {
    await using first = await startTestService(engine, { environment: FROM_ANYWHERE });
    const { enter, exhaust, owner } = await makeAccount(first);
    await exhaust('203.0.113.1');
    const { database } = first;
    const clock = new TestClock(Date.now() + (engine === 'postgres' ? HOUR : 0));
    await using second = await startTestService(engine, {
      environment: FROM_ANYWHERE,
      clock,
      database,
    });
    const there = () =>
      second
        .as(undefined)
        .with({ 'x-forwarded-for': '203.0.113.1' })
        .post('/1/tokens', { email: owner.email, password: PASSWORD });
    assert.equal((await there()).status, 429);
    if (engine === 'postgres') return;
    // The embedded store uses the machine's clock: if it is set back, the difference must not lock out.
    clock.advance(-24 * HOUR);
    assert.equal((await there()).status, 201);
    assert.equal((await enter('203.0.113.2')).status, 201);
  });
}

it('one more guess is allowed each minute', async () => {
  const clock = new TestClock();
  await using sb = await startTestService('sqlite', { environment: FROM_ANYWHERE, clock });
  const { enter, exhaust } = await makeAccount(sb);
  await exhaust('203.0.113.1');
  clock.advance(60_000);
  assert.equal((await enter('203.0.113.1', 'wrong')).status, 401);
  assert.equal((await enter('203.0.113.1', 'wrong')).status, 429);
  clock.advance(60_000);
  assert.equal((await enter('203.0.113.1')).status, 201);
});
