import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

import { ApiProblem, SessionEnded, sentence, errorText } from '../api/problem.ts';
import { cn } from './cn.ts';
import { Button } from './form/button.tsx';

const STYLES = {
  info: { icon: Info, box: 'border-line bg-sunken', text: 'text-ink-soft' },
  ok: { icon: CircleCheck, box: 'border-ok/30 bg-ok-soft', text: 'text-ok' },
  warn: { icon: TriangleAlert, box: 'border-warn/30 bg-warn-soft', text: 'text-warn' },
  bad: { icon: CircleAlert, box: 'border-bad/30 bg-bad-soft', text: 'text-bad' },
};

interface NoticeProps {
  tone?: keyof typeof STYLES;
  title?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  className?: string;
  role?: 'alert' | 'status';
  testId?: string;
  /** Code of the problem. */
  code?: string | undefined;
}

export function Notice(props: NoticeProps) {
  const { tone = 'info', title, children, actions, className, role, testId, code } = props;
  const { icon: Icon, box, text } = STYLES[tone];
  return (
    <div
      role={role}
      data-testid={testId}
      data-code={code}
      className={cn(
        'flex flex-wrap items-start gap-2.5 rounded-lg border px-3 py-2.5 text-sm',
        box,
        className,
      )}
    >
      <Icon className={cn('mt-0.5 size-4 shrink-0', text)} aria-hidden />
      <div className="min-w-0 flex-1 basis-48">
        {title !== undefined && <p className="font-medium text-ink">{title}</p>}
        {children !== undefined && (
          <div className="text-pretty wrap-anywhere text-ink-soft">{children}</div>
        )}
      </div>
      {actions}
    </div>
  );
}

interface ProblemNoticeProps {
  error: unknown;
  onRetry?: () => void;
  className?: string;
}

/** Shows an error in the service's words, with a retry button. */
export function ProblemNotice({ error, onRetry, className }: ProblemNoticeProps) {
  if (error instanceof SessionEnded) return null;
  const problem = error instanceof ApiProblem ? error : undefined;
  const details = problem?.errors.filter(({ detail }) => detail !== problem.message) ?? [];
  return (
    <Notice
      tone="bad"
      role="alert"
      code={problem?.code}
      title={problem?.title}
      {...(className !== undefined && { className })}
      actions={
        onRetry && (
          <Button size="sm" onClick={onRetry}>
            Retry
          </Button>
        )
      }
    >
      {errorText(error)}
      {details.length > 1 && (
        <ul className="mt-1 list-disc pl-4">
          {details.map(({ pointer, detail }) => (
            <li key={pointer + detail}>
              <code className="font-mono text-xs">{pointer}</code> {sentence(detail)}
            </li>
          ))}
        </ul>
      )}
      {problem?.status === 500 && problem.requestId !== undefined && (
        <>
          {' '}
          Request id in the log: <code className="font-mono text-xs">{problem.requestId}</code>
        </>
      )}
    </Notice>
  );
}
