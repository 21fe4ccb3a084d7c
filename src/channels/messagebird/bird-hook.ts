import { createHash, createHmac } from 'node:crypto';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import { integerMember, listMember, member, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { NOTHING, ignored } from '../inbound.ts';
import type { HookRequest } from '../inbound.ts';

/*
 * Parses Bird's webhook requests:
 * https://docs.bird.com/api/channels-api/supported-channels/programmable-sms/receiving-messages,
 * https://docs.bird.com/api/channels-api/message-status-and-interactions/message-failure-codes
 */

/** Bird retries a request for 8 hours, and does not document whether it signs each retry anew. */
const MAX_AGE_SECONDS = 9 * 3600;
const MAX_AHEAD_SECONDS = 300;

/** https://docs.bird.com/api/notifications-api/api-reference/webhooks/verifying-a-webhook */
export function faultOfBirdRequest(
  { header, url, body }: HookRequest,
  secret: string,
  now: number,
): string | undefined {
  if (secret === '') return 'the integration has no signing key';
  const timestamp = header('messagebird-request-timestamp') ?? '';
  const signature = createHmac('sha256', secret)
    .update(`${timestamp}\n${url}\n`)
    .update(createHash('sha256').update(body).digest())
    .digest('base64');
  if (!equalInConstantTime(signature, header('messagebird-signature'))) {
    return 'the signature does not match';
  }
  const age = /^\d{1,12}$/.test(timestamp) ? now / 1000 - Number(timestamp) : Number.NaN;
  const isCurrent = age <= MAX_AGE_SECONDS && age >= -MAX_AHEAD_SECONDS;
  return isCurrent ? undefined : 'timestamp outside the tolerance';
}

const STATES = new Map<string, 'delivered' | 'failed'>([
  ['delivered', 'delivered'],
  ['sending_failed', 'failed'],
  ['delivery_failed', 'failed'],
]);

/** The reports in a webhook request; undefined if it is not Bird's. */
export function readBird(json: unknown, channel: string | undefined) {
  const event = textMember(json, 'event');
  const payload = member(json, 'payload');
  const id = textMember(payload, 'id');
  if (event === undefined || id === undefined) return undefined;
  if (channel !== undefined && textMember(payload, 'channelId') !== channel) {
    return ignored(event, 'elsewhere');
  }
  if (event === 'sms.inbound') return received(id, payload);
  return event === 'sms.outbound' ? reported(id, payload) : ignored(event, 'no_event');
}

function received(id: string, payload: unknown) {
  const from = textMember(payload, 'sender', 'contact', 'identifierValue');
  if (from === undefined) return ignored('sms.inbound', 'incomplete');
  // Short codes and sender names cannot be replied to.
  if (!/^\+?\d{5,15}$/.test(from)) return ignored('sms.inbound', 'unanswerable');
  const [text, media] = [textIn(member(payload, 'body')), mediaIn(member(payload, 'body'))];
  if (text === undefined && media.length === 0) return ignored('sms.inbound', 'no_content');
  const at = Date.parse(textMember(payload, 'createdAt') ?? '');
  return [
    {
      what: 'message' as const,
      key: id,
      id,
      // In the format of the classic API, so that a person has the same id in both.
      from: { id: from.replace('+', '') },
      ...omitUndefined({
        text,
        media: media.length > 0 ? media : undefined,
        at: Number.isNaN(at) ? undefined : at,
      }),
    },
  ];
}

const textIn = (body: unknown) =>
  (textMember(body, 'text', 'text') ??
    textMember(body, 'image', 'text') ??
    textMember(body, 'file', 'text')) ||
  undefined;

const mediaIn = (body: unknown) => [
  ...filesIn(listMember(body, 'image', 'images'), 'Image'),
  ...filesIn(listMember(body, 'file', 'files'), 'Document'),
];

function filesIn(files: readonly unknown[], type: 'Image' | 'Document') {
  return files.flatMap((file) => {
    const reference = textMember(file, 'mediaUrl');
    if (reference === undefined) return [];
    const properties = {
      mediaType: textMember(file, 'contentType'),
      name: textMember(file, 'filename'),
    };
    return [{ type, reference, ...omitUndefined(properties) }];
  });
}

function reported(id: string, payload: unknown) {
  const status = textMember(payload, 'status');
  const state = STATES.get(status ?? '');
  if (state === undefined || status === undefined) return [NOTHING];
  if (state === 'delivered') return [{ what: 'receipt' as const, id, state }];
  const detail = textMember(payload, 'reason') || textMember(payload, 'details') || status;
  const code = integerMember(payload, 'failure', 'code');
  // EC_SUBSCRIBER_OPTEDOUT: https://docs.bird.com/api/channels-api/message-status-and-interactions/message-failure-sources/sms-platform-extended-error-codes
  const isOptedOut = textMember(payload, 'failure', 'source', 'code') === '103';
  return [
    {
      what: 'receipt' as const,
      id,
      state,
      detail,
      ...omitUndefined({ code }),
      ...(isOptedOut && { blocked: 'vendor' as const }),
    },
  ];
}
