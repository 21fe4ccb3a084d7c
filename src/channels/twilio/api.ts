import type { FetchAnswer, FetchRequest } from '../../lib/http/fetch.ts';
import { integerMember, textMember } from '../../lib/json/json-member.ts';
import type { Context } from '../channel.ts';
import { failureClassifier } from '../http-failure.ts';

/* Requests to Twilio's API, and their errors. */

type TwilioContext = Pick<Context, 'credentials' | 'url' | 'fetch'>;

const ACCOUNT = /^AC[0-9a-f]{32}$/i;
const KEY = /^SK[0-9a-f]{32}$/i;
const SECRET = /^[\x21-\x7e]{1,200}$/;

export function keyOf({ credentials }: TwilioContext): { id: string; secret: string } | undefined {
  const { consumer_key: id, consumer_secret: secret } = credentials;
  return id !== undefined && secret !== undefined ? { id, secret } : undefined;
}

export const addressOf = (path: string, { credentials: { token }, url }: TwilioContext) =>
  `${url}/2010-04-01/Accounts/${token}${path}`;

/** Undefined when the credentials are malformed. https://www.twilio.com/docs/usage/requests-to-twilio */
export function authorizationOf(context: TwilioContext): string | undefined {
  const { token = '', secret = '' } = context.credentials;
  const key = keyOf(context);
  const [user, password] = key ? [key.id, key.secret] : [token, secret];
  const isUser = key ? KEY.test(user) : true;
  if (!ACCOUNT.test(token) || !isUser || !SECRET.test(password)) return undefined;
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

export async function ask(
  address: string,
  context: TwilioContext,
  request: FetchRequest,
): Promise<FetchAnswer | undefined> {
  const authorization = authorizationOf(context);
  if (authorization === undefined) return undefined;
  return context.fetch(address, { ...request, headers: { ...request.headers, authorization } });
}

export const call = async (path: string, context: TwilioContext, request: FetchRequest = {}) =>
  ask(addressOf(path, context), context, request);

/** https://www.twilio.com/docs/api/errors */
const LIMITED = new Set(['14107', '20429', '21611', '30001', '30022', '63017', '63018', '63038']);

/** Classifies a failed response. */
export const classifyFailure = failureClassifier({
  vendor: 'Twilio',
  malformed: 'invalid account SID, API key SID or secret',
  // A message can be created and fail immediately.
  errorsIn2xx: true,
  read(answer) {
    const json = answer.json();
    return {
      code: integerMember(json, 'code') ?? integerMember(json, 'error_code'),
      message: textMember(json, 'message') ?? textMember(json, 'error_message'),
    };
  },
  // Never processed: https://www.twilio.com/docs/api/errors/20429
  rateLimit: ({ status, code }) =>
    status === 429 || LIMITED.has(code) ? 'integration' : undefined,
  codes: {
    // The account, its permissions, and its sender.
    credentials:
      '10001 20003 20005 20006 20008 20403 20404 21212 21603 21606 21616 21659 21660 21661 21701 21703 21705 30002 63007'.split(
        ' ',
      ),
    window_closed: ['63016'],
    // Content SID unknown, variables invalid or missing, template not approved, paused.
    template_refused: '21655 21656 21657 63005 63013 63027 63028 63040 63041'.split(' '),
    recipient:
      '21211 21214 21217 21219 21265 21408 21604 21608 21610 21612 21614 21635 30003 30004 30005 30006 63003 63014 63015 63024 63032 63033'.split(
        ' ',
      ),
  },
  blame: ({ status }) => (status === 401 || status === 403 ? 'credentials' : 'content'),
});
