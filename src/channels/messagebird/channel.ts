import { claimsOf, isHashOf } from '../../lib/crypto/secret-token.ts';
import type { FetchAnswer, FetchRequest } from '../../lib/http/fetch.ts';
import { fieldsOfBody } from '../../lib/http/form-body.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { integerMember, listMember, textMember } from '../../lib/json/json-member.ts';
import { gsmLength } from '../../lib/text/gsm.ts';
import { type Blame, type Channel, type Context, matching } from '../channel.ts';
import { numberWithoutPlus, phoneAddress } from '../consent-address.ts';
import { UUID } from '../credential-formats.ts';
import { failureClassifier } from '../http-failure.ts';
import type { HookRequest, HookContext } from '../inbound.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { withTimeLeft } from '../validity.ts';
import { faultOfBirdRequest, readBird } from './bird-hook.ts';
import { birdText, checkBird, isBird, sendByBird } from './bird.ts';
import { readMessageBird } from './hook.ts';
import { MESSAGEBIRD_OPTIONS, VALIDITY, withMessageBirdOptions } from './options.ts';

/*
 * MessageBird SMS. The classic API, https://developers.messagebird.com/api/sms-messaging/, accepts keys until the end
 * of 2026 (https://bird.com/en-us/migrate/from-messagebird-classic, read on 2026-11-17). With a workspace and a
 * channel, its successor is used: https://docs.bird.com/api/channels-api (messagebird/bird.ts).
 * Text: up to 9 segments, which are 1,377 characters, or 603 with a character outside GSM 03.38. Addresses: phone
 * numbers in international format. Errors: https://developers.messagebird.com/api/#api-errors
 * Sent messages cannot be deleted, only scheduled ones.
 * Bird's third API, https://api.bird.com/v1/, with keys that begin with bird_live_, is not used: it was in
 * development when this was written.
 */
export const messagebird: Channel = {
  name: 'messagebird',
  title: 'MessageBird',
  category: 'sms',
  summary: 'SMS through MessageBird, now called Bird.',
  keywords: ['text', 'texting', 'phone', 'number'],
  aliases: ['bird'],
  docs: 'https://docs.bird.com/api/channels-api/api-reference/messaging',
  dashboard: 'https://app.bird.com',
  credentials: [
    {
      name: 'token',
      label: 'Access key',
      help: 'At app.bird.com, open Settings > Security > Access keys. For the classic API: at dashboard.messagebird.com, open Developers > API access > Add access key (live).',
      secret: true,
    },
    {
      name: 'consumer_key',
      label: 'Workspace ID',
      help: 'At app.bird.com, open Settings > Workspace. Leave it empty for the classic API, which ends in 2026.',
      secret: false,
      format: UUID,
    },
    {
      name: 'address',
      label: 'Channel ID',
      help: 'At app.bird.com, open Channels and choose your SMS channel. Leave it empty for the classic API.',
      secret: false,
      format: UUID,
    },
    {
      name: 'username',
      label: 'Originator',
      help: 'For the classic API only: a number from Numbers in the dashboard, with country code, or a name of up to 11 letters and digits. A Bird channel has its own sender.',
      secret: false,
    },
    {
      name: 'secret',
      label: 'Signing key',
      help: 'The signing key of the webhook subscription. For the classic API: at dashboard.messagebird.com, open Developers > Settings > Signing key. Verifies webhook requests from Bird.',
      secret: true,
    },
  ],
  needs: [
    ['token', 'consumer_key', 'address'],
    ['token', 'username'],
  ],
  needNames: ['Bird', 'Classic API'],
  recipient: {
    format: 'a phone number with country code, digits only (a leading + is allowed)',
    example: '31612345678',
    validate: matching(
      /^\+?[1-9]\d{4,14}$/,
      'must be a phone number with country code, digits only, such as 31612345678',
    ),
    consentAddress: phoneAddress,
    normalize: numberWithoutPlus,
  },
  limits: [
    {
      what: '1,377 characters of text, or 603 if one is outside GSM 03.38',
      link: 'https://developers.messagebird.com/api/sms-messaging/',
    },
  ],
  url: 'https://rest.messagebird.com',
  text: { max: 1377, measure: lengthOf, isSms: () => true },
  renderers: {
    text({ text }, { recipient, credentials }) {
      if (isBird(credentials)) return birdText(text, recipient);
      return {
        call: 'messages',
        body: {
          originator: credentials.username ?? '',
          recipients: [recipient.replace('+', '')],
          body: text,
          datacoding: gsmLength(text) === undefined ? 'unicode' : 'plain',
        },
      };
    },
    options: withMessageBirdOptions,
  },
  options: MESSAGEBIRD_OPTIONS,

  async send(request, { key, options }, context) {
    const { body } = withTimeLeft(request, options, context.clock.now(), VALIDITY);
    if (isBird(context.credentials)) return sendByBird(body, key, context, messagebird.url);
    // Reports are sent only for messages with a reference, to the URL given with it.
    const reportUrl = await context.hookUrl?.();
    const reporting = { reference: key, ...(reportUrl !== undefined && { reportUrl }) };
    const answer = await call('messages', context, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, ...reporting }),
    });
    const id = textMember(answer?.json(), 'id');
    if (answer?.status === 201 && id !== undefined) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  async check(context) {
    if (isBird(context.credentials)) return checkBird(context, messagebird.url);
    const answer = await call('balance', context);
    const payment = textMember(answer?.json(), 'payment');
    // The account has no name to show.
    return answer?.status === 200 && payment !== undefined
      ? { outcome: 'known', as: `a ${payment} account`, account: null }
      : classifyFailure(answer, context);
  },

  hook: {
    needs: [['secret']],
    setup:
      'At app.bird.com, open Developer > Webhooks and subscribe to sms.inbound and sms.outbound of the service "channels", with a signing key. For the classic API, at dashboard.messagebird.com: for messages, open Numbers, choose your number and create a flow with "Forward to URL" (POST); for delivery reports, open Developers > API settings and enter the URL for SMS status reports.',
    verify: (request, context) =>
      isSignedByBird(request)
        ? faultOfBirdRequest(request, context.credentials.secret ?? '', context.clock.now())
        : verifyClassic(request, context),
    parse: (request, { credentials }) =>
      isSignedByBird(request)
        ? readBird(jsonBody(request.body), credentials.address)
        : readMessageBird(fieldsOf(request)),
  },
  receipts: ['delivered', 'failed'],
  expires: true,
  // https://docs.bird.com/applications/channels/channels/supported-channels/sms/concepts/opt-in-and-opt-out-compliance
  answeredWords: new Set(
    'stop stopall end quit cancel unsubscribe arret detener parar ferma start resume unstop help info aide hulp hilfe ayuda ajuda aiuto'.split(
      ' ',
    ),
  ),
  // EC_SUBSCRIBER_OPTEDOUT
  blockedCodes: { report: /^103$/, as: 'vendor' },

  media: (reference, { credentials: { token = '' } }) => {
    const address = URL.parse(reference);
    if (address?.protocol !== 'https:') {
      const detail = 'not a Bird media URL';
      return Promise.resolve({ outcome: 'permanent', blame: 'content', detail });
    }
    const isTheirs = /(?:^|\.)bird\.com$/.test(address.hostname) && KEY.test(token);
    const headers = isTheirs ? { headers: { authorization: `AccessKey ${token}` } } : {};
    return Promise.resolve({ url: address.href, ...headers });
  },
};

