import assert from 'node:assert/strict';

import { hashPassword } from '../../src/lib/password.ts';
import type { TestService } from './service.ts';

export const PASSWORD = 'a long example password';
/** Tests call from any address, by way of a proxy that is believed. */
export const FROM_ANYWHERE = { SWITCHBOARD_TRUST_PROXY: '127.0.0.1' };

/** Somebody with a password, and a way to sign in as them from anywhere. */
export async function makeAccount(sb: TestService) {
  const { owner } = await sb.otherTeam();
  await sb.store.users.update(owner.id, { password: await hashPassword(PASSWORD) });
  const from = (address: string) => sb.as(undefined).with({ 'x-forwarded-for': address });
  const enter = async (address: string, password = PASSWORD, email = owner.email) =>
    from(address).post('/1/tokens', { email, password });
  /** Uses up all guesses at an address. */
  const exhaust = async (address: string, email = owner.email) => {
    for (let i = 0; i < 10; i++) {
      assert.equal((await enter(address, `wrong ${i}`, email)).status, 401);
    }
    const refused = await enter(address, PASSWORD, email);
    assert.equal(refused.status, 429);
    return Number(refused.headers.get('retry-after'));
  };
  return { owner, from, enter, exhaust };
}
