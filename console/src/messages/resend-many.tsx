import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';

import type { MessageState, ResendPreview } from '../api/types.ts';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { ProgressBar } from '../ui/list/progress-bar.tsx';
import { Notice } from '../ui/notice.tsx';
import { linkClass } from '../ui/page.tsx';
import { type MessageFilter, isFiltered } from './filter.ts';
import {
  startResend,
  isFinished,
  jobsQuery,
  previewQuery,
  resendFilter,
  processedCount,
} from './jobs.ts';
import { STATES, StateBadge } from './state.tsx';

interface ResendManyProps {
  application: number;
  filter: MessageFilter;
}

const amount = ({ total, is_more: hasMore }: ResendPreview) =>
  `${total.toLocaleString()}${hasMore ? '+' : ''}`;

/** Resends all failed messages that match the filter. */
export function ResendMany({ application, filter }: ResendManyProps) {
  const navigate = useNavigate();
  const [confirming, setConfirming] = useState(false);
  const { data } = useQuery({
    ...previewQuery(application, filter),
    enabled: isFiltered(filter) && resendFilter(filter) !== undefined,
  });
  if (!data || data.total === 0) return null;
  const noun = data.total === 1 ? 'message' : 'messages';
  return (
    <>
      <Button data-testid="resend-many" data-count={data.total} onClick={() => setConfirming(true)}>
        <RotateCcw aria-hidden />
        Resend {amount(data)}
      </Button>
      <Confirm
        open={confirming}
        onClose={() => setConfirming(false)}
        title={`Resend ${amount(data)} ${noun}?`}
        action={`Resend ${amount(data)} ${noun}`}
        onConfirm={async () => {
          const job = await startResend(application, filter);
          await navigate({
            to: '/app/applications/$application/messages/jobs/$job',
            params: { application: String(application), job: String(job.id) },
          });
        }}
      >
        <Consequences preview={data} />
      </Confirm>
    </>
  );
}

function Consequences({ preview }: { preview: ResendPreview }) {
  const states = Object.entries(preview.states) as [MessageState, number][];
  return (
    <div className="grid gap-3">
      <ul className="grid gap-1.5">
        {states.map(([state, count]) => (
          <li key={state} className="flex items-center gap-2">
            <StateBadge state={state} />
            <span className="tabular">{count.toLocaleString()}</span>
          </li>
        ))}
      </ul>
      <p>
        The oldest messages go first, each behind other messages to its recipient. Parts that were
        already sent are not repeated. New messages are not affected.
      </p>
      <p>The resend runs in the background. You can stop it, but not undo it.</p>
      {preview.states['uncertain'] !== undefined && (
        <Notice tone="warn" title="Some messages may arrive twice">
          {STATES.uncertain.meaning}
        </Notice>
      )}
    </div>
  );
}

/** Resend jobs in progress, wherever they were started. */
export function RunningResends({ application }: { application: number }) {
  const { data = [] } = useQuery(jobsQuery(application));
  return data
    .filter((job) => !isFinished(job))
    .map((job) => (
      <Notice key={job.id} testId="resend-job" className="mb-3" title="Resending messages">
        <div className="mt-1.5 grid gap-1.5">
          <ProgressBar
            label="Resend progress"
            done={processedCount(job)}
            total={job.state === 'counting' ? undefined : job.total}
          />
          <p>
            {processedCount(job).toLocaleString()} of {job.total.toLocaleString()}.{' '}
            <Link
              to="/app/applications/$application/messages/jobs/$job"
              params={{ application: String(application), job: String(job.id) }}
              className={linkClass}
            >
              Show progress
            </Link>
          </p>
        </div>
      </Notice>
    ));
}
