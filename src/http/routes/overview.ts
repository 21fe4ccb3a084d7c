import Type from 'typebox';

import { STEPS, type Step } from '../../model/statistics.ts';
import { type Millis, timestamp } from '../../model/timestamp.ts';
import type { Scope } from '../../store/applications-in-scope.ts';
import { MAX_COUNTED } from '../../store/statistics/overview.ts';
import type { Span } from '../../store/statistics/statistics.ts';
import { Timestamp, nullable } from '../openapi/schemas.ts';
import { type Parameter, type Route, ok, tokenRoute } from '../server/route.ts';
import type { Services } from '../services.ts';
import { CurrentProblemSchema, currentProblems } from '../views/current-problems.ts';
import { CountsSchema, countsView, totalOf } from '../views/statistics.ts';
import { MODE, modeIn, scopeOf } from './statistics.ts';

export const OverviewSchema = Type.Object(
  {
    queue: Type.Object({
      waiting: Type.Integer({
        minimum: 0,
        description: `Queued messages, counted up to ${MAX_COUNTED} per application.`,
      }),
      oldest_at: nullable(Timestamp),
    }),
    last_24_hours: CountsSchema,
    problems: Type.Array(CurrentProblemSchema),
  },
  { title: 'Overview' },
);

const APPLICATION: Parameter = {
  name: 'application_id',
  description: 'Only this application.',
  schema: { type: 'integer', format: 'int64' },
};

function lastHour(now: Millis): Span {
  return { step: 'minute', from: floor(now - STEPS.hour, 'minute'), to: now + 1 };
}

/** The last day, to the minute, in as few rows as possible. */
function lastDay(now: Millis): Span[] {
  const from = floor(now, 'minute') - 24 * STEPS.hour;
  const full = floor(from + STEPS.hour - 1, 'hour');
  return [
    { step: 'minute', from, to: full },
    { step: 'hour', from: full, to: now + 1 },
  ];
}

const floor = (moment: Millis, step: Step) => moment - (moment % STEPS[step]);

export function overviewRoutes({ store, clock }: Services): Route[] {
  async function problems(scope: Scope, now: Millis) {
    const { overview, statistics } = store;
    const hour = lastHour(now);
    const [unhealthy, retried, uncertain, counts] = await Promise.all([
      overview.unhealthy(scope),
      overview.retried(scope),
      overview.queues(scope, 'uncertain'),
      statistics.byIntegration(scope, hour),
    ]);
    const failed = counts.filter((one) => one.failed > 0);
    return currentProblems({ unhealthy, retried, uncertain, failed, since: hour.from }, now);
  }

  return [
    tokenRoute({
      method: 'GET',
      path: '/1/overview',
      operationId: 'getOverview',
      tag: 'Statistics',
      summary: 'Get an overview',
      description:
        "Queued messages, counts of the last day and current problems with their fixes, for the caller's team, or for the application of an application token.",
      query: [APPLICATION, MODE],
      evenDisabled: true,
      success: { status: 200, description: 'The overview.', schema: OverviewSchema },
      problems: ['invalid_fields'],
      async handle({ caller, query }) {
        const now = clock.now();
        const { applicationId } = scopeOf(caller, query);
        const scope = { teamId: caller.teamId, applicationId, mode: modeIn(query) };
        const [queues, counts, problemList] = await Promise.all([
          store.overview.queues(scope, 'queued'),
          Promise.all(lastDay(now).map((span) => store.statistics.byChannel(scope, span))),
          problems(scope, now),
        ]);
        const oldest = queues.flatMap((queue) => queue.oldest ?? []);
        return ok({
          queue: {
            waiting: queues.reduce((sum, { count }) => sum + count, 0),
            oldest_at: oldest.length > 0 ? timestamp(Math.min(...oldest)) : null,
          },
          last_24_hours: countsView(totalOf(counts.flat())),
          problems: problemList,
        });
      },
    }),
  ];
}
