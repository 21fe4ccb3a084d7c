import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import type { Channel } from '../../api/types.ts';
import { type CredentialCheck, checkCredentials } from '../queries.ts';
import { type ValueChanges, mismatches } from './fields.ts';

/** Pause in typing after which the values are checked. */
const PAUSE_MS = 700;
/** The same values are not checked twice within this time. */
const CACHED_MS = 30_000;

/** The value once it has not changed for PAUSE_MS, and undefined until then; the initial value is returned at once. */
export function useAfterPause<Value>(value: Value): Value | undefined {
  const key = JSON.stringify(value);
  const [settled, setSettled] = useState<{ key: string; value: Value }>({ key, value });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ key, value }), PAUSE_MS);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react/exhaustive-deps -- equal values have the same key
  }, [key]);
  return settled.key === key ? settled.value : undefined;
}

interface LiveCheckRequest {
  application: number;
  channel: Channel;
  /** Values to check; undefined if they are incomplete or unchanged. */
  values: ValueChanges | undefined;
  /** The integration whose stored values complete them. */
  integration?: number;
}

interface LiveCheck {
  isChecking: boolean;
  /** Result for exactly these values. */
  result: CredentialCheck | undefined;
}

/**
 * Checks credentials when the user stops typing, if they are complete and well-formed and the check is one request.
 * Never with an entered refresh token, which may be valid only once.
 */
export function useLiveCheck(request: LiveCheckRequest): LiveCheck {
  const { application, channel, values, integration } = request;
  const settled = useAfterPause(values ?? {});
  const isReady =
    values !== undefined &&
    settled !== undefined &&
    channel.can.live_check &&
    typeof values.refresh !== 'string' &&
    mismatches(channel, values).size === 0;
  const { data, isFetching } = useQuery({
    queryKey: ['live-check', application, channel.name, integration ?? 0, JSON.stringify(values)],
    enabled: isReady,
    staleTime: CACHED_MS,
    gcTime: CACHED_MS,
    retry: false,
    refetchOnWindowFocus: false,
    queryFn: ({ signal }) =>
      checkCredentials(application, channel.name, values ?? {}, integration, signal),
  });
  return { isChecking: isReady && isFetching, result: isReady ? data : undefined };
}
