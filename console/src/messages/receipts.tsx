import type { MessageDetail } from '../api/types.ts';
import { TONE_TEXT } from '../ui/badge.tsx';
import { cn } from '../ui/cn.ts';
import { Time, formatDuration, parseTime } from '../ui/time.tsx';
import { STATES } from './state.tsx';

const RECEIPTS = ['sent', 'delivered', 'read'] as const;

/** API times are whole seconds. */
const afterText = (millis: number) =>
  millis < 1_000 ? 'within 1 s' : `after ${formatDuration(millis)}`;

/** When the message was sent, delivered and read, as far as the channel reports it. */
export function Receipts({ message }: { message: MessageDetail }) {
  if (message.sent_at === null) return null;
  const accepted = parseTime(message.created_at);
  return (
    <dl data-testid="receipts" className="mt-4 grid gap-1.5 border-t border-line pt-3 text-sm">
      {RECEIPTS.map((receipt) => {
        const at = message[`${receipt}_at`];
        const { icon: Icon, tone, label } = STATES[receipt];
        return (
          <div key={receipt} data-receipt={receipt} className="flex items-baseline gap-2">
            <dt
              className={cn(
                'flex w-24 shrink-0 items-center gap-1.5',
                at === null ? 'text-ink-faint' : TONE_TEXT[tone],
              )}
            >
              <Icon className="size-3.5" aria-hidden />
              {label}
            </dt>
            <dd className="tabular">
              {at === null ? (
                <span className="text-ink-faint">Not reported</span>
              ) : (
                <>
                  <Time at={at} exact />{' '}
                  <span className="text-ink-faint">{afterText(parseTime(at) - accepted)}</span>
                </>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
