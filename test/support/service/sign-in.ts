import assert from 'node:assert/strict';

import { hashPassword } from '../../../src/lib/crypto/password.ts';
import type { TestService } from './service.ts';

export const PASSWORD = 'a long example password';
/** Lets tests call from any address, through a trusted proxy. */
export const FROM_ANYWHERE = { SWITCHBOARD_TRUST_PROXY: '127.0.0.1' };

/** A user with a password, and functions to sign in from any address. */
export async function makeAccount(sb: TestService) {
  const { owner } = await sb.otherTeam();
  await sb.store.users.update(owner.id, { password: await hashPassword(PASSWORD) });
  const from = (address: string) => sb.as(undefined).with({ 'x-forwarded-for': address });
  const enter = async (address: string, password = PASSWORD, email = owner.email) =>
    from(address).post('/1/tokens', { email, password });
  /** Uses up all sign-in attempts of an address. */
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
