import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CirclePause, CircleSlash, CircleX } from 'lucide-react';
import { useState } from 'react';

import { fieldError, sentence } from '../api/problem.ts';
import type { Webhook } from '../api/types.ts';
import { Badge, type BadgeStyle } from '../ui/badge.tsx';
import { Section } from '../ui/card.tsx';
import { Code } from '../ui/code.tsx';
import { Button } from '../ui/form/button.tsx';
import { Form } from '../ui/form/form.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { Segments } from '../ui/form/toggle.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { useApplicationId, useChangeApplication } from './application.ts';
import { LANGUAGES, type Language, VERIFY_SNIPPETS } from './verify-snippets.ts';
import { WebhookFailing } from './webhook-failing.tsx';
import { WebhookSecrets } from './webhook-secrets.tsx';
import { WebhookTester } from './webhook-tester.tsx';
import { useWebhookCall, webhookQuery } from './webhook.ts';

export function WebhookPage() {
  const application = useApplicationId();
  const { data: webhook, error, refetch } = useQuery(webhookQuery(application));
  if (error && !webhook) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  return (
    <div className="grid gap-4">
      <Section
        title="Endpoint"
        description="Receives every event as an HTTP POST, in order: incoming messages and state changes of your messages."
        actions={webhook && <WebhookState state={webhook.state} />}
      >
        {webhook ? (
          <Endpoint key={webhook.url} application={application} webhook={webhook} />
        ) : (
          <Skeleton className="h-24 w-full" />
        )}
      </Section>
      {webhook && webhook.url !== null && (
        <>
          <WebhookSecrets application={application} secrets={webhook.secrets} />
          <WebhookTester application={application} url={webhook.url} secrets={webhook.secrets} />
        </>
      )}
      {webhook && <VerifySignatures />}
    </div>
  );
}

const STATES: Record<Webhook['state'], BadgeStyle> = {
  enable: { tone: 'ok', icon: CircleCheck, label: 'Active' },
  failing: { tone: 'bad', icon: CircleX, label: 'Failing' },
  paused: { tone: 'bad', icon: CirclePause, label: 'Paused' },
  disable: { tone: 'neutral', icon: CircleSlash, label: 'Not set' },
};

function WebhookState({ state }: Pick<Webhook, 'state'>) {
  const { tone, icon, label } = STATES[state];
  return (
    <span data-testid="webhook-state" data-state={state} className="inline-flex">
      <Badge tone={tone} icon={icon}>
        {label}
      </Badge>
    </span>
  );
}

function Endpoint({ application, webhook }: { application: number; webhook: Webhook }) {
  const { url: savedUrl, state, reason, waiting } = webhook;
  const [url, setUrl] = useState(savedUrl ?? '');
  const change = useChangeApplication(application);
  const resume = useWebhookCall(application, 'resume');
  const { refetch } = useQuery(webhookQuery(application));
  const urlError = fieldError(change.error, 'webhook_url');
  const typed = url.trim() === '' ? null : url.trim();

  function save(webhook_url: string | null) {
    change.mutate(
      { webhook_url },
      {
        onSuccess: () => {
          void refetch();
          toast.ok(webhook_url === null ? 'Webhook removed' : 'Webhook saved');
        },
      },
    );
  }

  return (
    <Form
      className="grid gap-3"
      onSubmit={() => {
        if (typed !== savedUrl) save(typed);
      }}
    >
      {state === 'failing' && <WebhookFailing application={application} webhook={webhook} />}
      {state === 'paused' && (
        <Notice
          tone="bad"
          testId="paused"
          title="Webhook paused"
          actions={
            <Button
              data-testid="resume"
              size="sm"
              busy={resume.isPending}
              onClick={() => resume.mutate(undefined, { onError: toast.error })}
            >
              Resume webhook
            </Button>
          }
        >
          {reason === null ? '' : `${sentence(reason)} `}
          Fix the endpoint, send a test event, then resume. Waiting events are delivered in order.
        </Notice>
      )}
      <TextField
        label="URL"
        help="Must respond to a POST with 2xx within 15 seconds. Other responses are retried for five days."
        error={urlError}
        value={url}
        inputMode="url"
        spellCheck={false}
        placeholder="https://example.com/hooks/switchboard"
        inputClass="font-mono"
        onValue={setUrl}
      />
      {change.isError && urlError === undefined && <ProblemNotice error={change.error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          data-testid="save"
          look={savedUrl === null ? 'primary' : 'plain'}
          busy={change.isPending}
          disabled={typed === savedUrl}
        >
          Save webhook
        </Button>
        {savedUrl !== null && (
          <Button
            data-testid="remove"
            look="quiet"
            disabled={change.isPending}
            onClick={() => save(null)}
          >
            Remove webhook
          </Button>
        )}
        {savedUrl !== null && (
          <span className="ml-auto text-sm text-ink-faint">
            {waiting === 0
              ? 'All events delivered'
              : `${waiting.toLocaleString()} ${waiting === 1 ? 'event' : 'events'} waiting`}
          </span>
        )}
      </div>
    </Form>
  );
}

function VerifySignatures() {
  const [language, setLanguage] = useState<Language>('typescript');
  return (
    <Section
      title="Verify signatures"
      description="Anyone can post to your endpoint. The signature proves that an event comes from Switchboard; any Standard Webhooks library verifies it."
      actions={
        <Segments label="Language" value={language} options={LANGUAGES} onChange={setLanguage} />
      }
      flush
    >
      <Code
        language={language}
        text={VERIFY_SNIPPETS[language]}
        className="rounded-none border-0"
      />
    </Section>
  );
}
