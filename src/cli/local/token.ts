import { Audit, aboutKey } from '../../http/audit.ts';
import { Tokens } from '../../http/auth/tokens.ts';
import { KeyLabel } from '../../http/openapi/schemas.ts';
import { systemClock } from '../../lib/runtime/clock.ts';
import { normalizeEmail } from '../../model/account.ts';
import { parseId } from '../../model/id.ts';
import { ensureFirstUser } from '../../setup.ts';
import type { Store } from '../../store/store.ts';
import { CliError, EXIT } from '../exit.ts';
import { print } from '../print.ts';
import { checkText } from './check-text.ts';
import { withStore } from './with-store.ts';

interface TokenOptions {
  user?: string;
  application?: string;
  days: number;
  label?: string;
}

export async function token(options: TokenOptions): Promise<void> {
  print(await mintToken(options));
}

/** Creates a token without a server. */
export function mintToken(options: TokenOptions): Promise<string> {
  if (options.user !== undefined && options.application !== undefined) {
    throw new CliError('give either --user or --application', EXIT.usage);
  }
  if (options.label !== undefined) checkText('--label', options.label, KeyLabel);
  return withStore(async (store) => {
    const { kind, id, teamId } = await findOwner(store, options);
    const tokens = new Tokens(store, systemClock);
    const seconds = options.days * 24 * 60 * 60;
    const minted = await tokens.mint(kind, id, teamId, 'minted', seconds, {
      createdBy: null,
      label: options.label ?? null,
    });
    const audit = new Audit(store, systemClock);
    const resource = aboutKey(minted.key);
    const entry = await audit.entry({ kind: 'operator', teamId }, 'token.created', resource);
    await store.keys.insert(minted.key, undefined, entry);
    return minted.token;
  });
}

async function findOwner(store: Store, { user: email, application: id }: TokenOptions) {
  if (id !== undefined) {
    const application = await store.applications.get(parseId(id) ?? 0);
    if (!application) throw new CliError(`unknown application ${id}`, EXIT.notFound);
    return { kind: 'application', id: application.id, teamId: application.teamId } as const;
  }
  const user =
    email === undefined
      ? (await ensureFirstUser(store)).user
      : await store.users.byEmail(normalizeEmail(email));
  if (!user) throw new CliError(`unknown user ${email}; "user list" shows all`, EXIT.notFound);
  return { kind: 'user', id: user.id, teamId: user.teamId } as const;
}
