import type { ReactNode } from 'react';

import { sentence } from '../api/problem.ts';
import type { Channel, CheckAnswer } from '../api/types.ts';
import { Notice } from '../ui/notice.tsx';
import { labelsOf } from './fields.ts';

const LOOKS = {
  ok: { tone: 'ok', title: 'The channel knows us' },
  refused: { tone: 'bad', title: 'The channel refuses these credentials' },
  unreachable: { tone: 'warn', title: 'The channel cannot be reached' },
  incomplete: { tone: 'warn', title: 'Something is missing' },
  unknown: { tone: 'info', title: 'Nothing is missing' },
} as const;

export interface CheckNoticeProps {
  channel: Channel;
  check: CheckAnswer;
  actions?: ReactNode;
}

/** Result of a credential check. */
export function CheckNotice({ channel, check, actions }: CheckNoticeProps) {
  const { tone, title } = LOOKS[check.status];
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
        ? `${channel.title} needs ${missing.join(', ')} to send.`
        : sentence(check.detail)}
    </Notice>
  );
}
