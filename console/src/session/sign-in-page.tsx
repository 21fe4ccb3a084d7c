import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import { Logo } from '../frame/logo.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { useTitle } from '../ui/page.tsx';
import { type Credentials, afterSignIn, signIn } from './session.ts';

/** A narrow card in the middle of nothing, for those who are not in yet. */
export function DoorFrame({ title, children }: { title: string; children: ReactNode }) {
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
  const navigate = useNavigate();
  const enter = useMutation({
    mutationFn: signIn,
    onSuccess: () => navigate({ to: afterSignIn(next), replace: true }),
  });
  return (
    <DoorFrame title="Sign in">
      {ended && (
        <Notice className="mt-3" role="status">
          Your session has ended. Sign in again to go on where you were.
        </Notice>
      )}
      {stale && (
        <Notice tone="warn" className="mt-3" role="alert" title="This link does not work any more">
          It works once, within 24 hours. Sign in with your password; or start the service again,
          which prints a new link as long as there is no password.
        </Notice>
      )}
      <PasswordForm busy={enter.isPending} onEnter={enter.mutate} />
      {enter.isError && <ProblemNotice error={enter.error} className="mt-4" />}
      <p className="mt-5 border-t border-line pt-4 text-sm text-pretty text-ink-faint">
        Forgot the password? On the machine of the service,{' '}
        <code className="font-mono text-xs text-ink-soft">
          npm run -s switchboard -- user password EMAIL
        </code>{' '}
        sets a new one.
      </p>
    </DoorFrame>
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
    <form
      className="mt-4 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onEnter({ email, password });
      }}
    >
      <Field label="Email">
        {(control) => (
          <Input
            {...control}
            type="text"
            inputMode="email"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <Field label="Password">
        {(control) => (
          <Input
            {...control}
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" look="primary" size="lg" busy={busy}>
        Sign in
      </Button>
    </form>
  );
}
