import type { FetchAnswer, FetchRequest } from '../lib/fetch.ts';
import { fieldsOfBody } from '../lib/form-or-json.ts';
import { gsmLength } from '../lib/gsm.ts';
import { integerMember, member, textMember } from '../lib/member.ts';
import { retryAfter } from '../lib/retry-after.ts';
import { claimsOf, isHashOf } from '../lib/signed-by-secret.ts';
import { foreignAnswer, sentUnlessRefused } from './answers.ts';
import { type Blame, type Channel, type Context, type Failure, matching } from './channel.ts';
import type { HookCall, HookContext } from './inbound.ts';
import { readMessageBird } from './messagebird/hook.ts';

/*
 * MessageBird (Bird) SMS. https://developers.messagebird.com/api/sms-messaging/
 * Text: up to 9 parts, which is 1,377 characters, or 603 when one of them is outside GSM 03.38.
 * Addresses: phone numbers in international form. Errors: https://developers.messagebird.com/api/#api-errors
 * What was sent cannot be taken back: only what is scheduled can be deleted.
 */
export const messagebird: Channel = {
  name: 'messagebird',
  title: 'MessageBird',
  docs: 'https://developers.messagebird.com/api/sms-messaging/',
  credentials: [
    {
      name: 'token',
      label: 'Access key',
      help: 'At dashboard.messagebird.com, choose Developers, API access, Add access key (a live one).',
      secret: true,
    },
    {
      name: 'username',
      label: 'Originator',
      help: 'The sender: a number from Numbers in the dashboard, with country code, or a name of up to 11 letters and digits.',
      secret: false,
    },
    {
      name: 'secret',
      label: 'Signing key',
      help: 'At dashboard.messagebird.com, choose Developers, Settings, Signing key. It verifies what MessageBird sends to our hook.',
      secret: true,
    },
  ],
  needs: [['token', 'username']],
  recipient: {
    form: 'a phone number with country code, digits only (a leading + may stay)',
    example: '31612345678',
    check: matching(
      /^\+?[1-9]\d{4,14}$/,
      'must be a phone number with country code, digits only, such as 31612345678',
    ),
  },
  limits: [
    {
      what: '1,377 characters of text, 603 when one is outside GSM 03.38',
      link: 'https://developers.messagebird.com/api/sms-messaging/',
    },
  ],
  url: 'https://rest.messagebird.com',
  text: { most: 1377, measure: lengthOf, isSms: () => true },
  forms: {
    text: ({ text }, { recipient, credentials }) => ({
      call: 'messages',
      body: {
        originator: credentials.username ?? '',
        recipients: [recipient.replace('+', '')],
        body: text,
        datacoding: gsmLength(text) === undefined ? 'unicode' : 'plain',
      },
    }),
  },

  async send({ body }, { key }, context) {
    // Reports come of messages with a reference only, and go to the address that is given with it.
    const reportUrl = await context.hookUrl?.();
    const reported = { reference: key, ...(reportUrl !== undefined && { reportUrl }) };
    const answer = await call('messages', context, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, ...reported }),
    });
    const id = textMember(answer?.json(), 'id');
    if (answer?.status === 201 && id !== undefined) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, sort(answer, context));
  },

  async check(context) {
    const answer = await call('balance', context);
    const payment = textMember(answer?.json(), 'payment');
    // There is nothing that has a name.
    return answer?.status === 200 && payment !== undefined
      ? { outcome: 'known', as: `a ${payment} account` }
      : sort(answer, context);
  },

  hook: {
    needs: [['secret']],
    setup:
      'At dashboard.messagebird.com, for messages: Numbers, your number, a flow with "Forward to URL" (POST). For what became of messages: Developers, API settings, the address for SMS status reports.',
    verify,
    parse: (given) => readMessageBird(fieldsOf(given)),
  },
  receipts: ['delivered', 'failed'],
};

/** https://developers.messagebird.com/api/#verifying-http-requests */
async function verify(given: HookCall, { credentials: { secret = '' }, clock }: HookContext) {
  const claims = await claimsOf({
    token: given.header('messagebird-signature-jwt') ?? '',
    secret,
    issuer: 'MessageBird',
    now: clock.now(),
    claims: ['nbf', 'exp', 'jti', 'url_hash'],
  });
  if (typeof claims === 'string') return claims;
  if (!isHashOf(claims, 'url_hash', given.url)) return 'the token is for another address';
  // Without a body there is no hash of it.
  const isWhole =
    isHashOf(claims, 'payload_hash', given.body) ||
    (given.body.length === 0 && !('payload_hash' in claims));
  return isWhole ? undefined : 'the token is for another body';
}

/** Reports come in the address, messages also as a form or as JSON. */
const fieldsOf = ({ method, query, body, header }: HookCall): Map<string, string> =>
  method === 'GET' ? new Map(query) : fieldsOfBody(body, header('content-type'));

/** In characters of which 1,377 fit; of those outside the alphabet of text messages, 603 do. */
function lengthOf(text: string): number {
  return gsmLength(text) ?? Math.ceil((text.length * 1377) / 603);
}

const KEY = /^[\x21-\x7e]{1,100}$/;

/** Undefined when there is no key that could be part of a header. */
async function call(
  path: string,
  { credentials: { token = '' }, url, fetch }: Context,
  request: FetchRequest = {},
): Promise<FetchAnswer | undefined> {
  if (!KEY.test(token)) return undefined;
  const headers = { ...request.headers, authorization: `AccessKey ${token}` };
  return fetch(`${url}/${path}`, { ...request, headers });
}

/** Not to be known or allowed, and not to have enough credit. */
const OF_CREDENTIALS = new Set(['2', '25']);
/** Whose parameter it is that is missing or wrong. */
const BLAMED = new Map<string, Blame>([
  ['recipients', 'recipient'],
  ['recipient', 'recipient'],
  ['originator', 'credentials'],
]);

/** What an answer means that is no success. */
function sort(answer: FetchAnswer | undefined, { clock }: Context): Failure {
  if (!answer) {
    const detail = 'this is not an access key of MessageBird';
    return { outcome: 'permanent', blame: 'credentials', detail };
  }
  const foreign = foreignAnswer(answer);
  if (foreign) return foreign;
  const { status } = answer;
  const errors = member(answer.json(), 'errors');
  const error: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const own = integerMember(error, 'code');
  const code = own ?? String(status);
  const detail =
    textMember(error, 'description') ?? `MessageBird answered ${status} without a reason`;
  if (status === 429) {
    const seconds = retryAfter(answer.header('retry-after'), clock.now());
    const wait = seconds === undefined ? {} : { seconds };
    return { outcome: 'limited', whom: 'integration', ...wait, detail, code };
  }
  // 99 is an error of theirs, whatever the status.
  if (status >= 500 || own === undefined || own === '99') {
    const surely = status === 503 || (status >= 300 && status < 500 && own !== '99');
    return { outcome: 'transient', perhapsSent: !surely, detail, code };
  }
  const isOfCredentials = OF_CREDENTIALS.has(own) || status === 401 || status === 403;
  const blame = BLAMED.get(textMember(error, 'parameter') ?? '') ?? 'content';
  return { outcome: 'permanent', blame: isOfCredentials ? 'credentials' : blame, detail, code };
}
