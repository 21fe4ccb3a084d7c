import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { Integration } from '../api/types.ts';
import { LabelField } from '../applications/label-field.tsx';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { useChangeIntegration } from './queries.ts';

export const LABEL_HELP = 'How this console names the integration, such as “Support bot”.';

interface RenameProps {
  application: number;
  integration: Integration;
  onClose(): void;
}

/** Changes or clears the label of an integration. */
export function Rename({ application, integration, onClose }: RenameProps) {
  const [label, setLabel] = useState(integration.label ?? '');
  const change = useChangeIntegration(application, integration);
  const labelError = fieldError(change.error, 'label');
  return (
    <FormDialog
      onClose={onClose}
      title="Rename integration"
      action="Save label"
      busy={change.isPending}
      onSubmit={() =>
        change.mutate(
          { label: label.trim() || null },
          {
            onSuccess: () => {
              toast.ok('Saved');
              onClose();
            },
          },
        )
      }
    >
      <LabelField
        value={label}
        error={labelError}
        onValue={setLabel}
        help={
          integration.account === undefined
            ? LABEL_HELP
            : `${LABEL_HELP} Without a label, it is ${integration.account}.`
        }
      />
      {change.isError && labelError === undefined && <ProblemNotice error={change.error} />}
    </FormDialog>
  );
}
