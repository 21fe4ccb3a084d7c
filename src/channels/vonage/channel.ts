import { randomUUID } from 'node:crypto';

import { signJwt } from '../../lib/crypto/jwt.ts';
import { claimsOf, isHashOf } from '../../lib/crypto/secret-token.ts';
import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { fieldsOfBody } from '../../lib/http/form-body.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import { WHATSAPP_TEXT } from '../../lib/rich-text/whatsapp-text.ts';
import { gsmLength } from '../../lib/text/gsm.ts';
import type { Credentials } from '../../model/integration.ts';
import {
  type Channel,
  type Context,
  type Failure,
  type MediaRenderer,
  type Outcome,
  matching,
} from '../channel.ts';
import { numberWithoutPlus, phoneAddress } from '../consent-address.ts';
import { PRIVATE_KEY, UUID } from '../credential-formats.ts';
import { failureClassifier } from '../http-failure.ts';
import type { HookRequest, HookContext } from '../inbound.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { withTimeLeft, withTtl } from '../validity.ts';
import { faultOfParameters, readMessages, readParameters } from './hook.ts';
import {
  ADDRESS,
  formatsFor,
  isSms,
  isWhatsApp,
  mediaForm,
  placeMessage,
  parseAddress,
  textMessage,
} from './networks.ts';
import { VALIDITY, VONAGE_OPTIONS } from './options.ts';

/*
 * Vonage. With an application's private key, the Messages API, https://developer.vonage.com/en/api/messages: SMS,
 * MMS, WhatsApp, Viber and RCS (vonage/networks.ts). With the account's key and secret, the older SMS API,
 * https://developer.vonage.com/en/api/sms, which has another host and always responds with 200.
 * Text: 1,000 characters, the limit of SMS and Viber; WhatsApp and RCS would accept more. Addresses: E.164 without +
 * or 00, 7 to 15 digits, after the name of a network if it is not SMS.
 */
const MESSAGES = 'https://api.nexmo.com';
const REST = 'https://rest.nexmo.com';

