import { Audit, aboutUser } from '../../http/audit.ts';
import { DisplayName } from '../../http/openapi/schemas.ts';
import { hashPassword } from '../../lib/crypto/password.ts';
import { systemClock } from '../../lib/runtime/clock.ts';
import { PASSWORD_LENGTH, type User, isEmail, normalizeEmail } from '../../model/account.ts';
import { type AuditAction, type FieldChange, hidden, visible } from '../../model/audit.ts';
import { NO_ID, parseId } from '../../model/id.ts';
import type { State } from '../../model/state.ts';
import { timestamp } from '../../model/timestamp.ts';
import { Conflict } from '../../store/faults.ts';
import type { Store } from '../../store/store.ts';
import { CliError, EXIT } from '../exit.ts';
import { print, printTable, readSecret } from '../print.ts';
import { checkText } from './check-text.ts';
import { withStore } from './with-store.ts';

export async function addUser(
  email: string,
  options: { name?: string; team?: string; passwordStdin?: true },
): Promise<void> {
  const address = checkEmail(email);
  if (options.name !== undefined) checkText('--name', options.name, DisplayName);
  const password = options.passwordStdin ? await hashPassword(await readPassword()) : null;
  await withStore(async (store) => {
    const teamId = await findTeam(store, options.team);
    const now = systemClock.now();
    const user: User = {
      id: await store.nextId(),
      teamId,
      name: options.name ?? address.slice(0, address.indexOf('@')),
      email: address,
      password,
      state: 'enable',
      createdAt: now,
      updatedAt: now,
    };
    const set = visible('email', null, address);
    const entry = await auditEntry(store, user, 'user.created', set);
    await store.users.insert(user, undefined, entry).catch((error: unknown) => {
      throw error instanceof Conflict ? new CliError(`${address} is already a user`) : error;
    });
    print(`Added ${address} as user ${user.id} to team ${teamId}.`);
  });
}

export async function listUsers({ json = false }: { json?: boolean }): Promise<void> {
  await withStore(async (store) => {
    const users = await store.users.all();
    printTable(
      users.map(({ id, teamId, email, name, state, createdAt }) => ({
        id,
        team: teamId,
        email,
        name,
        state,
        created: timestamp(createdAt),
      })),
      json,
    );
  });
}

export async function setPassword(email: string): Promise<void> {
  const password = await hashPassword(await readPassword());
  await change(email, async (store, user) => {
    const entry = await auditEntry(store, user, 'user.updated', hidden('password', true));
    await store.users.update(user.id, { password, updatedAt: systemClock.now() }, NO_ID, entry);
    print(`Changed the password of ${user.email} and ended earlier sign-ins.`);
  });
}

export async function setState(email: string, state: State): Promise<void> {
  await change(email, async (store, user) => {
    const entry = await auditEntry(
      store,
      user,
      'user.updated',
      visible('state', user.state, state),
    );
    await store.users.update(user.id, { state, updatedAt: systemClock.now() }, NO_ID, entry);
    print(`${user.email} ${state}d.`);
  });
}

async function change(
  email: string,
  apply: (store: Store, user: User) => Promise<void>,
): Promise<void> {
  await withStore(async (store) => {
    const user = await store.users.byEmail(normalizeEmail(email));
    if (!user) throw new CliError(`unknown user ${email}; "user list" shows all`, EXIT.notFound);
    await apply(store, user);
  });
}

/** Audit entry for a change by the operator. */
function auditEntry(
  store: Store,
  user: User,
  action: AuditAction,
  changes: readonly FieldChange[],
) {
  const audit = new Audit(store, systemClock);
  return audit.update({ kind: 'operator', teamId: user.teamId }, action, aboutUser(user), changes);
}

async function findTeam(store: Store, id: string | undefined): Promise<number> {
  const team =
    id === undefined ? (await store.teams.all())[0] : await store.teams.get(parseId(id) ?? 0);
  if (team) return team.id;
  throw new CliError(
    id === undefined
      ? 'no team yet; run "init" first'
      : `unknown team ${id}; "team list" shows all`,
    EXIT.notFound,
  );
}

async function readPassword(): Promise<string> {
  const password = await readSecret('Password');
  const { min, max } = PASSWORD_LENGTH;
  if (password.length >= min && password.length <= max) return password;
  throw new CliError(`a password needs ${min} to ${max} characters`, EXIT.usage);
}

export function checkEmail(email: string): string {
  const address = normalizeEmail(email);
  if (isEmail(address)) return address;
  throw new CliError(`"${email}" is not an email address`, EXIT.usage);
}
