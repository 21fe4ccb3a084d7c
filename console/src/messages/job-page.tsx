import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Ban, Check, CircleX, ScrollText, Send, Sigma } from 'lucide-react';
import { useState } from 'react';

import { isNotFound } from '../api/problem.ts';
import type { Job } from '../api/types.ts';
import { NotFoundPage } from '../frame/not-found-page.tsx';
import { Badge, type BadgeStyle } from '../ui/badge.tsx';
import { Fact, Facts, Section } from '../ui/card.tsx';
import { Json } from '../ui/code.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { ProgressBar } from '../ui/list/progress-bar.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { isFinished, jobQuery, processedCount, useCancelJob } from './jobs.ts';

const STYLES: Record<Job['state'], BadgeStyle> = {
  counting: { tone: 'busy', icon: Sigma, label: 'Counting' },
  running: { tone: 'busy', icon: Send, label: 'Running' },
  done: { tone: 'ok', icon: Check, label: 'Done' },
  canceled: { tone: 'neutral', icon: Ban, label: 'Stopped' },
};

/** Progress of a bulk resend. */
export function JobPage() {
  const params = useParams({ from: '/app/framed/applications/$application/messages/jobs/$job' });
  const application = Number(params.application);
  const { data, isLoadingError, error, refetch } = useQuery(
    jobQuery(application, Number(params.job)),
  );
  if (isNotFound(error)) return <NotFoundPage />;
  return (
    <Page
      name={`Resend ${params.job}`}
      crumb={
        <Link
          to="/app/applications/$application/messages"
          params={{ application: params.application }}
        >
          Messages
        </Link>
      }
      title={
        <span className="flex flex-wrap items-center gap-3">
          Resend {params.job}
          {data ? <JobState job={data} /> : <Skeleton className="w-20" />}
        </span>
      }
      actions={data && <Actions application={application} job={data} />}
    >
      {isLoadingError && (
        <ProblemNotice error={error} onRetry={() => void refetch()} className="mb-4" />
      )}
      {data ? (
        <div className="grid gap-4">
          <Progress job={data} />
          <Section title="Filter" description="In the format of the API.">
            <Json value={data.filter} />
          </Section>
        </div>
      ) : (
        !error && <Skeleton className="h-60 rounded-lg" />
      )}
    </Page>
  );
}

function JobState({ job }: { job: Job }) {
  const { tone, icon, label } = STYLES[job.state];
  return (
    <Badge tone={tone} state={job.state} icon={icon}>
      {label}
    </Badge>
  );
}

function Progress({ job }: { job: Job }) {
  const { total, done, skipped, state } = job;
  const isCounting = state === 'counting';
  const processed = processedCount(job).toLocaleString();
  return (
    <Section
      title={
        isCounting
          ? `${total.toLocaleString()} messages counted`
          : `${processed} of ${total.toLocaleString()} messages`
      }
      description={
        isFinished(job)
          ? total === 0
            ? 'Finished. No message matched the filter.'
            : 'Finished. Queued messages are now sent as usual.'
          : 'Continues in the background, also after a restart of the service.'
      }
    >
      <div className="grid gap-4">
        <ProgressBar
          label="Resend progress"
          done={processedCount(job)}
          total={isCounting ? undefined : total}
        />
        <Facts>
          <Fact name="Queued">{done.toLocaleString()}</Fact>
          {skipped.no_integration > 0 && (
            <Fact name="Skipped">
              {skipped.no_integration.toLocaleString()}, because their integration was deleted
            </Fact>
          )}
          {skipped.changed > 0 && (
            <Fact name="Skipped">
              {skipped.changed.toLocaleString()}, because their state changed in the meantime
            </Fact>
          )}
          <Fact name="Started">
            <Time at={job.created_at} exact />
          </Fact>
          {job.finished_at !== null && (
            <Fact name="Finished">
              <Time at={job.finished_at} exact />
            </Fact>
          )}
        </Facts>
      </div>
    </Section>
  );
}

function Actions({ application, job }: { application: number; job: Job }) {
  const [confirming, setConfirming] = useState(false);
  const cancel = useCancelJob(application, job.id);
  return (
    <>
      <Button asChild>
        <Link
          to="/app/applications/$application/messages"
          params={{ application: String(application) }}
          search={{ state: 'queued,sending' }}
        >
          <ScrollText aria-hidden />
          Show queued messages
        </Link>
      </Button>
      {!isFinished(job) && (
        <Button data-testid="stop" onClick={() => setConfirming(true)}>
          <CircleX aria-hidden />
          Stop resend
        </Button>
      )}
      <Confirm
        open={confirming}
        onClose={() => setConfirming(false)}
        title="Stop resend?"
        action="Stop resend"
        danger
        onConfirm={() => cancel.mutateAsync()}
      >
        Messages that are already queued are still sent. The others stay unchanged.
      </Confirm>
    </>
  );
}
