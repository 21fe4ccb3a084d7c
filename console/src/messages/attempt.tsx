import { Check, CircleHelp, CircleX, Clock, RotateCcw } from 'lucide-react';

import { sentence } from '../api/problem.ts';
import type { Attempt } from '../api/types.ts';
import { Badge, type BadgeStyle } from '../ui/badge.tsx';
import { Code } from '../ui/code.tsx';
import { formatDuration } from '../ui/time.tsx';

export const OUTCOMES: Record<Attempt['outcome'], BadgeStyle> = {
  sent: { tone: 'ok', icon: Check, label: 'Sent' },
  limited: { tone: 'warn', icon: Clock, label: 'Rate limited' },
  transient: { tone: 'warn', icon: RotateCcw, label: 'Failed, will retry' },
  uncertain: { tone: 'warn', icon: CircleHelp, label: 'Uncertain: response lost' },
  permanent: { tone: 'bad', icon: CircleX, label: 'Refused by the channel' },
};

/** Request and response of one attempt. Secrets were masked before they were stored. */
export function AttemptDetail({ attempt }: { attempt: Attempt }) {
  const { status, code, detail, part, duration_ms: millis, request, answer } = attempt;
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-1.5">
        {status !== null && (
          <Badge tone={OUTCOMES[attempt.outcome].tone}>
            <span className="sr-only">Status </span>
            {status}
          </Badge>
        )}
        {code !== null && code !== status && <Badge>{code}</Badge>}
        {part > 1 && <Badge>part {part}</Badge>}
        <span className="text-xs text-ink-faint">took {formatDuration(millis)}</span>
      </div>
      {detail !== null && <p className="text-sm wrap-anywhere text-ink-soft">{sentence(detail)}</p>}
      {(request !== null || answer !== null) && (
        <details className="group text-sm">
          <summary className="w-fit rounded-sm font-medium text-accent-text hover:underline">
            Request and response
          </summary>
          <div className="mt-2 grid gap-2">
            {request !== null && <Code title="Request" text={pretty(request)} language="json" />}
            {answer !== null && <Code title="Response" text={pretty(answer)} language="json" />}
          </div>
        </details>
      )}
    </div>
  );
}

/** Indents JSON; other text stays as it is. */
function pretty(text: string): string {
  const at = text.search(/[[{]/);
  if (at === -1) return text;
  try {
    return text.slice(0, at) + JSON.stringify(JSON.parse(text.slice(at)), null, 2);
  } catch {
    return text;
  }
}
