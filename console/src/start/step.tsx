import { Check, Code } from 'lucide-react';
import type { ReactNode } from 'react';

import { cn } from '../ui/cn.ts';

interface StepProps {
  /** Undefined for an optional step, which is not counted. */
  number?: number;
  title: string;
  state: 'later' | 'now' | 'done';
  /** Shown beside the title when the step is done. */
  outcome?: ReactNode;
  children?: ReactNode;
  className?: string;
}

/** One step of the guided start. Later steps are visible but inactive. */
export function Step({ number, title, state, outcome, children, className }: StepProps) {
  return (
    <li
      data-state={state}
      aria-current={state === 'now' && number !== undefined ? 'step' : undefined}
      className={cn(
        'rounded-lg border border-line p-4',
        state === 'later' ? 'border-dashed' : 'bg-surface',
        className,
      )}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span
          aria-hidden
          className={cn(
            'flex size-6 shrink-0 items-center justify-center rounded-full text-xs font-semibold',
            state === 'done' && 'bg-ok-soft text-ok',
            state === 'now' &&
              (number === undefined ? 'bg-hover text-ink-soft' : 'bg-accent text-white'),
            state === 'later' && 'bg-hover text-ink-faint',
          )}
        >
          {state === 'done' ? (
            <Check className="size-3.5" />
          ) : (
            (number ?? <Code className="size-3.5" />)
          )}
        </span>
        <h2 className={cn('font-semibold', state === 'later' && 'text-ink-faint')}>
          {title}
          {state === 'done' && <span className="sr-only"> (done)</span>}
        </h2>
        {outcome !== undefined && state === 'done' && (
          <span className="ml-auto min-w-0 truncate text-sm text-ink-soft">{outcome}</span>
        )}
      </div>
      {state !== 'later' && Boolean(children) && <div className="mt-3 sm:pl-9">{children}</div>}
    </li>
  );
}