export const vonage: Channel = {
  name: 'vonage',
  title: 'Vonage',
  category: 'sms',
  summary: 'SMS, MMS, RCS, WhatsApp and Viber through Vonage, formerly Nexmo.',
  keywords: ['text', 'texting', 'phone', 'number', 'mms', 'whats app'],
  aliases: ['nexmo'],
  docs: 'https://developer.vonage.com/en/api/messages',
  dashboard: 'https://dashboard.vonage.com',
  credentials: [
    {
      name: 'token',
      label: 'API key',
      help: 'At dashboard.vonage.com, open API Settings > API key (8 characters).',
      secret: false,
      publicBecause: 'an API key identifies the account; the API secret is the secret',
    },
    {
      name: 'secret',
      label: 'API secret',
      help: 'At dashboard.vonage.com, open API Settings > Account secret.',
      secret: true,
    },
    {
      name: 'username',
      label: 'Sender',
      help: 'A number from Numbers > Your numbers, digits only, or a name of up to 11 letters and digits where the country allows it. For Viber, the service ID. For RCS, the agent name.',
      secret: false,
    },
    {
      name: 'consumer_key',
      label: 'Application ID',
      help: 'At dashboard.vonage.com, open Applications and choose your application. It needs the Messages capability.',
      secret: false,
      format: UUID,
    },
    {
      name: 'consumer_secret',
      label: 'Private key',
      help: 'The private.key file from Applications > Edit > Generate public and private key. Paste the whole file.',
      secret: true,
      format: PRIVATE_KEY,
    },
    {
      name: 'refresh',
      label: 'Signature secret',
      help: 'At dashboard.vonage.com, open API Settings > Signature secret. Verifies webhook requests from Vonage.',
      secret: true,
    },
  ],
  needs: [
    ['token', 'secret', 'username'],
    ['consumer_key', 'consumer_secret', 'username'],
  ],
  needNames: ['API key', 'Application'],
  recipient: {
    format:
      'a phone number with country code, digits only, without + or 00; prefixed with whatsapp:, viber:, rcs: or mms: for those networks',
    example: '447700900000',
    validate: matching(
      ADDRESS,
      'must be a phone number with country code, 7 to 15 digits, without + or 00, or whatsapp:, viber:, rcs: or mms: followed by such a number',
    ),
    consentAddress: phoneAddress,
    normalize: numberWithoutPlus,
  },
  limits: [
    {
      what: '1,000 characters of text',
      link: 'https://developer.vonage.com/en/api/messages',
    },
    {
      what: '30 requests per second',
      link: 'https://api.support.vonage.com/hc/en-us/articles/203993598-What-is-the-Throughput-Limit-for-Outbound-SMS',
    },
  ],
  url: MESSAGES,
  text: {
    max: 1000,
    measure: (text) => text.length,
    write: (rich, to) => (isWhatsApp(to) ? WHATSAPP_TEXT.write(rich) : undefined),
    clashes: (rich, to) => isWhatsApp(to) && WHATSAPP_TEXT.clashes(rich),
    isSms,
    formats: (_, to) => formatsFor(to),
  },
  renderers: {
    text({ text }, to) {
      const { recipient, credentials } = to;
      if (hasApplication(credentials)) return textMessage(text, to);
      const parties = { to: parseAddress(recipient).number, from: credentials.username ?? '' };
      // The Messages API detects the alphabet; the SMS API must be told.
      const type = gsmLength(text) === undefined ? 'unicode' : 'text';
      return { call: 'sms/json', body: { ...parties, text, type } };
    },
    image: requiringApplication(mediaForm('image')),
    video: requiringApplication(mediaForm('video')),
    audio: requiringApplication(mediaForm('audio')),
    document: requiringApplication(mediaForm('file')),
    place: (part, to) =>
      hasApplication(to.credentials) ? placeMessage(part, to) : { unsupported: NEEDS_APPLICATION },
    options: (request, to) => withTtl(request, to, VALIDITY),
  },
  options: VONAGE_OPTIONS,
  window: {
    hours: 24,
    appliesTo: (recipient) => recipient.startsWith('whatsapp:'),
    link: 'https://developer.vonage.com/en/messages/concepts/whatsapp',
  },
  pace: { integration: { count: 30, seconds: 1, burst: 30 } },

  async send(request, { recipient, options }, context) {
    const { body } = withTimeLeft(request, options, context.clock.now(), VALIDITY);
    if (!hasApplication(context.credentials)) {
      if (isSms({ recipient })) return sendSms(body, context);
      return { outcome: 'permanent', blame: 'recipient', detail: NEEDS_APPLICATION };
    }
    const hookUrl = await context.hookUrl?.();
    const reporting = hookUrl === undefined ? {} : { webhook_url: hookUrl, webhook_version: 'v1' };
    const answer = await post({ ...body, ...reporting }, context);
    const id = textMember(answer?.json(), 'message_uuid');
    if (answer?.status === 202 && id !== undefined) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  async check(context) {
    const { token, consumer_key: application } = context.credentials;
    if (hasApplication(context.credentials)) {
      // No endpoint identifies the owner of a token. An empty message is refused, but only after authentication.
      const answer = await post({}, context);
      if (answer?.status === 422)
        return { outcome: 'known', as: `application ${application}`, account: application ?? null };
      return classifyFailure(answer, context);
    }
    const basic = basicOf(context.credentials);
    if (basic === undefined) return classifyFailure(undefined, context);
    const answer = await context.fetch(`${smsBase(context)}/account/get-balance`, {
      headers: { authorization: basic },
    });
    const isKnown = answer.status === 200 && typeof answer.json() === 'object';
    return isKnown
      ? { outcome: 'known', as: `account ${token}`, account: token ?? null }
      : classifyFailure(answer, context);
  },

  hook: {
    needs: [['refresh']],
    setup:
      'At dashboard.vonage.com. With an application: open Applications > your application > Edit > Messages, and enter the Inbound URL and Status URL, version v1. With key and secret only: open API Settings > SMS settings, enter the URLs for inbound messages and delivery receipts with method POST-JSON, and ask Vonage support to turn on signed webhooks.',
    verify,
    parse: (request) =>
      isMessagesApi(request)
        ? readMessages(jsonBody(request.body))
        : readParameters(parametersOf(request)),
  },
  receipts: ['delivered', 'read', 'failed'],
  expires: true,
  // https://developer.vonage.com/en/opt-out-assist/guides/messaging-opted-out-numbers
  blockedCodes: { send: /^(?:7|1050)$/, report: /^(?:9|1240)$/, as: 'vendor' },

  media(reference, context) {
    const address = URL.parse(reference);
    if (address?.protocol !== 'https:') {
      const detail = 'not a Vonage media URL';
      return Promise.resolve({ outcome: 'permanent', blame: 'content', detail });
    }
    const isVonageHost = /(?:^|\.)(?:nexmo|vonage)\.com$/.test(address.hostname);
    const token = isVonageHost ? tokenOf(context) : undefined;
    const headers = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
    return Promise.resolve({ url: address.href, ...headers });
  },
};

/** The Messages API authenticates with a token; the older API signs its parameters. */
const isMessagesApi = ({ header }: HookRequest) => header('authorization') !== undefined;

/** https://developer.vonage.com/en/getting-started/concepts/webhooks#decoding-signed-webhooks */
const MAX_AGE_SECONDS = 300;

async function verify(request: HookRequest, { credentials, clock }: HookContext) {
  const { refresh: secret = '', token: key } = credentials;
  if (!isMessagesApi(request)) return faultOfParameters(parametersOf(request), secret, clock.now());
  const [, token = ''] = /^Bearer (\S+)$/i.exec(request.header('authorization') ?? '') ?? [];
  const signed = { token, secret, issuer: 'Vonage', claims: ['payload_hash'] };
  const claims = await claimsOf({ ...signed, now: clock.now(), maxAgeSeconds: MAX_AGE_SECONDS });
  if (typeof claims === 'string') return claims;
  if (!isHashOf(claims, 'payload_hash', request.body)) return 'the token is for another body';
  const isOurs = key === undefined || textMember(claims, 'api_key') === key;
  return isOurs ? undefined : 'the token is for another account';
}

/** In JSON, a form, or the query, depending on the account's settings. */
const parametersOf = ({ method, query, body, header }: HookRequest): Map<string, string> =>
  method === 'GET' ? new Map(query) : fieldsOfBody(body, header('content-type'));

function hasApplication({ consumer_key, consumer_secret }: Credentials): boolean {
  return consumer_key !== undefined && consumer_secret !== undefined;
}

const NEEDS_APPLICATION =
  'the Vonage SMS API sends text only; anything else requires an application';

function requiringApplication(form: MediaRenderer): MediaRenderer {
  return {
    ...form,
    compose: (part, to) =>
      hasApplication(to.credentials) ? form.compose(part, to) : { unsupported: NEEDS_APPLICATION },
  };
}

const TOKEN_LIFETIME_SECONDS = 900;
const APPLICATION = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Undefined without a valid private key. https://developer.vonage.com/en/getting-started/concepts/authentication */
function tokenOf({ credentials, clock }: Context): string | undefined {
  const { consumer_key: application_id = '', consumer_secret = '' } = credentials;
  const iat = Math.floor(clock.now() / 1000);
  const claims = { application_id, iat, exp: iat + TOKEN_LIFETIME_SECONDS, jti: randomUUID() };
  return APPLICATION.test(application_id) ? signJwt(claims, consumer_secret) : undefined;
}

async function post(body: object, context: Context): Promise<FetchAnswer | undefined> {
  const token = tokenOf(context);
  if (token === undefined) return undefined;
  return context.fetch(`${context.url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const smsBase = ({ url }: Context) => (url === MESSAGES ? REST : url);

const KEY = /^[\x21-\x39\x3b-\x7e]{1,100}$/;
const SECRET = /^[\x21-\x7e]{1,100}$/;

function basicOf({ token = '', secret = '' }: Credentials): string | undefined {
  if (!KEY.test(token) || !SECRET.test(secret)) return undefined;
  return `Basic ${Buffer.from(`${token}:${secret}`).toString('base64')}`;
}

async function sendSms(body: object, context: Context): Promise<Outcome> {
  const { token = '', secret = '' } = context.credentials;
  if (basicOf(context.credentials) === undefined) return classifyFailure(undefined, context);
  const hookUrl = await context.hookUrl?.();
  const form = {
    api_key: token,
    api_secret: secret,
    ...body,
    ...(hookUrl !== undefined && { callback: hookUrl }),
  };
  const answer = await context.fetch(`${smsBase(context)}/sms/json`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  // A long text is split into several messages, each with its own status.
  const parts = partsOf(answer.json());
  const [first] = parts;
  if (!first) return sentUnlessRefused(answer, classifyFailure(answer, context));
  const failed = parts.find(({ status }) => status !== '0');
  if (!failed) return { outcome: 'sent', ...(first.id !== undefined && { id: first.id }) };
  return classifySmsFailure(failed, first.status === '0');
}

interface Part {
  status: string;
  id?: string | undefined;
  text: string;
}

function partsOf(json: unknown): Part[] {
  const messages = member(json, 'messages');
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((each: unknown) => {
    const status = textMember(each, 'status');
    const text = textMember(each, 'error-text') ?? `Vonage answered status ${status}`;
    return status === undefined ? [] : [{ status, id: textMember(each, 'message-id'), text }];
  });
}

/** https://developer.vonage.com/en/messaging/sms/guides/troubleshooting-sms */
const SMS_CODES: Readonly<Record<'credentials' | 'recipient', readonly string[]>> = {
  credentials: ['4', '8', '9', '11', '14', '15', '19', '32'],
  recipient: ['6', '7', '29', '33', '34'],
};

function classifySmsFailure({ status: code, text: detail }: Part, isPartlySent: boolean): Failure {
  // A partly sent text must not be sent twice.
  if (isPartlySent) return { outcome: 'transient', maybeSent: true, detail, code };
  if (code === '1' || code === '10') {
    const [, milliseconds] = /wait \[ ?(\d{1,9}) ?\]/.exec(detail) ?? [];
    const wait =
      milliseconds === undefined ? {} : { seconds: Math.ceil(Number(milliseconds) / 1000) };
    return { outcome: 'limited', scope: 'integration', ...wait, detail, code };
  }
  if (code === '5' || code === '13') {
    return { outcome: 'transient', maybeSent: code === '5', detail, code };
  }
  const blame = (['credentials', 'recipient'] as const).find((each) =>
    SMS_CODES[each].includes(code),
  );
  return { outcome: 'permanent', blame: blame ?? blameOf(detail) ?? 'content', detail, code };
}

/** https://developer.vonage.com/en/api-errors/messages */
const MESSAGES_CODES: typeof SMS_CODES = {
  credentials: ['1060', '1070', '1080', '1110', '1120', '1140'],
  recipient: ['1040', '1050', '1160', '1170'],
};

/** Free text on WhatsApp more than 24 hours after the person last wrote. */
const OUTSIDE_WINDOW = '1340';

/** The invalid parameter, for errors that all parameters share. */
function blameOf(text: string): 'credentials' | 'recipient' | undefined {
  if (/\b(to|recipient|msisdn)\b/i.test(text)) return 'recipient';
  return /\b(from|sender)\b/i.test(text) ? 'credentials' : undefined;
}

/** Classifies a failed response of the Messages API; the end of a link identifies the error. */
const classifyFailure = failureClassifier({
  vendor: 'Vonage',
  malformed: 'invalid account or application keys',
  read(answer) {
    const json = answer.json();
    const [, code] = /#([\w-]{1,50})$/.exec(textMember(json, 'type') ?? '') ?? [];
    const title = titleOf(answer);
    const message = [title, textMember(json, 'detail')].filter(Boolean).join(': ');
    return { code, message, isVendorFormat: title !== undefined };
  },
  rateLimit: ({ status, code }) =>
    status === 429 || (status < 500 && code === '1000') ? 'integration' : undefined,
  exception: ({ code }) => (code === '1100' ? 'unsent' : undefined),
  blame({ status, code, answer }) {
    if (code === OUTSIDE_WINDOW) return 'window_closed';
    // Unknown, forbidden, or unpaid.
    if ([401, 402, 403].includes(status)) return 'credentials';
    const causes = ['credentials', 'recipient'] as const;
    const cause = causes.find((each) => MESSAGES_CODES[each].includes(code));
    return cause ?? blameOf(titleOf(answer) ?? '');
  },
});

function titleOf(answer: FetchAnswer): string | undefined {
  const json = answer.json();
  return textMember(json, 'title') ?? textMember(json, 'error-code-label');
}
