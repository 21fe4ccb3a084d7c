import Type from 'typebox';

import type { Millis } from '../../model/timestamp.ts';
import type { Ownership, PauseReason } from '../../store/schema.ts';
import { Timestamp, nullable } from '../openapi/schemas.ts';
import { type Route, applicationRoute, notFound, ok, pathId } from '../server/route.ts';
import type { Services } from '../services.ts';
import {
  type HealthFindings,
  findHealth,
  healthView,
  isPausedNow,
  lastErrorFields,
  lastErrorView,
  lastSuccessField,
  receivingField,
  receivingView,
  timeOrNull,
  waitingField,
} from '../views/integration-health.ts';

export const HealthSchema = Type.Object(
  {
    state: Type.Enum(['ok', 'unknown', 'disabled', 'incomplete', 'paused', 'failing'], {
      description:
        'Same as `health.state` of the integration, except that `ok` stands for `working`, and `paused` also for `limited`; see `paused.reason`.',
    }),
    last_success_at: lastSuccessField,
    failing_since: nullable(Timestamp),
    ...lastErrorFields,
    paused: nullable(
      Type.Object({
        reason: Type.String({ examples: ['credentials', 'rate_limit'] }),
        detail: nullable(Type.String({ description: "The channel's error message." })),
        until: nullable(Timestamp),
        help: Type.String({ description: 'What to do.' }),
      }),
    ),
    missing: Type.Array(Type.String(), { description: 'Missing credentials.' }),
    waiting: waitingField,
    receiving: receivingField,
    owner_node: nullable(Type.String({ description: 'Node that owns the integration.' })),
  },
  { title: 'Health' },
);

export function healthRoutes({ store, clock }: Services): Route[] {
  return [
    applicationRoute({
      method: 'GET',
      path: '/1/integrations/:id/health',
      operationId: 'getIntegrationHealth',
      tag: 'Integrations',
      summary: 'Get the health of an integration',
      description: 'From recorded attempts, checks and sessions, without asking the channel.',
      evenDisabled: true,
      success: { status: 200, description: 'The health.', schema: HealthSchema },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId, state } = call.caller;
        const integration = await store.integrations.get(applicationId, pathId(call));
        if (!integration) throw notFound('the integration');
        const findings = await findHealth(store, integration, state);
        const { ownership, lastSentAt, missing, waiting } = findings;
        const now = clock.now();
        const paused = pauseOf(ownership, now);
        return ok({
          state: stateOf(findings, now),
          last_success_at: timeOrNull(lastSentAt),
          failing_since: timeOrNull(ownership?.failingSince),
          ...lastErrorView(ownership),
          paused,
          missing,
          waiting,
          receiving: receivingView(findings),
          owner_node: ownership?.node ?? null,
        });
      },
    }),
  ];
}

function stateOf(findings: HealthFindings, now: Millis) {
  const { state } = healthView(findings, now);
  if (state === 'working') return 'ok';
  if (state === 'limited') return 'paused';
  // Kept for compatibility: a rate-limit pause takes precedence over a failing period.
  return state === 'failing' && isPausedNow(findings.ownership, now) ? 'paused' : state;
}

function pauseOf(ownership: Ownership | undefined, now: Millis) {
  const { pausedReason: reason = null } = ownership ?? {};
  if (reason === null || !isPausedNow(ownership, now)) return null;
  return {
    reason,
    detail: ownership?.pausedDetail ?? null,
    until: timeOrNull(ownership?.pausedUntil),
    help: helpFor(reason),
  };
}

function helpFor(reason: PauseReason): string {
  if (reason === 'rate_limit') {
    return 'Nothing to do: queued messages are sent when the channel allows it.';
  }
  if (reason === 'unavailable') {
    return 'The operator must add the missing key or version; queued messages are then sent.';
  }
  return 'Correct the credentials of the integration; queued messages are then sent.';
}
