import type { ReactNode } from 'react';

import { sentence } from '../api/problem.ts';
import type { Channel, CheckResult } from '../api/types.ts';
import { Notice } from '../ui/notice.tsx';
import { labelsOf } from './fields.ts';

const STYLES = {
  ok: { tone: 'ok', title: 'Credentials accepted' },
  refused: { tone: 'bad', title: 'Credentials refused' },
  unreachable: { tone: 'warn', title: 'Channel unreachable' },
  incomplete: { tone: 'warn', title: 'Credentials incomplete' },
  unknown: { tone: 'info', title: 'Not checked' },
} as const;

export interface CheckNoticeProps {
  channel: Channel;
  check: CheckResult;
  actions?: ReactNode;
}

/** Result of a credential check. */
export function CheckNotice({ channel, check, actions }: CheckNoticeProps) {
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
