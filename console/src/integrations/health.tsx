import {
  CircleCheck,
  CircleDashed,
  CircleQuestionMark,
  CirclePause,
  CircleSlash,
  CircleX,
} from 'lucide-react';

import { sentence } from '../api/problem.ts';
import type { Channel, IntegrationHealth } from '../api/types.ts';
import { Badge, type BadgeStyle } from '../ui/badge.tsx';
import { Fact, Facts } from '../ui/card.tsx';
import { Notice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { labelsOf } from './form/fields.ts';

const STYLES: Record<IntegrationHealth['state'], BadgeStyle> = {
  ok: { tone: 'ok', icon: CircleCheck, label: 'Working' },
  unknown: { tone: 'neutral', icon: CircleQuestionMark, label: 'Not verified' },
  disabled: { tone: 'neutral', icon: CircleSlash, label: 'Disabled' },
  incomplete: { tone: 'warn', icon: CircleDashed, label: 'Incomplete' },
  paused: { tone: 'warn', icon: CirclePause, label: 'Paused' },
  failing: { tone: 'bad', icon: CircleX, label: 'Failing' },
};

const PAUSED: Partial<Record<string, string>> = {
  rate_limit: 'Rate limited by the channel',
  unavailable: 'Key or channel missing on the node',
};

export function HealthBadge({ health: { state, paused } }: { health: IntegrationHealth }) {
  const { tone, icon, label } = STYLES[state];
  const isRefused = paused !== null && paused.reason !== 'rate_limit';
  return (
    <span data-testid="health" data-state={state} className="inline-flex">
      <Badge tone={isRefused ? 'bad' : tone} icon={icon}>
        {label}
      </Badge>
    </span>
  );
}

/** The health of an integration, with the remedy if it fails. */
export function HealthFacts({ health, channel }: { health: IntegrationHealth; channel: Channel }) {
  const { paused, missing, failing_since: since, last_success_at: last, waiting } = health;
  const { last_error: error, last_error_at: errorAt, receiving } = health;
  return (
    <div className="grid gap-4">
      {paused && (
        <Notice
          testId="paused"
          code={paused.reason}
          tone={paused.reason === 'rate_limit' ? 'warn' : 'bad'}
          title={PAUSED[paused.reason] ?? 'Credentials refused by the channel'}
        >
          {paused.detail !== null && <p>{sentence(paused.detail)}</p>}
          <p>{paused.help}</p>
        </Notice>
      )}
      {health.state === 'failing' && since !== null && (
        <Notice
          tone="bad"
          testId="failing"
          title={
            <>
              Failing since <Time at={since} exact />
            </>
          }
        >
          {error !== null && <p>{sentence(error)}</p>}
          <p>
            Queued messages are retried. Check the settings below and that the server is reachable.
          </p>
        </Notice>
      )}
      {receiving?.state === 'failing' && receiving.since !== null && (
        <Notice
          tone="bad"
          testId="not-receiving"
          title={
            <>
              Not receiving since <Time at={receiving.since} exact />
            </>
          }
        >
          {receiving.last_error !== null && <p>{sentence(receiving.last_error)}</p>}
          <p>The service reconnects automatically. Check the settings below and the server.</p>
        </Notice>
      )}
      {missing.length > 0 && (
        <Notice tone="warn" title="Credentials missing">
          To send, add {labelsOf(channel, missing).join(', ')} below.
        </Notice>
      )}
      <Facts>
        <Fact name="State">
          <HealthBadge health={health} />
        </Fact>
        <Fact name="Last sent">{last === null ? 'Never' : <Time at={last} />}</Fact>
        {since !== null && health.state !== 'failing' && (
          <Fact name="Failing since">
            <Time at={since} exact />
          </Fact>
        )}
        {paused && paused.until !== null && (
          <Fact name="Paused until">
            <Time at={paused.until} exact />
          </Fact>
        )}
        {error !== null && health.state !== 'failing' && (
          <Fact name="Last error">
            {sentence(error)} {errorAt !== null && <Time at={errorAt} className="text-ink-faint" />}
          </Fact>
        )}
        <Fact name="Waiting">
          <span data-testid="waiting">{waitingText(waiting)}</span>
        </Fact>
      </Facts>
    </div>
  );
}

/** The service stops counting here. */
const MAX_COUNTED = 10_000;

function waitingText(waiting: number): string {
  if (waiting === 0) return 'No messages';
  if (waiting === 1) return '1 message';
  const more = waiting >= MAX_COUNTED ? 'or more ' : '';
  return `${waiting.toLocaleString()} ${more}messages`;
}
