import { randomBytes } from 'node:crypto';

import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { integerMember, listMember, member, textMember } from '../../lib/json/json-member.ts';
import { gsmLength } from '../../lib/text/gsm.ts';
import type { Credentials } from '../../model/integration.ts';
import { type Channel, type Check, type Context, matching } from '../channel.ts';
import { numberWithPlus, phoneAddress } from '../consent-address.ts';
import { failureClassifier } from '../http-failure.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { EVENTS, isSignedByCallr, readCallr } from './hook.ts';

/*
 * CALLR: SMS over JSON-RPC 2.0 (sms.send). https://www.callr.com/docs/
 * Texts of more than 160 characters are sent in several segments. The carrier limits their number, which is not
 * documented; phones reliably join ten. Addresses: E.164. `nature` is in the examples of CALLR's own client:
 * https://github.com/THECALLR/sdk-go
 */
export const callr: Channel = {
  name: 'callr',
  title: 'CALLR',
  category: 'sms',
  summary: 'SMS from a French carrier, worldwide.',
  keywords: ['text', 'texting', 'voice', 'phone', 'number'],
  docs: 'https://www.callr.com/docs/',
  dashboard: 'https://www.callr.com',
  credentials: [
    {
      name: 'token',
      label: 'Login',
      help: 'The login of your CALLR API user. CALLR assigns it when you open the account.',
      secret: false,
      publicBecause: 'a login is a name; the password is the secret',
    },
    {
      name: 'secret',
      label: 'Password',
      help: 'The password for that login.',
      secret: true,
    },
    {
      name: 'username',
      label: 'Sender',
      help: "SMS, or a number or brand name that CALLR authorized for you. Leave it empty to send from one of CALLR's numbers.",
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'API key',
      help: 'Replaces login and password. In the CALLR customer area, open API keys and create one.',
      secret: true,
    },
    {
      name: 'refresh',
      label: 'Hook secret',
      help: 'The hmac_secret of your webhook subscriptions. Registering the webhook generates one.',
      secret: true,
    },
  ],
  needs: [['token', 'secret'], ['consumer_secret']],
  needNames: ['Login', 'API key'],
  recipient: {
    format: 'a phone number in E.164 format',
    example: '+33123456789',
    validate: matching(
      /^\+[1-9]\d{4,14}$/,
      'must be a phone number in E.164 format, such as +33123456789',
    ),
    consentAddress: phoneAddress,
    normalize: numberWithPlus,
  },
  limits: [],
  url: 'https://api.callr.com/json-rpc/v1.1',
  text: { max: 1530, measure: lengthOf, isSms: () => true },
  renderers: {
    // With an empty sender, CALLR chooses one that can receive replies.
    text: ({ text }, { recipient, credentials }) => ({
      call: 'sms.send',
      body: { method: 'sms.send', params: [credentials.username ?? '', recipient, text, null] },
    }),
    options: (request, { options: { nature } }) => {
      if (nature === undefined) return request;
      const params = listMember(request.body, 'params').with(3, {
        nature: String(nature).toUpperCase(),
      });
      return { ...request, body: { ...request.body, params } };
    },
  },
  options: [
    {
      name: 'nature',
      label: 'Nature',
      help: 'The kind of traffic. By default, CALLR decides.',
      rule: { type: 'choice', choices: ['alerting', 'marketing'] },
      link: 'https://www.callr.com/docs/api/services/sms/#sms.send',
    },
  ],

  async send({ body }, _message, context) {
    const answer = await call(body, context);
    const id = textMember(answer?.json(), 'result');
    const isSent = answer?.status === 200 && id !== undefined;
    return isSent
      ? { outcome: 'sent', id }
      : sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  async check(context) {
    // No method identifies the owner of a key; every key may call this one.
    const answer = await call({ method: 'webhooks.get_event_types', params: [] }, context);
    const isKnown = answer?.status === 200 && member(answer.json(), 'result') !== undefined;
    const { token, consumer_secret: key } = context.credentials;
    const as = key === undefined ? `the user ${token}` : 'the owner of an API key';
    const account = key === undefined ? (token ?? null) : null;
    return isKnown ? { outcome: 'known', as, account } : classifyFailure(answer, context);
  },

  hook: {
    needs: [['refresh']],
    setup:
      'Let Switchboard register the webhook. To do it yourself, call webhooks.subscribe for sms.mo and sms.mt.status_update, with the webhook secret as hmac_secret.',
    verify: ({ body, header }, { credentials: { refresh: secret = '' } }) =>
      isSignedByCallr(body, header('x-callr-hmacsignature'), secret)
        ? undefined
        : 'the signature does not match',
    parse: ({ body }) => readCallr(jsonBody(body)),
    register,
  },
  receipts: ['delivered', 'failed'],
};

async function register(url: string, context: Context): Promise<Check> {
  const { refresh: given } = context.credentials;
  const secret = given ?? randomBytes(32).toString('base64url');
  // Stored first: without the secret, CALLR's signatures cannot be verified.
  if (given === undefined) await context.storeCredentials({ refresh: secret });
  for (const event of EVENTS) {
    const params = [event, url, { hmac_secret: secret }];
    const answer = await call({ method: 'webhooks.subscribe', params }, context);
    const isAccepted = answer?.status === 200 && member(answer.json(), 'result') !== undefined;
    if (!isAccepted) return classifyFailure(answer, context);
  }
  return { outcome: 'known', as: EVENTS.join(', ') };
}

/** In GSM characters, 153 per segment. Outside the GSM alphabet, a segment holds 67, so each counts as 153 / 67. */
function lengthOf(text: string): number {
  return gsmLength(text) ?? Math.ceil((text.length * 153) / 67);
}

const LOGIN = /^[\x21-\x39\x3b-\x7e]{1,100}$/;
const SECRET = /^[\x20-\x7e]{1,200}$/;

function authorizationOf(credentials: Credentials): string | undefined {
  const { token = '', secret = '', consumer_secret: key } = credentials;
  if (key !== undefined) return LOGIN.test(key) ? `Api-Key ${key}` : undefined;
  if (!LOGIN.test(token) || !SECRET.test(secret)) return undefined;
  return `Basic ${Buffer.from(`${token}:${secret}`).toString('base64')}`;
}

/** Undefined when the credentials contain characters that headers cannot hold. */
async function call(request: object, context: Context): Promise<FetchAnswer | undefined> {
  const authorization = authorizationOf(context.credentials);
  if (authorization === undefined) return undefined;
  return context.fetch(`${context.url}/`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json-rpc; charset=utf-8' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
  });
}

/** Classifies a failed response. Refusals have status 200. */
const classifyFailure = failureClassifier({
  vendor: 'CALLR',
  malformed: 'invalid login, password or API key',
  errorsIn2xx: true,
  read(answer) {
    const error = member(answer.json(), 'error');
    const code = integerMember(error, 'code') ?? textMember(error, 'code');
    return { code, message: textMember(error, 'message') };
  },
  exception({ status, code }) {
    if (status === 401 || status === 403) return 'permanent';
    // https://www.jsonrpc.org/specification#error_object: an internal error.
    return code === '-32603' ? 'maybe sent' : undefined;
  },
  // CALLR does not document its error codes, so the message text decides.
  blame({ status, message }) {
    if (status === 401 || status === 403) return 'credentials';
    if (/auth|log.?in|password|api.?key|credit|balance|quota|sender|\bfrom\b/i.test(message)) {
      return 'credentials';
    }
    return /\bto\b|number|recipient|destination|phone|blacklist/i.test(message)
      ? 'recipient'
      : 'content';
  },
});
