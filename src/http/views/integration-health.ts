import Type, { type Static } from 'typebox';

import { type Check, missingCredentials } from '../../channels/channel.ts';
import { findChannel } from '../../channels/index.ts';
import { CREDENTIALS, type Integration } from '../../model/integration.ts';
import type { State } from '../../model/state.ts';
import { type Millis, timestamp } from '../../model/timestamp.ts';
import type { Failure } from '../../store/delivery/health.ts';
import type { Ownership } from '../../store/schema.ts';
import { MAX_COUNTED } from '../../store/statistics/overview.ts';
import type { Store } from '../../store/store.ts';
import { Timestamp, nullable } from '../openapi/schemas.ts';

/* The health of an integration, from recorded attempts, checks and sessions. */

export const lastErrorFields = {
  last_error: nullable(
    Type.String({
      description:
        'Message of the last failed attempt or check, without secrets. It stays after a recovery.',
    }),
  ),
  last_error_at: nullable(Timestamp),
};

export const lastSuccessField = nullable(
  Type.String({
    ...Timestamp,
    description:
      'Time of the last sent message, UTC. Written once a second; a killed process may lose its last second.',
  }),
);

export const receivingField = nullable(
  Type.Object(
    {
      state: Type.Enum(['unknown', 'working', 'failing'], {
        description:
          '`working`: a session has lasted ten seconds. `unknown`: none has yet. `failing`: two consecutive sessions failed, or the channel refused one; a session that lasts ten seconds ends it.',
      }),
      since: nullable(
        Type.String({
          ...Timestamp,
          description: 'Start of the failing period, UTC: its first failed session.',
        }),
      ),
      last_error: nullable(
        Type.String({
          description:
            'Message of the last failed session, without secrets. It stays after a recovery.',
        }),
      ),
      last_error_at: nullable(Timestamp),
    },
    {
      title: 'ReceivingHealth',
      description:
        'The live session that receives messages; null if the channel receives in another way or not at all.',
    },
  ),
);

export const waitingField = Type.Integer({
  minimum: 0,
  description: `Queued messages; at most ${MAX_COUNTED} are counted.`,
});

export const IntegrationHealthSchema = Type.Object(
  {
    state: Type.Enum(
      ['unknown', 'working', 'failing', 'paused', 'limited', 'incomplete', 'disabled'],
      {
        description:
          '`unknown`: no attempt or check has succeeded yet. `working`: one has succeeded, and the integration is not failing. `failing`: two consecutive attempts failed, or a check did, until the next success; or `receiving` is failing. Recipient faults, content faults and rate limits do not count. `paused`: the channel refused the credentials, and nothing is sent until they change or a check passes; or the node cannot decrypt them or does not know the channel. `limited`: the channel asked to wait. `incomplete`: credentials are missing. `disabled`: the integration or its application is disabled.',
      },
    ),
    since: nullable(
      Type.String({
        ...Timestamp,
        description: 'When sending began to fail, UTC: the first failed attempt or check.',
      }),
    ),
    ...lastErrorFields,
    last_success_at: lastSuccessField,
    waiting: waitingField,
    receiving: receivingField,
  },
  { title: 'IntegrationHealth' },
);

/** Stored facts about the health of an integration. */
export interface HealthFindings {
  ownership: Ownership | undefined;
  waiting: number;
  lastSentAt: Millis | undefined;
  missing: string[];
  isDisabled: boolean;
  /** Whether the channel receives over a live session. */
  hasSession: boolean;
}

export async function findHealth(
  store: Store,
  integration: Integration,
  applicationState: State,
): Promise<HealthFindings> {
  const { applicationId, id } = integration;
  const [ownership, waiting, lastSentAt] = await Promise.all([
    store.overview.status(applicationId, id),
    store.overview.waiting(applicationId, id),
    store.statistics.lastSentAt(applicationId, id),
  ]);
  const isDisabled = integration.state !== 'enable' || applicationState !== 'enable';
  const hasSession = findChannel(integration.name)?.listen !== undefined;
  const missing = missingIn(integration);
  return { ownership, waiting, lastSentAt, missing, isDisabled, hasSession };
}

export function healthView(
  findings: HealthFindings,
  now: Millis,
): Static<typeof IntegrationHealthSchema> {
  const { ownership, waiting, lastSentAt } = findings;
  return {
    state: stateOf(findings, now),
    since: timeOrNull(ownership?.failingSince),
    ...lastErrorView(ownership),
    last_success_at: timeOrNull(lastSentAt),
    waiting,
    receiving: receivingView(findings),
  };
}

export function receivingView({ ownership, hasSession }: HealthFindings) {
  if (!hasSession) return null;
  const { receivingFailingSince: since = null, connectedAt = null } = ownership ?? {};
  const state = connectedAt === null ? ('unknown' as const) : ('working' as const);
  return {
    state: since === null ? state : ('failing' as const),
    since: timeOrNull(since),
    last_error: ownership?.receivingError ?? null,
    last_error_at: timeOrNull(ownership?.receivingErrorAt),
  };
}

export const lastErrorView = (ownership: Ownership | undefined) => ({
  last_error: ownership?.lastError ?? null,
  last_error_at: timeOrNull(ownership?.lastErrorAt),
});

type HealthState = Static<typeof IntegrationHealthSchema>['state'];

function stateOf(
  { ownership, lastSentAt, missing, isDisabled }: HealthFindings,
  now: Millis,
): HealthState {
  if (isDisabled) return 'disabled';
  const isPaused = isPausedNow(ownership, now);
  if (isPaused && ownership?.pausedReason !== 'rate_limit') return 'paused';
  if ((ownership?.failingSince ?? ownership?.receivingFailingSince ?? null) !== null) {
    return 'failing';
  }
  if (isPaused) return 'limited';
  if (missing.length > 0) return 'incomplete';
  const isProven = lastSentAt !== undefined || (ownership?.verifiedAt ?? null) !== null;
  return isProven ? 'working' : 'unknown';
}

export function isPausedNow(ownership: Ownership | undefined, now: Millis): boolean {
  const { pausedReason: reason = null, pausedUntil: until = null } = ownership ?? {};
  return reason !== null && (until === null || until > now);
}

export const timeOrNull = (moment: Millis | null | undefined) =>
  moment ? timestamp(moment) : null;

function missingIn({ name, credentials }: Integration): string[] {
  const channel = findChannel(name);
  const supplied = CREDENTIALS.filter((field) => credentials[field] !== undefined);
  return channel ? missingCredentials(channel, supplied) : [];
}

/** Effect of a check on health: none (null), a failure, or success. */
export function checkResult(check: Check | undefined): Failure | 'passed' | null {
  if (!check || check.outcome === 'limited') return null;
  if (check.outcome === 'known') return 'passed';
  // The channel cannot check these credentials, which says nothing about them.
  if (check.outcome === 'permanent' && check.blame === 'unsupported') return null;
  const reason = check.outcome === 'permanent' ? 'credentials' : 'transient';
  return { reason, detail: check.detail };
}
