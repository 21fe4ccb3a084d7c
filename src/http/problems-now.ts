import Type, { type Static } from 'typebox';

import { findChannel } from '../channels/index.ts';
import { FAULTS } from '../model/fault.ts';
import type { Id } from '../model/id.ts';
import { type Millis, timestamp } from '../model/timestamp.ts';
import { ENDPOINT } from '../store/integrations.ts';
import { type Halted, MOST_COUNTED, type Queue, type Retried } from '../store/overview.ts';
import { Id as IdField, Timestamp, nullable } from './schemas.ts';

/* What is wrong just now, in words for a person, with what to do about it. */

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
        'An error keeps messages or events from going out, or waits for somebody; a warning may go away by itself.',
    }),
    what: Type.String(),
    detail: nullable(Type.String({ description: 'In the words of the channel or the endpoint.' })),
    since: nullable(Timestamp),
    until: nullable(Timestamp),
    help: Type.String({ description: 'What to do about it.' }),
    application_id: IdField,
    integration_id: nullable(IdField),
    channel: nullable(Type.String()),
    count: nullable(Type.Integer({ description: 'How many messages it is about.' })),
  },
  { title: 'CurrentProblem' },
);

export type CurrentProblem = Static<typeof CurrentProblemSchema>;

/** How long a channel may hold an integration up before that is worth a word, in milliseconds. */
const LONG_PAUSE = 60_000;

/** Whose messages came to nothing of late. */
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
  /** Since when those failed. */
  since: Millis;
}

/** All of them, those that wait for somebody first. */
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
        what: 'The webhook is paused: events wait.',
        detail: pausedDetail,
        since,
        help: 'See that the endpoint answers with 2xx again, try the webhook, and then resume it. Nothing is lost meanwhile.',
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
    const help =
      'Correct the credentials of the integration: what is queued then goes out by itself.';
    return [problem('integration_refused', { severity: 'error', what, help, ...about })];
  }
  if (pausedReason === 'rate_limit' && pausedUntil !== null && pausedUntil > now + LONG_PAUSE) {
    const what = `${titleOf(name)} lets the integration send nothing for now.`;
    const help =
      'Nothing needs to be done: what is queued goes out as soon as the channel takes it.';
    return [problem('integration_limited', { what, help, ...about, until: shown(pausedUntil) })];
  }
  if (since === null) return [];
  // Before there was a last error, only refused credentials counted.
  if (halted.lastErrorReason !== 'transient') {
    const what = `${titleOf(name)} has refused the credentials, and nothing was sent since.`;
    const help = 'Check the integration, or send a message by it to see whether it works again.';
    return [problem('integration_unproven', { what, help, ...about, detail: halted.lastError })];
  }
  const what = `${titleOf(name)} is failing: messages wait.`;
  const help =
    'Make sure that the address is right and the server answers, then check the integration. Queued messages are retried meanwhile.';
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
      what: 'The webhook is failing: events wait.',
      detail: lastError,
      since: timestamp(failingSince),
      until: shown(retry?.nextAt ?? null),
      help: 'Make sure that the endpoint answers with 2xx within 15 seconds. The first event is retried; the others follow in order.',
      application_id: applicationId,
    }),
  ];
}

function ofUncertain({ applicationId, count, oldest }: Queue): CurrentProblem {
  const are = count === 1 ? 'One message was' : `${many(count)} messages were`;
  return problem('messages_uncertain', {
    severity: 'error',
    what: `${are} perhaps sent, and nobody knows.`,
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
    what: `${are} by ${titleOf(failed.channel)} came to nothing within the last hour.`,
    since: timestamp(since),
    help: 'Look at the failed messages: each says why. Those that are worth it can be sent again.',
    application_id: failed.applicationId,
    integration_id: failed.integrationId,
    channel: failed.channel,
    count,
  });
}

const many = (count: number) => (count >= MOST_COUNTED ? `${MOST_COUNTED} or more` : String(count));
