import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { NewInvitation } from '../api/types.ts';
import { CopyButton } from '../ui/form/copy.tsx';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { Input } from '../ui/form/input.tsx';
import { SelectField } from '../ui/form/select-field.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { useInvite } from './queries.ts';

const LIFETIME_DAYS = [1, 3, 7, 14, 30];

interface InviteDialogProps {
  open: boolean;
  onClose(): void;
}

export function InviteDialog(props: InviteDialogProps) {
  return props.open ? <InviteForm {...props} /> : null;
}

function InviteForm({ onClose }: InviteDialogProps) {
  const invite = useInvite();
  const [email, setEmail] = useState('');
  const [days, setDays] = useState(7);
  const created = invite.data;
  const emailError = fieldError(invite.error, 'email');
  return (
    <FormDialog
      onClose={onClose}
      width="md"
      title="Invite member"
      action="Create link"
      busy={invite.isPending}
      onSubmit={() => {
        const address = email.trim();
        invite.mutate({ days, ...(address !== '' && { email: address }) });
      }}
      result={
        created && { title: 'Your invitation', content: <CreatedInvitation invitation={created} /> }
      }
    >
      <p className="text-pretty text-ink-soft">
        Create a link and share it. The person who opens it becomes a member, who can see and manage
        all applications of the team.
      </p>
      <TextField
        label="Email"
        optional
        help="For your reference. No email is sent."
        error={emailError}
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        value={email}
        onValue={setEmail}
      />
      <SelectField
        label="Expires after"
        value={String(days)}
        onValue={(chosen) => setDays(Number(chosen))}
      >
        {LIFETIME_DAYS.map((each) => (
          <option key={each} value={each}>
            {each === 1 ? '1 day' : `${each} days`}
          </option>
        ))}
      </SelectField>
      {invite.isError && emailError === undefined && <ProblemNotice error={invite.error} />}
    </FormDialog>
  );
}

function CreatedInvitation({ invitation: { url, expires_at } }: { invitation: NewInvitation }) {
  return (
    <>
      <Notice tone="warn" title="The link is shown only once">
        Share it over a channel you trust: the first person to open it joins the team. It expires{' '}
        <Time at={expires_at} />.
      </Notice>
      <div className="flex flex-wrap items-center gap-2">
        <Input
          data-testid="link"
          aria-label="Link"
          readOnly
          value={url}
          className="min-w-0 flex-1 basis-56 font-mono text-xs"
          onFocus={(event) => event.target.select()}
        />
        <CopyButton text={url} label="Copy link" labeled autoFocus />
      </div>
    </>
  );
}
