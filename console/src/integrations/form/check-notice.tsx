import { LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';

import { sentence } from '../../api/problem.ts';
import type { Channel, CheckResult } from '../../api/types.ts';
import { Notice } from '../../ui/notice.tsx';
import { labelsOf } from './fields.ts';

const STYLES = {
  ok: { tone: 'ok', title: 'Credentials accepted' },
  refused: { tone: 'bad', title: 'Credentials refused' },
  unreachable: { tone: 'warn', title: 'Channel unreachable' },
  incomplete: { tone: 'warn', title: 'Credentials incomplete' },
  unknown: { tone: 'info', title: 'Not checked' },
} as const;

interface CheckNoticeProps {
  channel: Channel;
  check: CheckResult;
  actions?: ReactNode;
}

/** Result of a credential check. */
function CheckNotice({ channel, check, actions }: CheckNoticeProps) {
  const { tone, title } = STYLES[check.status];
  const missing = labelsOf(channel, check.missing);
  return (
    <Notice
      tone={tone}
      title={title}
      role="status"
      testId="check-result"
      code={check.status}
      actions={actions}
    >
      {missing.length > 0
        ? `To send, ${channel.title} requires: ${missing.join(', ')}.`
        : sentence(check.detail)}
    </Notice>
  );
}

interface CheckStatusProps {
  channel: Channel;
  isChecking: boolean;
  result: CheckResult | undefined;
  actions?: ReactNode;
}

/** The check of the credentials: not started, in progress, or its result. */
export function CheckStatus({ channel, isChecking, result, actions }: CheckStatusProps) {
  if (isChecking) {
    return (
      <p
        role="status"
        data-testid="checking"
        className="flex items-center gap-2 text-sm text-ink-soft"
      >
        <LoaderCircle className="size-4 shrink-0 animate-spin" aria-hidden />
        Checking with {channel.title}…
      </p>
    );
  }
  return result && <CheckNotice channel={channel} check={result} actions={actions} />;
}
