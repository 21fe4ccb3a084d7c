import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import type { Overview, Statistics } from '../api/types.ts';
import { apiTime } from '../messages/filter.ts';
import { RANGES, type Range } from './range.ts';

const POLL_INTERVAL_MS = 10_000;

/** Overview of one application, or of the whole team. */
export const overviewQuery = (application: number | undefined) =>
  queryOptions({
    queryKey: ['overview', application ?? 'team'],
    queryFn: ({ signal }) =>
      api.get<Overview>('/1/overview', { query: { application_id: application }, signal }),
    refetchInterval: POLL_INTERVAL_MS,
  });

export interface StatisticsFilter {
  application: number | undefined;
  channel: string | undefined;
  range: Range;
}

export const statisticsQuery = ({ application, channel, range }: StatisticsFilter) =>
  queryOptions({
    queryKey: ['statistics', application ?? 'team', channel ?? '', range],
    queryFn: ({ signal }) =>
      api.get<Statistics>('/1/statistics', {
        query: {
          from: apiTime(Date.now() - RANGES[range].millis),
          application_id: application,
          channel,
        },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_INTERVAL_MS,
  });
