import { readConfig } from '../../config.ts';
import { Audit, aboutUser } from '../../http/audit.ts';
import { SignIn } from '../../http/auth/sign-in.ts';
import { listenUrl } from '../../lib/net/listen-url.ts';
import { systemClock } from '../../lib/runtime/clock.ts';
import { normalizeEmail } from '../../model/account.ts';
import { ensureFirstUser } from '../../setup.ts';
import { CliError, EXIT } from '../exit.ts';
import { print } from '../print.ts';
import { withStore } from './with-store.ts';

interface SignInLinkOptions {
  user?: string;
  url?: string;
}

export async function signInLink({ user: email, url }: SignInLinkOptions): Promise<void> {
  const base = consoleUrl(url);
  await withStore(async (store) => {
    const user =
      email === undefined
        ? (await ensureFirstUser(store)).user
        : await store.users.byEmail(normalizeEmail(email));
    if (!user) {
      throw new CliError(`unknown user ${email}; "user list" shows all`, EXIT.notFound);
    }
    if (user.state !== 'enable') {
      throw new CliError(`${user.email} is disabled; run "user enable ${user.email}"`);
    }
    const operator = { kind: 'operator', teamId: user.teamId } as const;
    const audit = new Audit(store, systemClock);
    const entry = await audit.entry(operator, 'session.link_created', aboutUser(user));
    const code = await new SignIn(store, systemClock).createLink(user.id, entry);
    print(`${base}/sign-in#code=${code}`);
  });
}

function consoleUrl(given: string | undefined): string {
  if (given !== undefined) {
    if (!/^https?:\/\//.test(given) || !URL.canParse(given)) {
      throw new CliError('--url: expected an http or https URL', EXIT.usage);
    }
    return given.replace(/\/+$/, '');
  }
  const { publicUrl, host, port } = readConfig(process.env);
  if (publicUrl !== undefined) return publicUrl;
  if (port !== 0) return listenUrl(host, port);
  throw new CliError('SWITCHBOARD_PORT is 0; give the URL of the console with --url', EXIT.usage);
}
