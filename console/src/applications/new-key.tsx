import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { NewKey } from '../api/types.ts';
import { Code } from '../ui/code.tsx';
import { Copyable } from '../ui/form/copy.tsx';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { Secret } from '../ui/form/secret.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { useCreateKey } from './keys.ts';
import { LabelField } from './label-field.tsx';

interface NewKeyDialogProps {
  application: number;
  open: boolean;
  onClose(): void;
}

export function NewKeyDialog(props: NewKeyDialogProps) {
  return props.open ? <KeyForm {...props} /> : null;
}

function KeyForm({ application, onClose }: NewKeyDialogProps) {
  const [label, setLabel] = useState('');
  const create = useCreateKey(application);
  const created = create.data;
  const labelError = fieldError(create.error, 'label');
  return (
    <FormDialog
      onClose={onClose}
      width="md"
      title="New signing key"
      action="Create key"
      busy={create.isPending}
      onSubmit={() => create.mutate(label)}
      result={created && { title: 'Your signing key', content: <CreatedKey created={created} /> }}
    >
      <p className="text-pretty text-ink-soft">
        Your code signs tokens with the secret of the key (HS256) and sets the key id as{' '}
        <code className="font-mono text-xs">iss</code>. A key does not expire.
      </p>
      <LabelField value={label} error={labelError} onValue={setLabel} />
      {create.isError && labelError === undefined && <ProblemNotice error={create.error} />}
    </FormDialog>
  );
}

function CreatedKey({ created }: { created: NewKey }) {
  return (
    <>
      <Notice tone="warn" title="The secret is shown only once">
        Copy it now and store it safely. The key id is <Copyable text={String(created.id)} />
      </Notice>
      <Secret text={created.secret} label="Secret" open />
      <Code title="Sign a token" language="typescript" text={signSnippet(created.id)} />
    </>
  );
}

const signSnippet = (id: number) => `// npm install jose
import { SignJWT } from "jose";

const token = await new SignJWT()
  .setProtectedHeader({ alg: "HS256" })
  .setIssuer("${id}")
  .setIssuedAt()
  .setExpirationTime("5m")
  .sign(new TextEncoder().encode(process.env.SWITCHBOARD_KEY));
`;
