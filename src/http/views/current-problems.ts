import Type, { type Static } from 'typebox';

import { findChannel } from '../../channels/index.ts';
import { FAULTS } from '../../model/fault.ts';
import type { Id } from '../../model/id.ts';
import { type Millis, timestamp } from '../../model/timestamp.ts';
import { ENDPOINT } from '../../store/delivery/integrations.ts';
import {
  type Halted,
  MAX_COUNTED,
  type Queue,
  type Retried,
} from '../../store/statistics/overview.ts';
import { Id as IdField, Timestamp, nullable } from '../openapi/schemas.ts';

/* Current problems in words for people, with what to do. */

const KINDS = [
  'integration_refused',
  'webhook_paused',
  'integration_failing',
  'webhook_failing',
  'messages_uncertain',
  'integration_unproven',
  'messages_failed',
  'integration_limited',
] as const;

export const CurrentProblemSchema = Type.Object(
  {
    kind: Type.Enum([...KINDS]),
    severity: Type.Enum(['error', 'warning'], {
      description:
        'An error blocks messages or events, or needs a person; a warning may clear by itself.',
    }),
    what: Type.String(),
    detail: nullable(Type.String({ description: 'The error message of the channel or endpoint.' })),
    since: nullable(Timestamp),
    until: nullable(Timestamp),
    help: Type.String({ description: 'What to do.' }),
    application_id: IdField,
    integration_id: nullable(IdField),
    channel: nullable(Type.String()),
    count: nullable(Type.Integer({ description: 'Number of affected messages.' })),
  },
  { title: 'CurrentProblem' },
);

export type CurrentProblem = Static<typeof CurrentProblemSchema>;

/** A shorter pause by the channel is not reported, in milliseconds. */
const LONG_PAUSE = 60_000;

/** Recent failures of a channel. */
export interface FailedOfLate {
  applicationId: Id;
  integrationId: Id;
  channel: string;
  failed: number;
}

export interface Findings {
  halted: readonly Halted[];
  retried: readonly Retried[];
  uncertain: readonly Queue[];
  failed: readonly FailedOfLate[];
  /** Start of the period. */
  since: Millis;
}

/** All current problems; those that need a person come first. */
export function problemsNow(found: Findings, now: Millis): CurrentProblem[] {
  return [
    ...found.halted.flatMap((halted) => ofHalted(halted, found.retried, now)),
    ...found.uncertain.map(ofUncertain),
    ...found.failed.map((failed) => ofFailed(failed, found.since)),
  ].toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

const problem = (
  kind: CurrentProblem['kind'],
  given: Partial<CurrentProblem> & Pick<CurrentProblem, 'what' | 'help' | 'application_id'>,
): CurrentProblem => ({
  kind,
  severity: 'warning',
  detail: null,
  since: null,
  until: null,
  integration_id: null,
  channel: null,
  count: null,
  ...given,
});

const shown = (moment: Millis | null) => (moment === null ? null : timestamp(moment));
const titleOf = (name: string) => findChannel(name)?.title ?? name;

function ofHalted(halted: Halted, retried: readonly Retried[], now: Millis): CurrentProblem[] {
  const { applicationId, integrationId, name, pausedReason, pausedDetail, pausedUntil } = halted;
  const since = shown(halted.failingSince);
  if (name === ENDPOINT) {
    if (pausedReason === null || pausedUntil !== null) return ofWebhook(halted, retried);
    return [
      problem('webhook_paused', {
        severity: 'error',
        what: 'Webhook paused; events are waiting.',
        detail: pausedDetail,
        since,
        help: 'Make the endpoint answer with 2xx, test the webhook, then resume it. No event is lost.',
        application_id: applicationId,
      }),
    ];
  }
  const about = {
    application_id: applicationId,
    integration_id: integrationId,
    channel: name,
    detail: pausedDetail,
    since,
  };
  if (pausedReason === 'credentials') {
    const what = `${titleOf(name)} refuses the credentials of the integration.`;
    const help = 'Correct the credentials of the integration. Queued messages are then sent.';
    return [problem('integration_refused', { severity: 'error', what, help, ...about })];
  }
  if (pausedReason === 'rate_limit' && pausedUntil !== null && pausedUntil > now + LONG_PAUSE) {
    const what = `${titleOf(name)} limits the rate of the integration.`;
    const help = 'Nothing to do: queued messages are sent when the channel allows it.';
    return [problem('integration_limited', { what, help, ...about, until: shown(pausedUntil) })];
  }
  if (since === null) return [];
  // Without a last error, only refused credentials count.
  if (halted.lastErrorReason !== 'transient') {
    const what = `${titleOf(name)} refused the credentials, and no message was sent since.`;
    const help = 'Check the integration, or send a test message through it.';
    return [problem('integration_unproven', { what, help, ...about, detail: halted.lastError })];
  }
  const what = `${titleOf(name)} is failing; messages are waiting.`;
  const help =
    'Check that the address is right and the server answers, then check the integration. Queued messages are retried.';
  const given = { what, help, ...about, severity: 'error', detail: halted.lastError } as const;
  return [problem('integration_failing', given)];
}

function ofWebhook(
  { applicationId, failingSince, lastError }: Halted,
  retried: readonly Retried[],
): CurrentProblem[] {
  if (failingSince === null) return [];
  const retry = retried.find((one) => one.applicationId === applicationId);
  return [
    problem('webhook_failing', {
      severity: 'error',
      what: 'Webhook failing; events are waiting.',
      detail: lastError,
      since: timestamp(failingSince),
      until: shown(retry?.nextAt ?? null),
      help: 'Make the endpoint answer with 2xx within 15 seconds. The service retries the first event; the rest follow in order.',
      application_id: applicationId,
    }),
  ];
}

function ofUncertain({ applicationId, count, oldest }: Queue): CurrentProblem {
  const are = count === 1 ? 'One message has' : `${many(count)} messages have`;
  return problem('messages_uncertain', {
    severity: 'error',
    what: `${are} an uncertain outcome.`,
    since: shown(oldest),
    help: FAULTS.uncertain.help,
    application_id: applicationId,
    count,
  });
}

function ofFailed(failed: FailedOfLate, since: Millis): CurrentProblem {
  const count = failed.failed;
  const are = count === 1 ? 'One message' : `${count} messages`;
  return problem('messages_failed', {
    what: `${are} by ${titleOf(failed.channel)} failed in the last hour.`,
    since: timestamp(since),
    help: 'Review the failed messages: each states its cause. Resend those that still matter.',
    application_id: failed.applicationId,
    integration_id: failed.integrationId,
    channel: failed.channel,
    count,
  });
}

const many = (count: number) => (count >= MAX_COUNTED ? `${MAX_COUNTED} or more` : String(count));
