import { useState } from 'react';

import { fieldError } from '../../api/problem.ts';
import type { MessageDetail } from '../../api/types.ts';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { parseTime } from '../../ui/parse-time.ts';
import { toast } from '../../ui/toast.tsx';
import { localInputTime } from '../filter.ts';
import { useReschedule } from '../queries.ts';
import { type Zone, sendAtOf } from './send-at.ts';
import { ZoneField } from './zone-field.tsx';

/** Changes when a scheduled message leaves. */
export function Reschedule({
  application,
  message,
  onClose,
}: {
  application: number;
  message: MessageDetail;
  onClose(): void;
}) {
  const { id, send_at: sendAt } = message;
  const reschedule = useReschedule(application, id);
  const [value, setValue] = useState(() =>
    localInputTime(sendAt === undefined ? Date.now() : parseTime(sendAt)).slice(0, 16),
  );
  const [zone, setZone] = useState<Zone>('own');
  const at = sendAtOf(value, zone);
  const refusedZone = fieldError(reschedule.error, 'send_at/zone');
  const refused = refusedZone === undefined ? fieldError(reschedule.error, 'send_at') : undefined;
  return (
    <FormDialog
      title="Change time"
      action="Change time"
      busy={reschedule.isPending}
      onClose={onClose}
      onSubmit={() => {
        if (at === undefined) return;
        reschedule.mutate(at, {
          onSuccess: () => {
            toast.ok('Time changed');
            onClose();
          },
        });
      }}
    >
      {reschedule.isError && refused === undefined && refusedZone === undefined && (
        <ProblemNotice error={reschedule.error} />
      )}
      <TextField
        label="Send at"
        help="A time in the past sends the message now."
        error={at === undefined ? 'Enter a date and a time.' : refused}
        data-testid="send-at"
        type="datetime-local"
        required
        value={value}
        onValue={setValue}
      />
      <ZoneField value={zone} error={refusedZone} onChange={setZone} />
    </FormDialog>
  );
}
