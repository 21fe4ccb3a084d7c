import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

import { ApiProblem, fieldError } from '../api/problem.ts';
import type { InvitationOffer } from '../api/types.ts';
import { EmailField, NameField, NewPasswordField } from '../session/account-fields.tsx';
import { signIn } from '../session/session.ts';
import { SignedOutFrame } from '../session/sign-in-page.tsx';
import { Button } from '../ui/form/button.tsx';
import { Form } from '../ui/form/form.tsx';
import { SkeletonRows } from '../ui/list/skeleton.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { linkClass } from '../ui/page.tsx';
import { acceptInvitation, offerQuery } from './queries.ts';

const FORM_FIELDS = ['name', 'email', 'password'];

/** Target of invitation links. The code is in the fragment, which browsers do not send, so no log contains it. */
export function InvitationPage() {
  const hash = useLocation({ select: (location) => location.hash });
  const code = new URLSearchParams(hash).get('code') ?? '';
  const offer = useQuery({ ...offerQuery(code), enabled: code !== '' });
  const isInvalid =
    code === '' ||
    (offer.error instanceof ApiProblem &&
      ['invitation_invalid', 'invalid_fields'].includes(offer.error.code ?? ''));
  return (
    <SignedOutFrame title={offer.data ? `Join ${offer.data.team}` : 'Invitation'}>
      {isInvalid ? (
        <InvalidLink />
      ) : offer.isError ? (
        <ProblemNotice error={offer.error} className="mt-4" onRetry={() => void offer.refetch()} />
      ) : offer.isPending ? (
        <div className="mt-4">
          <SkeletonRows count={4} />
        </div>
      ) : (
        <JoinForm code={code} offer={offer.data} />
      )}
    </SignedOutFrame>
  );
}

function InvalidLink() {
  return (
    <>
      <Notice
        testId="link-invalid"
        tone="warn"
        className="mt-4"
        role="alert"
        title="Invalid invitation link"
      >
        The link was used, revoked or copied incompletely, or it has expired. Ask for a new one.
      </Notice>
      <p className="mt-4 text-sm text-ink-soft">
        Already a member?{' '}
        <Link to="/sign-in" className={linkClass}>
          Sign in
        </Link>
      </p>
    </>
  );
}

function JoinForm({ code, offer }: { code: string; offer: InvitationOffer }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [email, setEmail] = useState(offer.email ?? '');
  const [password, setPassword] = useState('');
  const join = useMutation({
    mutationFn: async () => {
      const fields = { name: name.trim(), email: email.trim(), password };
      await acceptInvitation({ code, ...fields });
      await signIn({ email: fields.email, password });
    },
    onSuccess: () => navigate({ to: '/app', replace: true }),
  });
  const hasOtherError =
    join.isError && FORM_FIELDS.every((field) => !fieldError(join.error, field));
  return (
    <>
      <p className="mt-1 text-pretty wrap-anywhere text-ink-soft">
        {offer.invited_by === null ? 'You are invited' : `${offer.invited_by} invites you`} to join
        the team. Set your name, email and password.
      </p>
      <Form data-testid="join-form" className="mt-4 grid gap-4" onSubmit={() => join.mutate()}>
        <NameField
          autoFocus
          value={name}
          error={fieldError(join.error, 'name')}
          onValue={setName}
        />
        <EmailField value={email} error={fieldError(join.error, 'email')} onValue={setEmail} />
        <NewPasswordField
          value={password}
          error={fieldError(join.error, 'password')}
          onValue={setPassword}
        />
        {hasOtherError && <ProblemNotice error={join.error} />}
        <Button type="submit" data-testid="join" look="primary" size="lg" busy={join.isPending}>
          Join team
        </Button>
      </Form>
    </>
  );
}
