import Type from 'typebox';

import { missingCredentials } from '../../channels/channel.ts';
import { findChannel } from '../../channels/index.ts';
import { CREDENTIALS, type Integration } from '../../model/integration.ts';
import { type Millis, timestamp } from '../../model/timestamp.ts';
import { MOST_COUNTED } from '../../store/overview.ts';
import type { Ownership } from '../../store/schema.ts';
import { type Route, applicationRoute, notFound, ok, pathId } from '../route.ts';
import { Timestamp, nullable } from '../schemas.ts';
import type { Services } from '../services.ts';

export const HealthSchema = Type.Object(
  {
    state: Type.Enum(['ok', 'disabled', 'incomplete', 'paused', 'failing'], {
      description:
        '`disabled`: it, or its application. `incomplete`: credentials are missing. `paused`: it sends nothing for now. `failing`: its credentials were refused, and nothing was sent since.',
    }),
    last_success_at: nullable(Timestamp),
    failing_since: nullable(Timestamp),
    paused: nullable(
      Type.Object({
        reason: Type.String({ examples: ['credentials', 'rate_limit'] }),
        detail: nullable(Type.String({ description: 'In the words of the channel.' })),
        until: nullable(Timestamp),
        help: Type.String({ description: 'What to do about it.' }),
      }),
    ),
    missing: Type.Array(Type.String(), { description: 'The credentials that are missing.' }),
    waiting: Type.Integer({
      minimum: 0,
      description: `How many messages are queued for it; no more than ${MOST_COUNTED} are counted.`,
    }),
    owner_node: nullable(Type.String({ description: 'The process that sends for it.' })),
  },
  { title: 'Health' },
);

/** How an integration does. */
export function healthRoutes({ store, clock }: Services): Route[] {
  return [
    applicationRoute({
      method: 'GET',
      path: '/1/integrations/:id/health',
      tag: 'Integrations',
      summary: 'How an integration does',
      description: 'From what is on record; the channel is not asked.',
      evenDisabled: true,
      success: { status: 200, description: 'How it does.', schema: HealthSchema },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId, state } = call.caller;
        const id = pathId(call);
        const integration = await store.integrations.get(applicationId, id);
        if (!integration) throw notFound('the integration');
        const [standing, waiting, lastSentAt] = await Promise.all([
          store.overview.standing(applicationId, id),
          store.overview.waiting(applicationId, id),
          store.statistics.lastSentAt(applicationId, id),
        ]);
        const paused = pauseOf(standing, clock.now());
        const failingSince = standing?.failingSince ?? null;
        const missing = missingIn(integration);
        const isDisabled = integration.state !== 'enable' || state !== 'enable';
        return ok({
          state: isDisabled ? 'disabled' : stateOf(paused !== null, failingSince, missing),
          last_success_at: shown(lastSentAt),
          failing_since: shown(failingSince),
          paused,
          missing,
          waiting,
          owner_node: standing?.node ?? null,
        });
      },
    }),
  ];
}

function stateOf(isPaused: boolean, failingSince: Millis | null, missing: readonly string[]) {
  if (isPaused) return 'paused';
  if (failingSince !== null) return 'failing';
  return missing.length > 0 ? 'incomplete' : 'ok';
}

const shown = (moment: Millis | null | undefined) => (moment ? timestamp(moment) : null);

function missingIn({ name, credentials }: Integration): string[] {
  const channel = findChannel(name);
  const supplied = CREDENTIALS.filter((field) => credentials[field] !== undefined);
  return channel ? missingCredentials(channel, supplied) : [];
}

function pauseOf(standing: Ownership | undefined, now: Millis) {
  const { pausedReason: reason = null, pausedUntil: until = null } = standing ?? {};
  if (reason === null || (until !== null && until <= now)) return null;
  return {
    reason,
    detail: standing?.pausedDetail ?? null,
    until: shown(until),
    help:
      reason === 'rate_limit'
        ? 'Nothing needs to be done: what is queued goes out as soon as the channel takes it.'
        : 'Correct the credentials of the integration: what is queued then goes out by itself.',
  };
}
