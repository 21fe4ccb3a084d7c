import { Hourglass, Inbox, type LucideIcon } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';

import { sentence } from '../api/problem.ts';
import type { Attempt, MessageDetail, MessageState } from '../api/types.ts';
import { TONE_TEXT, type Tone } from '../ui/badge.tsx';
import { cn } from '../ui/cn.ts';
import { Time, formatDuration, useNow } from '../ui/time.tsx';
import { AttemptDetail, OUTCOMES } from './attempt.tsx';
import { STATES } from './state.tsx';
import { type Wait, causeText, currentWait, totalsOf, waitsOf } from './waiting-times.ts';

/** States that neither an attempt nor a timestamp of the message shows. */
const FINAL_STATES: ReadonlySet<MessageState> = new Set([
  'canceled',
  'expired',
  'suppressed',
  'uncertain',
]);

/** Reports of the channel, in the order in which they happen. */
const REPORTS = ['delivered', 'read'] as const;

const WAITING_TEXTS: Record<NonNullable<MessageDetail['waiting']>['reason'], string> = {
  schedule: 'Scheduled',
  quiet_hours: 'Waiting for the end of quiet hours',
  receipt: 'Waiting for a delivery report',
  disabled: 'Waiting: integration or application disabled',
  credentials: 'Waiting for valid credentials',
  unavailable: 'Waiting: operator action required',
  order: 'Waiting for earlier messages',
  rate_limit: 'Waiting: rate limited',
  processing: 'Waiting: the channel is processing the file',
  retry: 'Waiting for the next attempt',
};

const MAX_SHOWN_IN_SECONDS_MS = 120_000;

/** In seconds while that is easy to read: channels state their limits in seconds. */
const waitText = (millis: number) =>
  millis < MAX_SHOWN_IN_SECONDS_MS ? `${Math.round(millis / 1_000)} s` : formatDuration(millis);

interface TimelineProps {
  message: MessageDetail;
  attempts: readonly Attempt[];
  /** The title of the channel. */
  channel?: string;
}

export function Timeline({ message, attempts, channel = 'the channel' }: TimelineProps) {
  const { state, waiting, error } = message;
  const now = useNow();
  const waits = waitsOf(message, attempts);
  const waitBefore = new Map(waits.map((wait) => [wait.before, wait]));
  const isReportedFailure = state === 'failed' && attempts.at(-1)?.outcome === 'sent';
  const style = STATES[state];
  return (
    <>
      <WaitSummary waits={waits} channel={channel} />
      <ol className="relative grid gap-5">
        <Entry step="accepted" icon={Inbox} tone="neutral" title="Accepted" at={message.created_at}>
          Stored durably; the API returned 202.
        </Entry>
        {attempts.map((attempt) => {
          const { tone, icon, label } = OUTCOMES[attempt.outcome];
          const wait = waitBefore.get(attempt.number);
          return (
            <Fragment key={attempt.number}>
              {wait && (
                <Entry
                  step={`waited-${wait.cause}`}
                  icon={Hourglass}
                  tone="neutral"
                  title={`Waited ${waitText(wait.millis)} ${causeText(wait.cause, channel)}`}
                  at={null}
                />
              )}
              <Entry
                step={attempt.outcome}
                icon={icon}
                tone={tone}
                title={label}
                at={attempt.started_at}
              >
                <AttemptDetail attempt={attempt} />
              </Entry>
            </Fragment>
          );
        })}
        {waiting !== null && (
          <Entry
            step={`waiting-${waiting.reason}`}
            icon={state === 'scheduled' ? style.icon : Hourglass}
            tone={state === 'scheduled' ? 'neutral' : 'warn'}
            title={WAITING_TEXTS[waiting.reason]}
            at={waiting.until}
            isUntil
          >
            {state === 'scheduled' ? (
              <p>{sentence(waiting.detail)}</p>
            ) : (
              <p>
                {sentence(waiting.detail)} Waiting for{' '}
                <span className="tabular">{waitText(currentWait(message, attempts, now))}</span> so
                far.
              </p>
            )}
          </Entry>
        )}
        {REPORTS.map((report) => {
          const at = message[`${report}_at`];
          const { icon, tone, label, meaning } = STATES[report];
          return (
            at !== null && (
              <Entry key={report} step={report} icon={icon} tone={tone} title={label} at={at}>
                {meaning}
              </Entry>
            )
          );
        })}
        {(FINAL_STATES.has(state) || isReportedFailure) && (
          <Entry
            step={state}
            icon={style.icon}
            tone={style.tone}
            title={style.label}
            at={message.updated_at}
          >
            {sentence(error?.detail ?? style.meaning)}
          </Entry>
        )}
        {state === 'queued' && waiting === null && (
          <Entry step="queued" icon={style.icon} tone={style.tone} title="Sending soon" at={null} />
        )}
      </ol>
    </>
  );
}

interface WaitSummaryProps {
  waits: readonly Wait[];
  channel: string;
}

/** Total waiting time by cause. */
function WaitSummary({ waits, channel }: WaitSummaryProps) {
  const totals = totalsOf(waits);
  if (totals.length === 0) return null;
  const parts = totals.map(
    ({ cause, millis }) => `${waitText(millis)} ${causeText(cause, channel)}`,
  );
  return (
    <p
      data-testid="waited"
      className="mb-4 flex items-start gap-2 rounded-md bg-sunken px-3 py-2 text-sm text-ink-soft"
    >
      <Hourglass className="mt-0.5 size-4 shrink-0 text-ink-faint" aria-hidden />
      <span className="text-pretty tabular">Waited {parts.join(', ')}</span>
    </p>
  );
}

interface EntryProps {
  /** For tests; not shown. */
  step: string;
  icon: LucideIcon;
  tone: Tone;
  title: string;
  at: string | null;
  /** `at` is the time when it ends. */
  isUntil?: true;
  children?: ReactNode;
}

function Entry({ step, icon: Icon, tone, title, at, isUntil, children }: EntryProps) {
  return (
    <li
      data-step={step}
      className="relative flex gap-3 before:absolute before:top-7 before:-bottom-4 before:left-3 before:w-px before:bg-line last:before:hidden"
    >
      <span
        className={cn(
          'flex size-6 shrink-0 items-center justify-center rounded-full border border-line bg-surface',
          TONE_TEXT[tone],
        )}
      >
        <Icon className="size-3.5" aria-hidden />
      </span>
      <div className="min-w-0 flex-1 pt-0.5">
        <div className="flex flex-wrap items-baseline justify-between gap-x-3">
          <h3 className="text-sm font-medium">{title}</h3>
          {at !== null && (
            <span className="text-xs text-ink-faint tabular">
              {isUntil && 'until '}
              <Time at={at} exact />
            </span>
          )}
        </div>
        {children !== undefined && (
          <div className="mt-1 text-sm wrap-anywhere text-ink-soft">{children}</div>
        )}
      </div>
    </li>
  );
}
