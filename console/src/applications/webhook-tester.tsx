import { CircleCheck, CircleX, Send } from 'lucide-react';

import { sentence } from '../api/problem.ts';
import type { WebhookTrial } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';
import { Section } from '../ui/card.tsx';
import { Code } from '../ui/code.tsx';
import { Button } from '../ui/form/button.tsx';
import { duration } from '../ui/moment.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { SignatureSteps } from './signature-steps.tsx';
import { useWebhookTrial } from './webhook.ts';

export interface WebhookTesterProps {
  application: number;
  url: string;
  secrets: readonly string[];
}

/** Sends a test event and shows the request and response. */
export function WebhookTester({ application, url, secrets }: WebhookTesterProps) {
  const trial = useWebhookTrial(application);
  return (
    <Section
      title="Try it"
      description="Sends an event of type webhook.test at once, past all that waits, and shows what your endpoint answered."
      actions={
        <Button
          data-testid="send-test"
          look="primary"
          busy={trial.isPending}
          onClick={() => trial.mutate()}
        >
          <Send aria-hidden />
          Send a test event
        </Button>
      }
    >
      {trial.isError ? (
        <ProblemNotice error={trial.error} />
      ) : trial.data ? (
        <div className="grid gap-5">
          <Answer trial={trial.data} />
          <Request url={url} trial={trial.data} />
          <SignatureSteps trial={trial.data} secrets={secrets} />
        </div>
      ) : (
        <p className="text-sm text-ink-faint">
          You will see the request, how its signature is made step by step, and the answer.
        </p>
      )}
    </Section>
  );
}

function Answer({ trial }: { trial: WebhookTrial }) {
  const { outcome, status, detail, duration_ms, answer } = trial;
  const isTaken = outcome === 'sent';
  return (
    <section className="grid gap-2" aria-label="Answer">
      <p
        className="flex flex-wrap items-center gap-2 text-sm font-medium"
        role="status"
        data-testid="test-result"
        data-outcome={outcome}
        data-status={status}
      >
        {isTaken ? (
          <Badge tone="ok">
            <CircleCheck aria-hidden />
            Taken
          </Badge>
        ) : (
          <Badge tone="bad">
            <CircleX aria-hidden />
            Not taken
          </Badge>
        )}
        {status === null ? 'No answer' : `Answered ${status}`} after {duration(duration_ms)}
      </p>
      {!isTaken && (
        <p className="text-sm text-pretty text-ink-soft">
          {detail !== null && `${sentence(detail)} `}A real event would be tried again until it is
          taken{outcome === 'permanent' && ', but 410 pauses the webhook'}.
        </p>
      )}
      {answer !== null && answer !== '' && <Code title="Body of the answer" text={answer} />}
    </section>
  );
}

function Request({ url, trial: { headers, body } }: { url: string; trial: WebhookTrial }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <Code title="What was sent" text={`POST ${url}\n${lines.join('\n')}\n\n${body}`} copy={body} />
  );
}
