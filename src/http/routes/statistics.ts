import Type from 'typebox';

import { findChannel } from '../../channels/index.ts';
import type { Principal } from '../../model/account.ts';
import { NO_ID, parseId } from '../../model/id.ts';
import { INTEGRATION_MODES, type IntegrationMode } from '../../model/integration.ts';
import { Problem } from '../../model/problem.ts';
import { amountOf } from '../../model/sending/cost.ts';
import { STEPS } from '../../model/statistics.ts';
import { type Millis, parseTimestamp, timestamp } from '../../model/timestamp.ts';
import type { Scope } from '../../store/applications-in-scope.ts';
import { CostTotalSchema } from '../openapi/cost-schemas.ts';
import { Id, Timestamp } from '../openapi/schemas.ts';
import { type Parameter, type Query, type Route, ok, tokenRoute } from '../server/route.ts';
import type { Services } from '../services.ts';
import {
  CountsSchema,
  MAX_STEPS,
  STEP_NAMES,
  type StepName,
  countFields,
  countsView,
  seriesView,
  stepsOf,
  totalOf,
} from '../views/statistics.ts';

export const StatisticsSchema = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    step: Type.Enum([...STEP_NAMES]),
    series: Type.Array(Type.Object({ at: Timestamp, ...countFields }), {
      description: 'One entry per step, in order.',
    }),
    total: CountsSchema,
    channels: Type.Array(Type.Object({ channel: Type.String(), ...countFields })),
    applications: Type.Array(Type.Object({ application_id: Id, ...countFields })),
    costs: Type.Array(CostTotalSchema, {
      description: 'Costs that vendors have reported, from the start of the first hour.',
    }),
  },
  { title: 'Statistics' },
);

const DAY_MS = 24 * 60 * 60 * 1000;

export const MODE: Parameter = {
  name: 'mode',
  description: 'Traffic of the sandbox instead of live traffic.',
  schema: { enum: [...INTEGRATION_MODES] },
};

const QUERY: readonly Parameter[] = [
  {
    name: 'from',
    description: 'Start, UTC; a day before the end by default.',
    schema: { type: 'string', examples: ['2026-11-15T00:00:00'] },
  },
  {
    name: 'to',
    description: 'End, UTC; now by default.',
    schema: { type: 'string', examples: ['2026-11-16T00:00:00'] },
  },
  {
    name: 'step',
    description: `Width of a step; chosen from the range by default. At most ${MAX_STEPS} steps. Minutes are kept for three days.`,
    schema: { enum: [...STEP_NAMES] },
  },
  {
    name: 'application_id',
    description: 'Only messages of this application.',
    schema: { type: 'integer', format: 'int64' },
  },
  {
    name: 'channel',
    description: 'Only messages through this channel.',
    schema: { type: 'string', examples: ['telegram'] },
  },
  MODE,
];

export function statisticsRoutes({ store, clock }: Services): Route[] {
  return [
    tokenRoute({
      method: 'GET',
      path: '/1/statistics',
      operationId: 'getStatistics',
      tag: 'Statistics',
      summary: 'Get message statistics',
      description:
        "For the caller's team, or for the application of an application token. A message counts when it is accepted, and again in each state it reaches. Counts appear within about a second; a killed process loses the counts of its last second.",
      query: QUERY,
      evenDisabled: true,
      success: { status: 200, description: 'Counts.', schema: StatisticsSchema },
      problems: ['invalid_fields'],
      async handle({ caller, query }) {
        const scope = { ...scopeOf(caller, query), mode: modeIn(query) };
        const range = stepsOf(...timeIn(query, clock.now()), stepIn(query), clock.now());
        const { span, name, width } = range;
        if ((span.to - span.from) / width > MAX_STEPS) {
          throw new Problem('invalid_fields', `the range has more than ${MAX_STEPS} ${name}s`);
        }
        const { statistics } = store;
        const [series, channels, applications, costs] = await Promise.all([
          statistics.series(scope, span, width),
          statistics.byChannel(scope, span),
          statistics.byApplication(scope, span),
          store.costs.totals(scope, { from: span.from - (span.from % STEPS.hour), to: span.to }),
        ]);
        return ok({
          from: timestamp(span.from),
          to: timestamp(span.to),
          step: name,
          series: seriesView(series, range),
          total: countsView(totalOf(channels)),
          channels: channels.map((one) => countsView(one, { channel: one.channel })),
          applications: applications.map((one) =>
            countsView(one, { application_id: one.applicationId }),
          ),
          costs: costs.map((one) => ({
            application_id: one.applicationId,
            channel: one.channel,
            amount: one.currency === '' ? null : amountOf(one.amountMicros),
            currency: one.currency || null,
            category: one.category || null,
            parts: one.parts,
          })),
        });
      },
    }),
  ];
}

/** The resources that the caller may see; others have no counts. */
export function scopeOf(caller: Principal, query: Query): Scope {
  const { application_id, channel } = query;
  const requested = application_id === undefined ? undefined : (parseId(application_id) ?? NO_ID);
  const ownId = caller.kind === 'application' ? caller.applicationId : undefined;
  const isForeign = ownId !== undefined && requested !== undefined && requested !== ownId;
  return {
    teamId: caller.teamId,
    applicationId: isForeign ? NO_ID : (requested ?? ownId),
    channel: channel === undefined ? undefined : (findChannel(channel)?.name ?? channel),
  };
}

function timeIn(query: Query, now: Millis): [Millis, Millis] {
  const to = timestampIn(query, 'to') ?? now;
  const from = timestampIn(query, 'from') ?? to - DAY_MS;
  if (from >= to) throw new Problem('invalid_fields', 'from must be before to');
  return [from, to];
}

function timestampIn(query: Query, name: string): Millis | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const moment = parseTimestamp(text);
  if (moment !== undefined && moment >= 0) return moment;
  throw new Problem('invalid_fields', `${name} must be a time such as 2026-11-15T00:00:00`);
}

export function modeIn({ mode = 'live' }: Query): IntegrationMode {
  const match = INTEGRATION_MODES.find((name) => name === mode);
  if (match) return match;
  throw new Problem('invalid_fields', `mode must be one of: ${INTEGRATION_MODES.join(', ')}`);
}

function stepIn({ step }: Query): StepName | undefined {
  if (step === undefined) return undefined;
  const match = STEP_NAMES.find((name) => name === step);
  if (match) return match;
  throw new Problem('invalid_fields', `step must be one of: ${STEP_NAMES.join(', ')}`);
}
