import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { Token } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { Code } from '../ui/code.tsx';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { Secret } from '../ui/form/secret.tsx';
import { SelectField } from '../ui/form/select-field.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { useCreateToken } from './keys.ts';
import { LabelField } from './label-field.tsx';

const LIFETIMES = [
  [1, '1 day'],
  [7, '7 days'],
  [30, '30 days'],
  [90, '90 days'],
  [365, '1 year'],
  [3650, '10 years'],
] as const;

interface NewTokenDialogProps {
  application: number;
  open: boolean;
  onClose(): void;
}

export function NewTokenDialog(props: NewTokenDialogProps) {
  return props.open ? <TokenForm {...props} /> : null;
}

function TokenForm({ application, onClose }: NewTokenDialogProps) {
  const { public_url: url } = useSession();
  const [days, setDays] = useState(90);
  const [label, setLabel] = useState('');
  const create = useCreateToken(application);
  const created = create.data;
  const labelError = fieldError(create.error, 'label');
  return (
    <FormDialog
      onClose={onClose}
      width="md"
      title="New token"
      action="Create token"
      busy={create.isPending}
      onSubmit={() => create.mutate({ days, label })}
      result={
        created && { title: 'Your token', content: <CreatedToken url={url} created={created} /> }
      }
    >
      <LabelField value={label} error={labelError} onValue={setLabel} />
      <SelectField
        label="Expires after"
        help="A short lifetime limits the damage if the token leaks. You can revoke it at any time."
        data-testid="lifetime"
        value={String(days)}
        onValue={(chosen) => setDays(Number(chosen))}
      >
        {LIFETIMES.map(([value, shown]) => (
          <option key={value} value={value}>
            {shown}
          </option>
        ))}
      </SelectField>
      {create.isError && labelError === undefined && <ProblemNotice error={create.error} />}
    </FormDialog>
  );
}

function CreatedToken({ url, created }: { url: string; created: Token }) {
  return (
    <>
      <Notice tone="warn" title="The token is shown only once">
        Copy it now and keep it like a password. It expires <Time at={created.expires_at} exact />.
      </Notice>
      <Secret text={created.token} label="Token" open />
      <Code
        title="Test the token"
        language="shell"
        text={testSnippet(url, '$SWITCHBOARD_TOKEN')}
        copy={testSnippet(url, created.token)}
      />
    </>
  );
}

const testSnippet = (url: string, token: string) =>
  `curl ${url}/1/applications/me -H "Authorization: Bearer ${token}"`;
