import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { api } from '../api/client.ts';
import type { MessageOptions, Preview } from '../api/types.ts';
import { type UnknownRecord, put } from './draft.ts';

/** What is sent: an activity, and options beside it. */
export interface Composed {
  activity: UnknownRecord;
  options?: MessageOptions | undefined;
}

/** Dry run of a message, optionally through another integration than it names. */
export const dryRunQuery = (
  application: number,
  { activity, options = {} }: Composed,
  integration?: number,
) => {
  const message =
    integration === undefined ? activity : put(activity, ['generator', 'id'], String(integration));
  const body = { message, ...(Object.keys(options).length > 0 && { options }) };
  return queryOptions({
    queryKey: ['application', application, 'dry-run', JSON.stringify(body)],
    queryFn: ({ signal }) =>
      api.post<Preview>('/1/message', body, {
        application,
        query: { dry_run: true },
        signal,
      }),
    placeholderData: keepPreviousData,
    retry: false,
  });
};

/** The value, once unchanged for `millis`. */
export function useSettled<Value>(value: Value, millis = 300): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), millis);
    return () => clearTimeout(timer);
  }, [value, millis]);
  return settled;
}
