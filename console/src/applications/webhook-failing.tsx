import { Link } from '@tanstack/react-router';

import { sentence } from '../api/problem.ts';
import type { Webhook } from '../api/types.ts';
import { Notice } from '../ui/notice.tsx';
import { linkClass } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';

/** Shown length of a response body, in characters. */
const SHOWN_CHARACTERS = 200;

interface WebhookFailingProps {
  application: number;
  webhook: Webhook;
  className?: string;
}

export function WebhookFailing({ application, webhook, className }: WebhookFailingProps) {
  const { failing_since: since, last_answer: answer, blocking, reason, waiting } = webhook;
  const error = answer?.detail ?? reason;
  return (
    <Notice
      tone="bad"
      testId="failing"
      {...(className !== undefined && { className })}
      title={
        since === null ? (
          'Failing'
        ) : (
          <>
            Failing since <Time at={since} exact />
          </>
        )
      }
    >
      {error !== null && (
        <p>
          {sentence(error)}{' '}
          {answer && answer.body !== null && answer.body !== '' && (
            <code className="font-mono text-xs">{answer.body.slice(0, SHOWN_CHARACTERS)}</code>
          )}
        </p>
      )}
      <p>
        {waiting === 1 ? '1 event is waiting' : `${waiting.toLocaleString()} events are waiting`}
        {blocking && (
          <>
            {' '}
            for{' '}
            <Link
              to="/app/applications/$application/events/deliveries/$delivery"
              params={{ application: String(application), delivery: String(blocking.id) }}
              className={linkClass}
            >
              the delivery of event {blocking.event_id}
            </Link>
            {blocking.next_at !== null && (
              <>
                , next retry <Time at={blocking.next_at} />
              </>
            )}
          </>
        )}
        . No events are lost.
      </p>
    </Notice>
  );
}
