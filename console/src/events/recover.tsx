import { useState } from 'react';

import { apiTime, localInputTime } from '../messages/filter.ts';
import { Button } from '../ui/form/button.tsx';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { useRecoverEvents } from './deliveries.ts';

const HOUR_MS = 3_600_000;
const PRESETS = [
  ['1 hour', HOUR_MS],
  ['6 hours', 6 * HOUR_MS],
  ['24 hours', 24 * HOUR_MS],
  ['7 days', 7 * 24 * HOUR_MS],
] as const;

interface RecoverProps {
  application: number;
  open: boolean;
  onClose(): void;
}

/** Redelivers events that a receiver has lost. */
export function Recover(props: RecoverProps) {
  return props.open ? <RecoverForm {...props} /> : null;
}

function RecoverForm({ application, onClose }: RecoverProps) {
  const [since, setSince] = useState(() => localInputTime(Date.now() - HOUR_MS));
  const recover = useRecoverEvents(application);
  const submit = () => {
    const time = new Date(since).getTime();
    if (Number.isNaN(time)) return;
    recover.mutate(apiTime(time), {
      onSuccess: () => {
        toast.ok('Events queued for delivery');
        onClose();
      },
    });
  };
  return (
    <FormDialog
      onClose={onClose}
      title="Recover events"
      description="Resends all events since this time, in order and with their original ids, so that your receiver can skip duplicates. Undelivered events are never skipped."
      action="Resend events"
      busy={recover.isPending}
      onSubmit={submit}
    >
      <div className="flex flex-wrap gap-1.5">
        {PRESETS.map(([label, millis]) => (
          <Button
            key={label}
            size="sm"
            onClick={() => setSince(localInputTime(Date.now() - millis))}
          >
            {label} ago
          </Button>
        ))}
      </div>
      <TextField
        label="Since"
        help="In your local time."
        type="datetime-local"
        step={1}
        required
        value={since}
        onValue={setSince}
      />
      {recover.isError && <ProblemNotice error={recover.error} />}
    </FormDialog>
  );
}