/** The two APIs sign differently. */
const isSignedByBird = ({ header }: HookRequest) =>
  header('messagebird-signature-jwt') === undefined &&
  header('messagebird-signature') !== undefined;

/** https://developers.messagebird.com/api/#verifying-http-requests */
async function verifyClassic(
  request: HookRequest,
  { credentials: { secret = '' }, clock }: HookContext,
) {
  const claims = await claimsOf({
    token: request.header('messagebird-signature-jwt') ?? '',
    secret,
    issuer: 'MessageBird',
    now: clock.now(),
    claims: ['nbf', 'exp', 'jti', 'url_hash'],
  });
  if (typeof claims === 'string') return claims;
  if (!isHashOf(claims, 'url_hash', request.url)) return 'the token is for another URL';
  // A request without a body has no body hash.
  const matchesBody =
    isHashOf(claims, 'payload_hash', request.body) ||
    (request.body.length === 0 && !('payload_hash' in claims));
  return matchesBody ? undefined : 'the token is for another body';
}

/** Reports have their fields in the query, messages also in a form or JSON. */
const fieldsOf = ({ method, query, body, header }: HookRequest): Map<string, string> =>
  method === 'GET' ? new Map(query) : fieldsOfBody(body, header('content-type'));

/** Scaled so that 1,377 is the maximum for every text: outside the GSM alphabet, only 603 characters fit. */
function lengthOf(text: string): number {
  return gsmLength(text) ?? Math.ceil((text.length * 1377) / 603);
}

const KEY = /^[\x21-\x7e]{1,100}$/;

/** Undefined when the key contains characters that headers cannot hold. */
async function call(
  path: string,
  { credentials: { token = '' }, url, fetch }: Context,
  request: FetchRequest = {},
): Promise<FetchAnswer | undefined> {
  if (!KEY.test(token)) return undefined;
  const headers = { ...request.headers, authorization: `AccessKey ${token}` };
  return fetch(`${url}/${path}`, { ...request, headers });
}

/** The cause, by the missing or invalid parameter. */
const BLAME_BY_PARAMETER = new Map<string, Blame>([
  ['recipients', 'recipient'],
  ['recipient', 'recipient'],
  ['originator', 'credentials'],
]);

/** Classifies a failed response. */
const classifyFailure = failureClassifier({
  vendor: 'MessageBird',
  malformed: 'invalid access key',
  errorsIn2xx: true,
  read(answer) {
    const error = errorIn(answer);
    return { code: integerMember(error, 'code'), message: textMember(error, 'description') };
  },
  // An internal error, regardless of the status.
  exception: ({ code }) => (code === '99' ? 'maybe sent' : undefined),
  codes: { credentials: ['2', '25'] },
  blame({ status, answer }) {
    if (status === 401 || status === 403) return 'credentials';
    return BLAME_BY_PARAMETER.get(textMember(errorIn(answer), 'parameter') ?? '');
  },
});

const errorIn = (answer: FetchAnswer) => listMember(answer.json(), 'errors')[0];
