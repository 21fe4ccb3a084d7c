import type { Fetch } from './fetch.ts';

export interface OAuthClient {
  id: string;
  secret: string;
  refreshToken: string;
}

export type Access =
  | { token: string; seconds: number; refresh?: string }
  /** Why there is none, and whether the answer would be the same another time. */
  | { error: string; lasting: boolean };

/** Asks for an access token, with a refresh token. https://www.rfc-editor.org/rfc/rfc6749#section-6 */
export async function refreshAccess(
  endpoint: string,
  client: OAuthClient,
  fetch: Fetch,
): Promise<Access> {
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: client.id,
      client_secret: client.secret,
      refresh_token: client.refreshToken,
    }).toString(),
    isPrivate: true,
  });
  const body = fieldsOf(answer.json());
  const { access_token: token, expires_in: seconds, refresh_token: refresh, error } = body;
  if (answer.status === 200 && typeof token === 'string') {
    return {
      token,
      seconds: typeof seconds === 'number' ? seconds : 0,
      ...(typeof refresh === 'string' && { refresh }),
    };
  }
  const code = typeof error === 'string' ? error : `status ${answer.status}`;
  return {
    error: `no access token was given for the refresh token: ${code}`,
    lasting: answer.status >= 400 && answer.status < 500 && answer.status !== 429,
  };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
