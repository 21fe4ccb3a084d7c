import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { Policies } from '../api/types.ts';
import { useChangePolicies } from '../applications/application.ts';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Form } from '../ui/form/form.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { Checkbox } from '../ui/form/toggle.tsx';
import { toast } from '../ui/toast.tsx';
import { PolicySection } from './policy-section.tsx';

type ConsentPolicy = Policies['consent'];

/** How the application treats people who stopped messages. */
export function ConsentPolicies({ application }: { application: number }) {
  return (
    <PolicySection
      application={application}
      policy="consent"
      title="Consent"
      description="People stop messages by a reply such as STOP or the link in an email. Messages to them are not sent."
      renderForm={(saved) => <PolicyForm application={application} saved={saved} />}
    />
  );
}

const TEXTS = [
  { name: 'stop', label: 'Answer to STOP', pointer: 'consent/confirmation/stop' },
  { name: 'start', label: 'Answer to START', pointer: 'consent/confirmation/start' },
  { name: 'help', label: 'Answer to HELP', pointer: 'consent/help' },
] as const;

function PolicyForm({ application, saved }: { application: number; saved: ConsentPolicy }) {
  const [policy, setPolicy] = useState(saved);
  const [confirming, setConfirming] = useState(false);
  const change = useChangePolicies(application);
  const isChanged = JSON.stringify(policy) !== JSON.stringify(saved);
  const texts = { ...policy.confirmation, help: policy.help };
  const setText = (name: keyof typeof texts, text: string) => {
    const value = text === '' ? null : text;
    setPolicy(
      name === 'help'
        ? { ...policy, help: value }
        : { ...policy, confirmation: { ...policy.confirmation, [name]: value } },
    );
  };
  const save = async () => {
    await change.mutateAsync(policy);
    toast.ok('Consent policy saved');
  };
  // Sending to people who stopped all messages is forbidden in many places.
  const isRisky = policy.allow_transactional && !saved.allow_transactional;
  return (
    <Form
      className="grid gap-4"
      data-testid="consent-policy"
      onSubmit={() => {
        if (isRisky) setConfirming(true);
        else save().catch(toast.error);
      }}
    >
      <Checkbox
        label="Send marketing only with a granted consent (double opt-in)"
        checked={policy.double_opt_in}
        onChange={({ target }) => setPolicy({ ...policy, double_opt_in: target.checked })}
      />
      <Checkbox
        label="Send transactional and verification messages to people who stopped all messages"
        checked={policy.allow_transactional}
        onChange={({ target }) => setPolicy({ ...policy, allow_transactional: target.checked })}
      />
      {TEXTS.map(({ name, label, pointer }) => (
        <TextField
          key={name}
          label={label}
          help="Sent only on SMS channels whose vendor does not send its own answer. If empty, the default text in the language of the keyword is sent."
          error={fieldError(change.error, pointer)}
          value={texts[name] ?? ''}
          maxLength={480}
          onValue={(text) => setText(name, text)}
        />
      ))}
      <div>
        <Button
          type="submit"
          data-testid="save-consent-policy"
          busy={change.isPending}
          disabled={!isChanged}
        >
          Save policy
        </Button>
      </div>
      <Confirm
        open={confirming}
        onClose={() => setConfirming(false)}
        title="Send to people who stopped all messages?"
        action="Save policy"
        danger
        onConfirm={save}
      >
        Transactional and verification messages will reach people who replied STOP. Many countries
        forbid this. The audit log records the change.
      </Confirm>
    </Form>
  );
}
