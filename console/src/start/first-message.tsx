import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { MessageState } from '../api/types.ts';
import { isSettled, messageQuery, sendMessage } from '../messages/queries.ts';
import { textTo } from '../messages/snippets.ts';
import { STATES, StateBadge } from '../messages/state.tsx';
import { Button } from '../ui/form/button.tsx';
import { Field } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { Input } from '../ui/form/input.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';

interface FirstMessageProps {
  application: number;
  integration: number;
  to: string;
  text: string;
  onText(text: string): void;
  onSent(id: number): void;
}

/** Sends a text to the recipient and shows its state. */
export function FirstMessage(props: FirstMessageProps) {
  const { application, integration, to, text, onText, onSent } = props;
  const [id, setId] = useState<number>();
  const send = useMutation({
    mutationFn: () => sendMessage(application, { message: textTo(integration, to, text) }),
    onSuccess: (accepted) => {
      setId(accepted.id);
      onSent(accepted.id);
    },
  });
  return (
    <Form className="grid gap-3" onSubmit={() => send.mutate()}>
      <Field label="Text">
        {(control) => (
          <div className="flex gap-2 max-sm:flex-col max-sm:items-start">
            <Input
              {...control}
              data-testid="text"
              value={text}
              required
              autoComplete="off"
              onChange={(event) => onText(event.target.value)}
            />
            <Button
              type="submit"
              data-testid="send"
              look="primary"
              busy={send.isPending}
              className="max-sm:h-10"
            >
              Send message
            </Button>
          </div>
        )}
      </Field>
      {send.isError && <ProblemNotice error={send.error} />}
      {id !== undefined && <Progress application={application} id={id} />}
    </Form>
  );
}

const DELIVERY_STATES: readonly MessageState[] = ['queued', 'sent', 'delivered', 'read'];

function Progress({ application, id }: { application: number; id: number }) {
  const { data: message } = useQuery({
    ...messageQuery(application, id),
    refetchInterval: ({ state: { data } }) => (data && isSettled(data.state) ? false : 400),
  });
  const state = message?.state ?? 'queued';
  const reachedIndex = DELIVERY_STATES.indexOf(state === 'sending' ? 'queued' : state);
  if (reachedIndex === -1) {
    return (
      <Notice tone="bad" title={`Message ${STATES[state].label.toLowerCase()}`} role="alert">
        {message?.error?.detail ?? message?.error?.title} {message?.error?.help}
      </Notice>
    );
  }
  return (
    <div role="status" className="flex flex-wrap items-center gap-1.5 text-sm text-ink-soft">
      <span className="mr-1">Message {id}</span>
      {DELIVERY_STATES.slice(0, reachedIndex + 1).map((each) => (
        <StateBadge key={each} state={each} />
      ))}
    </div>
  );
}
