import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { sessionCall } from '../api/token.ts';
import { NewPasswordField } from '../session/account-fields.tsx';
import { sessionQuery, useSession } from '../session/session.ts';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Form } from '../ui/form/form.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { Checkbox } from '../ui/form/toggle.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';

export function ChangePassword() {
  const { user } = useSession();
  const [old, setOld] = useState('');
  const [password, setPassword] = useState('');
  const [revokeKeys, setRevokeKeys] = useState(false);
  const change = useMutation({
    mutationFn: () =>
      sessionCall('PUT', '/password', {
        password,
        revoke_keys: revokeKeys,
        ...(user.has_password && { old_password: old }),
      }),
    onSuccess: async () => {
      setOld('');
      setPassword('');
      setRevokeKeys(false);
      toast.ok('Password changed');
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  const oldError = fieldError(change.error, 'old_password');
  const passwordError = fieldError(change.error, 'password');
  const isReady = password !== '' && (old !== '' || !user.has_password);
  return (
    <Section
      title="Password"
      description="Changing the password signs you out in all other browsers."
    >
      <Form className="grid max-w-md gap-4" onSubmit={() => change.mutate()}>
        {/* Hidden; tells password managers which account this password belongs to. */}
        <input
          className="sr-only"
          aria-hidden
          tabIndex={-1}
          autoComplete="username"
          value={user.email}
          readOnly
        />
        {user.has_password && (
          <TextField
            label="Current password"
            error={oldError}
            type="password"
            autoComplete="current-password"
            required
            value={old}
            onValue={setOld}
          />
        )}
        <NewPasswordField
          label="New password"
          value={password}
          error={passwordError}
          onValue={setPassword}
        />
        <Checkbox
          data-testid="revoke-keys"
          checked={revokeKeys}
          onChange={(event) => setRevokeKeys(event.target.checked)}
          label="Also revoke my API keys and tokens (recommended if someone else knows the password)"
        />
        {change.isError && passwordError === undefined && oldError === undefined && (
          <ProblemNotice error={change.error} />
        )}
        <div>
          <Button
            type="submit"
            data-testid="change-password"
            busy={change.isPending}
            disabled={!isReady}
          >
            Change password
          </Button>
        </div>
      </Form>
    </Section>
  );
}
