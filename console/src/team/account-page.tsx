import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

import { api } from '../api/client.ts';
import { fieldError } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { EmailField, NameField } from '../session/account-fields.tsx';
import { sessionQuery, signOut, useSession } from '../session/session.ts';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Form } from '../ui/form/form.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { ChangePassword } from './change-password.tsx';

export function AccountPage() {
  return (
    <Page title="Account" description="Your name, email and password.">
      <div className="grid gap-4">
        <Profile />
        <ChangePassword />
        <SignOutEverywhere />
      </div>
    </Page>
  );
}

function useChangeAccount() {
  const { user } = useSession();
  return useMutation({
    mutationFn: (change: { name?: string; email?: string }) =>
      api.put(`/1/users/${user.id}`, { email: user.email, state: 'enable', ...change }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
}

function Profile() {
  const { user } = useSession();
  const [name, setName] = useState(user.name);
  const [email, setEmail] = useState(user.email);
  const change = useChangeAccount();
  const [nameError, emailError] = [
    fieldError(change.error, 'name'),
    fieldError(change.error, 'email'),
  ];
  const isChanged = name.trim() !== user.name || email.trim() !== user.email;
  return (
    <Section title="Profile">
      <Form
        className="grid max-w-md gap-4"
        onSubmit={() =>
          change.mutate(
            { name: name.trim(), email: email.trim() },
            { onSuccess: () => toast.ok('Account saved') },
          )
        }
      >
        <NameField label="Name" value={name} error={nameError} onValue={setName} />
        <EmailField value={email} error={emailError} onValue={setEmail} />
        {change.isError && nameError === undefined && emailError === undefined && (
          <ProblemNotice error={change.error} />
        )}
        <div>
          <Button type="submit" data-testid="save" busy={change.isPending} disabled={!isChanged}>
            Save changes
          </Button>
        </div>
      </Form>
    </Section>
  );
}

function SignOutEverywhere() {
  const [confirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  return (
    <>
      <Section
        title="Sign out everywhere"
        description="Ends your sessions in all browsers, including this one, and tokens obtained with your password."
        actions={
          <Button data-testid="end-sessions" look="dangerQuiet" onClick={() => setConfirming(true)}>
            Sign out everywhere
          </Button>
        }
      />
      <Confirm
        open={confirming}
        onClose={() => setConfirming(false)}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        danger
        onConfirm={async () => {
          await signOut(true);
          await navigate({ to: '/sign-in' });
        }}
      >
        You have to sign in again. Application keys keep working.
      </Confirm>
    </>
  );
}
