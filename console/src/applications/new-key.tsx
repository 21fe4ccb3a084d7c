import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { Copyable } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { Secret } from '../ui/secret.tsx';
import { useCreateKey } from './keys.ts';

export interface NewKeyDialogProps {
  application: number;
  open: boolean;
  onClose(): void;
}

export function NewKeyDialog(props: NewKeyDialogProps) {
  return props.open ? <Making {...props} /> : null;
}

function Making({ application, onClose }: NewKeyDialogProps) {
  const create = useCreateKey(application);
  const made = create.data;
  return (
    <Dialog
      open
      onClose={onClose}
      width="md"
      title={made ? 'Your signing key' : 'New signing key'}
      actions={
        made ? (
          <Button key="done" look="primary" onClick={onClose}>
            I have copied it
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="primary" busy={create.isPending} onClick={() => create.mutate()}>
              Make the key
            </Button>
          </>
        )
      }
    >
      {made ? (
        <div className="grid gap-4">
          <Notice tone="warn" title="The secret is shown this once">
            Copy it now and keep it where your code finds it, and nobody else. The key has the id{' '}
            <Copyable text={String(made.id)} />.
          </Notice>
          <Secret text={made.secret} label="Secret" open />
          <Code title="How to sign with it" language="typescript" text={signing(made.id)} />
        </div>
      ) : (
        <div className="grid gap-3 text-pretty text-ink-soft">
          <p>
            Your code signs tokens with the secret of the key (HS256), with the id of the key as{' '}
            <code className="font-mono text-xs">iss</code>, and as short an end as you like. A key
            never ends by itself.
          </p>
          {create.isError && <ProblemNotice error={create.error} />}
        </div>
      )}
    </Dialog>
  );
}

const signing = (id: number) => `// npm install jose
import { SignJWT } from "jose";

const token = await new SignJWT()
  .setProtectedHeader({ alg: "HS256" })
  .setIssuer("${id}")
  .setIssuedAt()
  .setExpirationTime("5m")
  .sign(new TextEncoder().encode(process.env.SWITCHBOARD_KEY));
`;
