import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

import { api } from '../api/client.ts';
import { fieldError } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { Button } from '../ui/form/button.tsx';
import { Form } from '../ui/form/form.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { EmailField, NameField, NewPasswordField } from './account-fields.tsx';
import { sessionQuery, useSession } from './session.ts';
import { SignedOutFrame } from './sign-in-page.tsx';

const FORM_FIELDS = ['email', 'name', 'password'];

/** First page after a one-time link: set the credentials for later sign-ins. */
export function WelcomePage() {
  const { user } = useSession();
  const navigate = useNavigate();
  // The first user has a generated address, and a name derived from it.
  const isGenerated = user.email.endsWith('@localhost');
  const [name, setName] = useState(isGenerated ? '' : user.name);
  const [email, setEmail] = useState(isGenerated ? '' : user.email);
  const [password, setPassword] = useState('');
  const save = useMutation({
    mutationFn: () =>
      api.put(`/1/users/${user.id}`, {
        email: email.trim(),
        state: 'enable',
        password,
        ...(name.trim() !== '' && { name: name.trim() }),
      }),
    onSuccess: async () => {
      await queryClient.query({ ...sessionQuery, staleTime: 0 });
      await navigate({ to: '/app', replace: true });
    },
  });
  const hasOtherError =
    save.isError && FORM_FIELDS.every((field) => !fieldError(save.error, field));
  return (
    <SignedOutFrame title="Welcome">
      <p className="mt-1 text-pretty text-ink-soft">
        Set your email and password for future sign-ins. Then send your first message.
      </p>
      <Form data-testid="welcome" className="mt-4 grid gap-4" onSubmit={() => save.mutate()}>
        <NameField
          optional
          autoFocus
          value={name}
          error={fieldError(save.error, 'name')}
          onValue={setName}
        />
        <EmailField value={email} error={fieldError(save.error, 'email')} onValue={setEmail} />
        <NewPasswordField
          value={password}
          error={fieldError(save.error, 'password')}
          onValue={setPassword}
        />
        {hasOtherError && <ProblemNotice error={save.error} />}
        <Button type="submit" data-testid="save" look="primary" size="lg" busy={save.isPending}>
          Save and continue
        </Button>
      </Form>
    </SignedOutFrame>
  );
}
