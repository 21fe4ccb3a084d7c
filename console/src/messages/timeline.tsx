import { Hourglass, Inbox, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

import { sentence } from '../api/problem.ts';
import type { Attempt, MessageDetail, MessageState } from '../api/types.ts';
import { TONE_TEXT, type Tone } from '../ui/badge.tsx';
import { cn } from '../ui/cn.ts';
import { Time } from '../ui/time.tsx';
import { AttemptDetail, OUTCOMES } from './attempt.tsx';
import { STATES } from './state.tsx';

/** States that neither an attempt nor a timestamp of the message shows. */
const FINAL_STATES: ReadonlySet<MessageState> = new Set(['canceled', 'expired', 'uncertain']);

/** Reports of the channel, in the order in which they happen. */
const REPORTS = ['delivered', 'read'] as const;

const WAITING_TEXTS: Record<NonNullable<MessageDetail['waiting']>['reason'], string> = {
  disabled: 'Waiting: integration or application disabled',
  credentials: 'Waiting for valid credentials',
  unavailable: 'Waiting: operator action required',
  order: 'Waiting for earlier messages',
  rate_limit: 'Waiting: rate limited',
  processing: 'Waiting: the channel is processing the file',
  retry: 'Waiting for the next attempt',
};

export function Timeline({ message, attempts }: { message: MessageDetail; attempts: Attempt[] }) {
  const { state, waiting, error } = message;
  const isReportedFailure = state === 'failed' && attempts.at(-1)?.outcome === 'sent';
  const style = STATES[state];
  return (
    <ol className="relative grid gap-5">
      <Entry step="accepted" icon={Inbox} tone="neutral" title="Accepted" at={message.created_at}>
        Stored durably; the API returned 202.
      </Entry>
      {attempts.map((attempt) => {
        const { tone, icon, label } = OUTCOMES[attempt.outcome];
        return (
          <Entry
            key={attempt.number}
            step={attempt.outcome}
            icon={icon}
            tone={tone}
            title={label}
            at={attempt.started_at}
          >
            <AttemptDetail attempt={attempt} />
          </Entry>
        );
      })}
      {waiting !== null && (
        <Entry
          step={`waiting-${waiting.reason}`}
          icon={Hourglass}
          tone="warn"
          title={WAITING_TEXTS[waiting.reason]}
          at={waiting.until}
          isUntil
        >
          {sentence(waiting.detail)}
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
