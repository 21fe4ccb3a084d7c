import {
  webhookFault,
  webhookHeaders,
  webhookSecrets,
} from '../../lib/crypto/standard-webhooks.ts';
import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { retryAfter } from '../../lib/http/retry-after.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import { memoize } from '../../lib/runtime/memoize.ts';
import { type Channel, type Outcome, matching } from '../channel.ts';
import { SERVER_URL } from '../credential-formats.ts';
import { failureClassifier } from '../http-failure.ts';
import type { InboundEvent, Party } from '../inbound.ts';
import { isSuccess } from '../unexpected-success.ts';
import { receivedObject, threadOf } from './received-object.ts';

/*
 * Any HTTP endpoint, using Standard Webhooks.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * The endpoint receives the recipient and interprets it.
 */
export const webhook: Channel = {
  name: 'webhook',
  title: 'Webhook',
  category: 'own',
  summary: 'Posts each message to a URL of your own, signed.',
  keywords: ['http', 'api', 'custom', 'url', 'zapier', 'n8n', 'own'],
  docs: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  credentials: [
    {
      name: 'address',
      label: 'Endpoint URL',
      help: 'The http or https URL of your service. Switchboard posts each message to it.',
      secret: false,
      format: SERVER_URL,
    },
    {
      name: 'secret',
      label: 'Signing secret',
      help: 'whsec_ followed by 24 to 64 random bytes in base64 (openssl rand -base64 32). Your service verifies the signature with it. To rotate it, enter both secrets separated by a space: both sign.',
      secret: true,
      format: {
        pattern: /^whsec_[A-Za-z\d+/]{32,88}={0,2}(?: whsec_[A-Za-z\d+/]{32,88}={0,2})?$/,
        hint: 'Signing secrets start with whsec_, followed by 24 to 64 bytes in base64.',
      },
      generate: 'whsec',
    },
  ],
  needs: [['address']],
  recipient: {
    format: 'any text that your endpoint understands, up to 512 characters',
    example: 'customer-42',
    validate: matching(/^.{1,512}$/su, 'must be 1 to 512 characters'),
  },
  limits: [
    {
      what: '20 kB per message recommended',
      link: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
    },
  ],
  renderers: 'whole',
  concurrency: 16,
  // All attempts have the same `webhook-id`.
  idempotent: true,
  propagatesTrace: true,

  async send(_request, { key, json }, { credentials: { address = '', secret }, fetch, clock }) {
    const fault = faultOf(address);
    if (fault !== undefined) return refused(fault);
    const timestamp = Math.floor(clock.now() / 1000);
    const secrets = secret === undefined || secret === '' ? [] : webhookSecrets(secret);
    const answer = await fetch(address, {
      method: 'POST',
      headers: {
        // Not application/activity+json, since webhook receivers expect this type.
        'content-type': 'application/json',
        ...webhookHeaders({ id: key, timestamp, body: json }, secrets),
      },
      body: json,
    });
    return isSuccess(answer) ? { outcome: 'sent' } : classifyFailure(answer, { clock });
  },

  hook: {
    needs: [['secret']],
    setup:
      'When somebody replies, your service posts an activity to this URL, signed with the same secret (Standard Webhooks).',
    verify({ header, body }, { credentials: { secret = '' }, clock }) {
      if (secret === '') return 'the integration has no secret';
      return webhookFault(header, body, webhookSecrets(secret), clock.now());
    },
    parse({ header, body }) {
      const activity = activityOf(jsonBody(body), header('webhook-id') ?? '');
      return activity && [activity];
    },
  },
};

/** The kind of inbound event for each activity type. */
const EVENT_KINDS = { Create: 'message', Update: 'edit', Delete: 'deletion' } as const;

/**
 * A message from the endpoint: an activity with `actor`, `object` and, in a group, `target`. File URLs are passed on
 * unchanged, since the endpoint belongs to the application.
 */
function activityOf(body: unknown, key: string): InboundEvent | undefined {
  const type = textMember(body, 'type');
  const what =
    type === 'Create' || type === 'Update' || type === 'Delete' ? EVENT_KINDS[type] : undefined;
  const from = partyOf(member(body, 'actor'));
  const sent = member(body, 'object');
  if (!what || !from) return undefined;
  const group = groupOf(member(body, 'target'));
  const at = momentOf(member(body, 'published'));
  const common = { key, from, ...(group && { group }), ...(at !== undefined && { at }) };
  const id = textMember(sent, 'id');
  if (what === 'deletion') return id === undefined ? undefined : { ...common, what, id };
  const object = receivedObject(sent);
  if (!object) return undefined;
  const context = object.context ?? threadOf(member(body, 'context'));
  return { ...common, what, object: { ...object, ...(context !== undefined && { context }) } };
}

/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799;

/** Unix time in seconds, or ISO 8601. */
function momentOf(published: unknown): number | undefined {
  const seconds = typeof published === 'string' ? Date.parse(published) / 1000 : published;
  const isMoment = typeof seconds === 'number' && seconds >= 0 && seconds <= LAST_SECOND;
  return isMoment ? Math.floor(seconds * 1000) : undefined;
}

function partyOf(value: unknown): Party | undefined {
  const [id, name] = [textMember(value, 'id'), textMember(value, 'name')];
  if (id === undefined || !/^.{1,512}$/su.test(id)) return undefined;
  return name === undefined ? { id } : { id, name };
}

const groupOf = (value: unknown) =>
  textMember(value, 'type') === 'Group' ? partyOf(value) : undefined;

/** Why nothing can be posted to the URL. Cached, since every message asks and there are few URLs. */
const faultOf = memoize((address): string | undefined => {
  const { protocol = '', username, password } = URL.parse(address) ?? {};
  if (!/^https?:$/.test(protocol)) return 'the address must be an http or https URL';
  return username || password
    ? 'the address must not contain a user name or password; use the secret'
    : undefined;
}, 1_000);

/** The credentials name the endpoint, so a missing one is not the recipient's fault. */
function refused(detail: string): Outcome {
  return { outcome: 'permanent', blame: 'credentials', detail };
}

/** Authentication, location or payment. https://www.rfc-editor.org/rfc/rfc9110#section-15.5 */
const ENDPOINT_STATUSES = new Set([401, 402, 403, 404, 405, 407, 410]);
/** Timeout, conflict, locked, too early: not accepted, but a retry may be. */
const RETRYABLE_STATUSES = new Set([408, 409, 423, 425]);

const classifyFailure = failureClassifier({
  vendor: 'the endpoint',
  isPrefixed: true,
  isOwnServer: true,
  read: (answer) => ({ message: excerpt(answer), isVendorFormat: true }),
  rateLimit({ status, answer }) {
    const isPaused = status === 503 && retryAfter(answer.header('retry-after'), 0) !== undefined;
    return status === 429 || isPaused ? 'integration' : undefined;
  },
  exception: ({ status }) => (RETRYABLE_STATUSES.has(status) ? 'unsent' : undefined),
  // Any other error concerns this message: others may still be accepted.
  blame: ({ status }) => (ENDPOINT_STATUSES.has(status) ? 'credentials' : 'content'),
});

/** The endpoint's error text, if it is a readable line. */
function excerpt({ text }: FetchAnswer): string {
  const [first = ''] = text.trim().split(/[\r\n]/, 1);
  const line = first
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 200)
    .toWellFormed();
  return line.startsWith('<') ? '' : line;
}
