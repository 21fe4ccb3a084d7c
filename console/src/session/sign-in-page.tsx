import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import { Logo } from '../frame/logo.tsx';
import { Button } from '../ui/form/button.tsx';
import { Form } from '../ui/form/form.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { useTitle } from '../ui/page.tsx';
import { type Credentials, afterSignIn, setupQuery, signIn } from './session.ts';

/** A narrow centered card, for people who are not signed in. */
export function SignedOutFrame({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-6 p-4">
      <Logo />
      <section className="w-full max-w-sm rounded-xl border border-line bg-surface p-6 shadow-raised">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {children}
      </section>
    </main>
  );
}

export function SignInPage() {
  const { next, ended, stale } = useSearch({ from: '/sign-in' });
  const { data: setup } = useQuery(setupQuery);
  const navigate = useNavigate();
  const enter = useMutation({
    mutationFn: signIn,
    onSuccess: () => navigate({ to: afterSignIn(next), replace: true }),
  });
  return (
    <SignedOutFrame title="Sign in">
      {ended && (
        <Notice testId="session-ended" className="mt-3" role="status">
          Your session has ended. Sign in to continue where you left off.
        </Notice>
      )}
      {stale && (
        <Notice
          testId="link-invalid"
          tone="warn"
          className="mt-3"
          role="alert"
          title="Invalid sign-in link"
        >
          A link works once, within 24 hours.
        </Notice>
      )}
      {setup?.password_set === false ? (
        <FirstSignIn />
      ) : (
        <>
          <PasswordForm busy={enter.isPending} onEnter={enter.mutate} />
          {enter.isError && <ProblemNotice error={enter.error} className="mt-4" />}
          <div className="mt-5 border-t border-line pt-4 text-sm text-ink-faint">
            <p>Forgot your password? Set a new one on the server:</p>
            <Commands command="user password EMAIL" />
          </div>
        </>
      )}
    </SignedOutFrame>
  );
}

/** Shown while no user has a password: only a link from the terminal signs in. */
function FirstSignIn() {
  return (
    <div data-testid="first-sign-in" className="mt-2 grid gap-4 text-sm text-pretty">
      <p className="text-ink-soft">
        Open the sign-in link that the service printed in its terminal at startup. Under systemd or
        Docker, the log names the file with the link. The link works once, within 24 hours. You then
        set a password.
      </p>
      <div className="border-t border-line pt-4 text-ink-faint">
        <p>Link used, expired or lost? Create a new one on the server:</p>
        <Commands command="sign-in-link" />
      </div>
    </div>
  );
}

/** The service's user owns the store. */
const DEBIAN =
  'sudo runuser -u switchboard -- env SWITCHBOARD_DATABASE=/var/lib/switchboard/switchboard.db switchboard';

/** A command as run in a checkout and in the installed packages. */
function Commands({ command }: { command: string }) {
  return (
    <dl className="mt-2 grid gap-2">
      {[
        ['In a checkout', 'npm run -s switchboard --'],
        ['Installed from npm', 'npx switchboard'],
        ['As an executable', './switchboard-linux-x64'],
        ['Docker container', 'docker exec -it switchboard switchboard'],
        ['Debian package', DEBIAN],
      ].map(([where, program]) => (
        <div key={where}>
          <dt className="text-xs">{where}</dt>
          <dd>
            <code className="font-mono text-xs wrap-anywhere text-ink-soft select-all">
              {program} {command}
            </code>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface PasswordFormProps {
  busy: boolean;
  onEnter(credentials: Credentials): void;
}

function PasswordForm({ busy, onEnter }: PasswordFormProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  return (
    <Form className="mt-4 grid gap-4" onSubmit={() => onEnter({ email, password })}>
      <TextField
        label="Email"
        type="text"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        autoFocus
        value={email}
        onValue={setEmail}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onValue={setPassword}
      />
      <Button type="submit" data-testid="sign-in" look="primary" size="lg" busy={busy}>
        Sign in
      </Button>
    </Form>
  );
}
