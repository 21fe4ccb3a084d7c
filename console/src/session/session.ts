import { queryOptions, useQuery } from '@tanstack/react-query';

import { ApiProblem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { forgetToken, sessionCall } from '../api/token.ts';
import type { Session, Setup } from '../api/types.ts';

/** Set while a session may exist; without it, no request is needed to know that there is none. */
const SIGNED_IN = 'switchboard.signed-in';

/** The session of this browser; null if signed out. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async () => {
    if (localStorage.getItem(SIGNED_IN) === null) return null;
    try {
      return (await sessionCall('GET', '/session')) as Session;
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 401) {
        localStorage.removeItem(SIGNED_IN);
        return null;
      }
      throw error;
    }
  },
});

/** Whether any user has a password. If unknown, the password form is shown. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  staleTime: 0,
  queryFn: async () => {
    try {
      return (await sessionCall('GET', '/setup')) as Setup;
    } catch {
      return { password_set: true };
    }
  },
});

/** The session, on pages that need one. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('nobody is signed in');
  return data;
}

export type Credentials = { email: string; password: string } | { code: string };

export async function signIn(credentials: Credentials): Promise<Session> {
  const session = (await sessionCall('POST', '/session', credentials)) as Session;
  localStorage.setItem(SIGNED_IN, 'yes');
  forgetToken();
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, session);
  return session;
}

/** Signs out here or everywhere, and clears all cached data. */
export async function signOut(everywhere = false): Promise<void> {
  await sessionCall('DELETE', everywhere ? '/sessions' : '/session');
  localStorage.removeItem(SIGNED_IN);
  forgetToken();
  queryClient.clear();
}

/** Only URLs within the console, because `next` may come from anyone (open redirect). */
export const afterSignIn = (next: string | undefined) =>
  next?.startsWith('/app/') ? next : '/app';
