import type { Rotated, Rotation } from '../../lib/crypto/rotated-token.ts';
import { type Fetch, type FetchAnswer, beforeSending } from '../../lib/http/fetch.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import type { Failure } from '../channel.ts';

/* Token rotation. https://docs.slack.dev/authentication/using-token-rotation */

interface Credentials {
  refresh?: string;
  consumer_key?: string;
  consumer_secret?: string;
}

interface Account {
  credentials: Credentials;
  url: string;
  fetch: Fetch;
  clock: Clock;
  storeCredentials(changed: { token: string; refresh: string }): Promise<void>;
}

export function isRotated({ refresh, consumer_key, consumer_secret }: Credentials): boolean {
  return Boolean(refresh && consumer_key && consumer_secret);
}

/** `refuse` classifies a response without a token; `unstored` is the failure when the token cannot be stored. */
export function rotationOf(
  account: Account,
  refuse: (answer: FetchAnswer) => Failure,
  unstored: Failure,
): Rotation<Failure> {
  return {
    now: account.clock.now(),
    ask: async (refresh) => {
      const answer = await requestToken(refresh, account);
      return rotated(answer) ?? refuse(answer);
    },
    store: async (token, refresh) => {
      try {
        await account.storeCredentials({ token, refresh });
        return undefined;
      } catch {
        return unstored;
      }
    },
  };
}

const DEFAULT_LIFETIME_SECONDS = 12 * 60 * 60;

function rotated(answer: FetchAnswer): Rotated | undefined {
  const json = answer.json();
  const [token, refresh] = [textMember(json, 'access_token'), textMember(json, 'refresh_token')];
  if (member(json, 'ok') !== true || !token || !refresh) return undefined;
  return {
    token,
    refresh,
    seconds: Number(member(json, 'expires_in') ?? DEFAULT_LIFETIME_SECONDS),
  };
}

/** https://docs.slack.dev/reference/methods/oauth.v2.access */
async function requestToken(
  refresh: string,
  { credentials, url, fetch }: Account,
): Promise<FetchAnswer> {
  const { consumer_key = '', consumer_secret = '' } = credentials;
  const basic = Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64');
  // Even if this request fails, no message was sent.
  return beforeSending(async () =>
    fetch(`${url}/oauth.v2.access`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refresh }).toString(),
      isPrivate: true,
    }),
  );
}
