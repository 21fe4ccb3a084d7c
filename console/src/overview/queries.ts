import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { IntegrationMode } from '../../../src/model/integration.ts';
import { api } from '../api/client.ts';
import type { Overview, Statistics } from '../api/types.ts';
import { apiTime } from '../messages/filter.ts';
import { RANGES, type Range } from './range.ts';

const POLL_INTERVAL_MS = 10_000;
/** The previous period hardly changes. */
const BEFORE_POLL_INTERVAL_MS = 60_000;

/** Overview of one application, or of the whole team. */
export const overviewQuery = (application: number | undefined, mode: IntegrationMode = 'live') =>
  queryOptions({
    queryKey: ['overview', application ?? 'team', mode],
    queryFn: ({ signal }) =>
      api.get<Overview>('/1/overview', { query: { application_id: application, mode }, signal }),
    refetchInterval: POLL_INTERVAL_MS,
  });

export interface StatisticsFilter {
  application: number | undefined;
  channel: string | undefined;
  range: Range;
  mode: IntegrationMode;
  /** The period of the same length before. */
  isPrevious?: true;
}

export const statisticsQuery = (filter: StatisticsFilter) => {
  const { application, channel, range, mode, isPrevious } = filter;
  const scope = [application ?? 'team', channel ?? '', mode];
  return queryOptions({
    queryKey: ['statistics', ...scope, range, isPrevious ?? false],
    queryFn: ({ signal }) => {
      const { millis } = RANGES[range];
      const end = Date.now() - (isPrevious ? millis : 0);
      return api.get<Statistics>('/1/statistics', {
        query: {
          from: apiTime(end - millis),
          to: isPrevious && apiTime(end),
          application_id: application,
          channel,
          mode,
        },
        signal,
      });
    },
    placeholderData: keepPreviousData,
    refetchInterval: isPrevious ? BEFORE_POLL_INTERVAL_MS : POLL_INTERVAL_MS,
  });
};
