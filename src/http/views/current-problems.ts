import Type, { type Static } from 'typebox';

import { findChannel } from '../../channels/index.ts';
import { FAULTS } from '../../model/fault.ts';
import type { Id } from '../../model/id.ts';
import { ENDPOINT } from '../../model/integration.ts';
import { type Millis, timestamp } from '../../model/timestamp.ts';
import {
  type UnhealthyIntegration,
  MAX_COUNTED,
  type Queue,
  type RetriedWebhook,
} from '../../store/statistics/overview.ts';
import { Id as IdField, Timestamp, nullable } from '../openapi/schemas.ts';

/* Current problems in words for people, with what to do. */

const KINDS = [
  'integration_refused',
  'webhook_paused',
  'integration_failing',
  'webhook_failing',
  'receiving_failing',
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
        'An error blocks messages or events, or requires action; a warning may clear on its own.',
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
const MIN_REPORTED_PAUSE_MS = 60_000;

/** Recent failures of a channel. */
interface RecentFailures {
  applicationId: Id;
  integrationId: Id;
  channel: string;
  failed: number;
}

interface Findings {
  unhealthy: readonly UnhealthyIntegration[];
  retried: readonly RetriedWebhook[];
  uncertain: readonly Queue[];
  failed: readonly RecentFailures[];
  /** Start of the period. */
  since: Millis;
}

/** All current problems; those that need a person come first. */
export function currentProblems(findings: Findings, now: Millis): CurrentProblem[] {
  return [
    ...findings.unhealthy.flatMap((integration) =>
      ofIntegration(integration, findings.retried, now),
    ),
    ...findings.unhealthy.flatMap(ofReceiving),
    ...findings.uncertain.map(ofUncertain),
    ...findings.failed.map((failed) => ofFailed(failed, findings.since)),
  ].toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

const problem = (
  kind: CurrentProblem['kind'],
  fields: Partial<CurrentProblem> & Pick<CurrentProblem, 'what' | 'help' | 'application_id'>,
): CurrentProblem => ({
  kind,
  severity: 'warning',
  detail: null,
  since: null,
  until: null,
  integration_id: null,
  channel: null,
  count: null,
  ...fields,
});

const timeOrNull = (moment: Millis | null) => (moment === null ? null : timestamp(moment));
const titleOf = (name: string) => findChannel(name)?.title ?? name;

function ofIntegration(
  integration: UnhealthyIntegration,
  retried: readonly RetriedWebhook[],
  now: Millis,
): CurrentProblem[] {
  const { applicationId, integrationId, name, pausedReason, pausedDetail, pausedUntil } =
    integration;
  const since = timeOrNull(integration.failingSince);
  if (name === ENDPOINT) {
    if (pausedReason === null || pausedUntil !== null) return ofWebhook(integration, retried);
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
  const common = {
    application_id: applicationId,
    integration_id: integrationId,
    channel: name,
    detail: pausedDetail,
    since,
  };
  if (pausedReason === 'credentials') {
    const what = `${titleOf(name)} refuses the credentials of the integration.`;
    const help = 'Correct the credentials of the integration. Queued messages are then sent.';
    return [problem('integration_refused', { severity: 'error', what, help, ...common })];
  }
  if (
    pausedReason === 'rate_limit' &&
    pausedUntil !== null &&
    pausedUntil > now + MIN_REPORTED_PAUSE_MS
  ) {
    const what = `${titleOf(name)} limits the rate of the integration.`;
    const help = 'Nothing to do: queued messages are sent when the channel allows it.';
    return [
      problem('integration_limited', { what, help, ...common, until: timeOrNull(pausedUntil) }),
    ];
  }
  if (since === null) return [];
  // Without a last error, only refused credentials count.
  if (integration.lastErrorReason !== 'transient') {
    const what = `${titleOf(name)} refused the credentials, and no message was sent since.`;
    const help = 'Check the integration, or send a test message through it.';
    return [
      problem('integration_unproven', { what, help, ...common, detail: integration.lastError }),
    ];
  }
  const what = `${titleOf(name)} is failing; messages are waiting.`;
  const help =
    'Check that the address is right and the server answers, then check the integration. Queued messages are retried.';
  const fields = {
    what,
    help,
    ...common,
    severity: 'error',
    detail: integration.lastError,
  } as const;
  return [problem('integration_failing', fields)];
}

/** A paused integration has no session, so its pause is the problem. */
function ofReceiving(integration: UnhealthyIntegration): CurrentProblem[] {
  const { applicationId, integrationId, name, pausedReason, pausedUntil } = integration;
  const since = timeOrNull(integration.receivingFailingSince);
  if (since === null || (pausedReason !== null && pausedUntil === null)) return [];
  return [
    problem('receiving_failing', {
      severity: 'error',
      what: `${titleOf(name)} is not receiving messages.`,
      detail: integration.receivingError,
      since,
      help: 'Check the address and the credentials of the integration, and that the server answers. The service reconnects automatically.',
      application_id: applicationId,
      integration_id: integrationId,
      channel: name,
    }),
  ];
}

function ofWebhook(
  { applicationId, failingSince, lastError }: UnhealthyIntegration,
  retried: readonly RetriedWebhook[],
): CurrentProblem[] {
  if (failingSince === null) return [];
  const retry = retried.find((candidate) => candidate.applicationId === applicationId);
  return [
    problem('webhook_failing', {
      severity: 'error',
      what: 'Webhook failing; events are waiting.',
      detail: lastError,
      since: timestamp(failingSince),
      until: timeOrNull(retry?.nextAt ?? null),
      help: 'Make the endpoint answer with 2xx within 15 seconds. The service retries the first event; the rest follow in order.',
      application_id: applicationId,
    }),
  ];
}

function ofUncertain({ applicationId, count, oldest }: Queue): CurrentProblem {
  const subject = count === 1 ? 'One message has' : `${countText(count)} messages have`;
  return problem('messages_uncertain', {
    severity: 'error',
    what: `${subject} an uncertain outcome.`,
    since: timeOrNull(oldest),
    help: FAULTS.uncertain.help,
    application_id: applicationId,
    count,
  });
}

function ofFailed(failed: RecentFailures, since: Millis): CurrentProblem {
  const count = failed.failed;
  const subject = count === 1 ? 'One message' : `${count} messages`;
  return problem('messages_failed', {
    what: `${subject} through ${titleOf(failed.channel)} failed in the last hour.`,
    since: timestamp(since),
    help: 'Review the failed messages: each states its cause. Resend those that still matter.',
    application_id: failed.applicationId,
    integration_id: failed.integrationId,
    channel: failed.channel,
    count,
  });
}

const countText = (count: number) =>
  count >= MAX_COUNTED ? `${MAX_COUNTED} or more` : String(count);
