import { CircleCheck, CircleX, Send } from 'lucide-react';

import { sentence } from '../api/problem.ts';
import type { WebhookTest } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';
import { Section } from '../ui/card.tsx';
import { Code } from '../ui/code.tsx';
import { Button } from '../ui/form/button.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { formatDuration } from '../ui/time.tsx';
import { SignatureSteps } from './signature-steps.tsx';
import { useWebhookTest } from './webhook.ts';

interface WebhookTesterProps {
  application: number;
  url: string;
  secrets: readonly string[];
}

/** Sends a test event and shows the request and response. */
export function WebhookTester({ application, url, secrets }: WebhookTesterProps) {
  const test = useWebhookTest(application);
  return (
    <Section
      title="Test webhook"
      description="Sends a webhook.test event at once, ahead of waiting events, and shows the response."
      actions={
        <Button
          data-testid="send-test"
          look="primary"
          busy={test.isPending}
          onClick={() => test.mutate()}
        >
          <Send aria-hidden />
          Send test event
        </Button>
      }
    >
      {test.isError ? (
        <ProblemNotice error={test.error} />
      ) : test.data ? (
        <div className="grid gap-5">
          <Response test={test.data} />
          <Request url={url} test={test.data} />
          <SignatureSteps test={test.data} secrets={secrets} />
        </div>
      ) : (
        <p className="text-sm text-ink-faint">
          The test shows the request, its signature step by step, and the response.
        </p>
      )}
    </Section>
  );
}

function Response({ test }: { test: WebhookTest }) {
  const { outcome, status, detail, duration_ms, answer } = test;
  const isDelivered = outcome === 'sent';
  return (
    <section className="grid gap-2" aria-label="Response">
      <p
        className="flex flex-wrap items-center gap-2 text-sm font-medium"
        role="status"
        data-testid="test-result"
        data-outcome={outcome}
        data-status={status}
      >
        {isDelivered ? (
          <Badge tone="ok">
            <CircleCheck aria-hidden />
            Delivered
          </Badge>
        ) : (
          <Badge tone="bad">
            <CircleX aria-hidden />
            Failed
          </Badge>
        )}
        {status === null ? 'No response' : `Status ${status}`} after {formatDuration(duration_ms)}
      </p>
      {!isDelivered && (
        <p className="text-sm text-pretty text-ink-soft">
          {detail !== null && `${sentence(detail)} `}
          {outcome === 'permanent'
            ? 'Status 410 pauses the webhook.'
            : 'A real event is retried until it is delivered.'}
        </p>
      )}
      {answer !== null && answer !== '' && <Code title="Response body" text={answer} />}
    </section>
  );
}

function Request({ url, test: { headers, body } }: { url: string; test: WebhookTest }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return <Code title="Request" text={`POST ${url}\n${lines.join('\n')}\n\n${body}`} copy={body} />;
}
