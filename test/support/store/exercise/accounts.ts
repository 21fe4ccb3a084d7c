import type { Invitation, Key, Session, User } from '../../../../src/model/account.ts';
import type { Id } from '../../../../src/model/id.ts';
import type { Store } from '../../../../src/store/store.ts';
import { DATED, NOW, PAGE, type Subject, auditEntry } from './subject.ts';

/** Calls all methods for teams, users, keys, sessions and invitations. */
export async function exerciseAccounts(store: Store, subject: Subject): Promise<void> {
  await exerciseUsers(store, subject);
  await exerciseKeys(store, subject);
  await exerciseSignIn(store, subject);
  await exerciseInvitations(store, subject);
  await exerciseRecords(store, subject);
}

async function newUser(store: Store, teamId: Id): Promise<User> {
  const id = await store.nextId();
  const email = `exercise-${id}@example.com`;
  return { id, teamId, name: 'user', email, password: null, state: 'enable', ...DATED };
}

async function newKey(store: Store, change: Partial<Key> & Pick<Key, 'teamId'>): Promise<Key> {
  const of = { kind: 'user', resourceId: 1, purpose: 'api', secret: 'secret' } as const;
  const unused = { state: 'enable', expiresAt: null, lastUsedAt: null } as const;
  const made = { createdBy: null, label: null };
  return { id: await store.nextId(), ...of, ...unused, ...made, ...DATED, ...change };
}

async function exerciseUsers(store: Store, { teamId, userId }: Subject): Promise<void> {
  const { teams, users } = store;
  const user = await newUser(store, teamId);
  const owner = await newUser(store, await store.nextId());
  await teams.insert({ id: owner.teamId, name: 'team', ownerId: owner.id, ...DATED }, owner);
  await teams.update(owner.teamId, { name: 'other' });
  await teams.get(teamId);
  await teams.all();
  await users.insert(user);
  await users.get(user.id);
  await users.byEmail(user.email);
  await users.first();
  await users.anyPassword();
  await users.all();
  await users.list(teamId, PAGE);
  await users.list(teamId, { ...PAGE, startingAfter: user.id });
  await users.update(user.id, { state: 'disable', email: `other-${user.email}`, password: 'hash' });
  await users.rehash(user.id, 'hash');
  await users.updateMember(user, { state: 'enable', updatedAt: NOW }, 0);
  const changed = { password: 'other hash', updatedAt: NOW };
  await users.changePassword(user, changed, { keepLogin: 0, revokeKeys: true });
  await users.insertSignInLink(`link ${user.id}`, user.id, NOW + 1);
  await users.takeSignInLink(`link ${user.id}`, NOW);
  await users.deleteExpiredLinks(1);
  await users.delete(user, { ownerId: userId, revokeKeys: true }, NOW);
}

async function exerciseSignIn(store: Store, { teamId, userId }: Subject): Promise<void> {
  const { signInAttempts, tickets } = store;
  const user = { teamId, id: userId };
  const limit = { burst: 1, refillMs: 60_000 };
  const buckets = [{ key: 'exercise', limit }];
  await signInAttempts.spend(buckets, NOW);
  await signInAttempts.refund(buckets);
  await signInAttempts.remember(user, 'address', NOW);
  await signInAttempts.spendKnown(user, 'address', limit, NOW);
  await tickets.spend('realtime', tickets.issue('realtime', 'holder', NOW + 1_000), NOW);
  await tickets.forgetSpent(NOW);
}

async function exerciseKeys(store: Store, subject: Subject): Promise<void> {
  const { keys, sessions } = store;
  const { teamId, userId, applicationId } = subject;
  const key = await newKey(store, { teamId, resourceId: userId });
  await keys.insert(key);
  await keys.get('user', key.id);
  await keys.list(teamId, 'user', {}, PAGE);
  await keys.list(teamId, 'application', { resourceId: applicationId }, PAGE);
  await keys.list(teamId, 'user', { resourceId: userId }, { ...PAGE, endingBefore: key.id });
  await keys.list(teamId, 'user', { createdBy: userId }, PAGE);
  await keys.listValid(new Set([key.id]), NOW);
  await keys.touch([key.id], NOW);
  await keys.lastUses([userId]);
  await keys.signer(key.id);
  await keys.signers([key.id]);
  const own = await newKey(store, { teamId, kind: 'application', resourceId: applicationId });
  await store.engine.db.transaction().execute((trx) => keys.insertIn(trx, own));
  await keys.signer(own.id);
  await keys.deleteExpired(1);
  await keys.delete(key.id);

  const sessionKey = await newKey(store, { teamId, resourceId: userId, purpose: 'login' });
  const keyId = sessionKey.id;
  const seen = { createdAt: NOW, seenAt: NOW };
  const session: Session = { teamId, hash: `session ${keyId}`, userId, keyId, ...seen };
  await sessions.begin(session, sessionKey, undefined);
  await sessions.find(teamId, session.hash);
  await sessions.touch(session, 2);
  await sessions.endIdle(3);
  await sessions.endAll(teamId, userId);
  await sessions.end(session);
}

async function exerciseInvitations(store: Store, { teamId, userId }: Subject): Promise<void> {
  const { invitations } = store;
  const invite = async (): Promise<Invitation> => {
    const id = await store.nextId();
    const to = { hash: `invitation ${id}`, email: null, invitedBy: userId };
    return { teamId, id, ...to, createdAt: NOW, expiresAt: NOW + 1 };
  };
  const [revoked, accepted] = [await invite(), await invite()];
  for (const invitation of [revoked, accepted]) await invitations.insert(invitation);
  await invitations.list(teamId, NOW, { ...PAGE, startingAfter: revoked.id });
  await invitations.find(teamId, revoked.hash, NOW);
  await invitations.delete(revoked);
  await invitations.accept(accepted, await newUser(store, teamId));
  await invitations.deleteExpired(1);
}

/** The audit log, the log of changes, idempotency keys and tickets. */
async function exerciseRecords(store: Store, subject: Subject): Promise<void> {
  const { teamId, userId, applicationId } = subject;
  const entry = auditEntry(subject, await store.nextId());
  await store.teams.update(teamId, { updatedAt: NOW }, entry);
  const filters = [
    {},
    { actions: ['application.updated'] },
    { actorId: userId },
    { subjectId: applicationId },
    { applicationId },
    { createdAfter: 1, createdBefore: NOW },
  ] as const;
  for (const filter of filters) await store.audit.list(teamId, filter, PAGE);
  await store.audit.list(teamId, {}, { ...PAGE, startingAfter: entry.id });
  await store.audit.removeOlder(1, 1);
  await store.changes.after(0);
  await store.changes.recordAll();
  await store.changes.prune();

  const key = { tenantId: applicationId, scope: 'exercise', key: `key ${entry.id}`, hash: 'hash' };
  await store.idempotency.put(store.idempotency.seal(key, '{}', NOW));
  await store.idempotency.get(key);
  await store.idempotency.deleteOlder(1, 1);
  store.tickets.redeem('exercise', store.tickets.issue('exercise', 'holder', NOW + 1), NOW);
}
