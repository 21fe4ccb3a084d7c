import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { Channel, Integration, MessageOptions } from '../api/types.ts';
import { OptionFields } from '../options/option-fields.tsx';
import { isEmpty, isSame, knownValues } from '../options/option-values.ts';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Form } from '../ui/form/form.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { useChangeIntegration } from './queries.ts';

interface EditOptionsProps {
  application: number;
  integration: Integration;
  channel: Channel;
}

/** Edits the defaults of the channel's options. */
export function EditOptions({ application, integration, channel }: EditOptionsProps) {
  const [edited, setEdited] = useState<MessageOptions>();
  const change = useChangeIntegration(application, integration);
  const stored = integration.options ?? {};
  const values = edited ?? stored;
  const isChanged = !isSame(channel, values, stored);
  const save = () => {
    const options = knownValues(channel, values);
    change.mutate(
      { options: isEmpty(options) ? null : options },
      {
        onSuccess: () => {
          setEdited(undefined);
          toast.ok('Saved');
        },
      },
    );
  };
  return (
    <Section
      title="Default options"
      description="Apply to every message through this integration, unless the message overrides them."
      testId="default-options"
    >
      <Form noValidate className="grid gap-5" onSubmit={save}>
        <OptionFields
          channel={channel}
          values={values}
          onChange={(changed) => {
            setEdited(changed);
            change.reset();
          }}
          errorOf={(name) => fieldError(change.error, `options/${name}`)}
        />
        {change.isError && <ProblemNotice error={change.error} />}
        <div className="flex flex-wrap gap-2 border-t border-line pt-4">
          <Button
            type="submit"
            data-testid="save-options"
            look="primary"
            disabled={!isChanged}
            busy={change.isPending}
          >
            Save options
          </Button>
          {isChanged && (
            <Button data-testid="undo-options" look="quiet" onClick={() => setEdited(undefined)}>
              Discard changes
            </Button>
          )}
        </div>
      </Form>
    </Section>
  );
}
