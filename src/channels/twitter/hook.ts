import { createHmac } from 'node:crypto';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import type { Fetch, FetchAnswer } from '../../lib/http/fetch.ts';
import type { MediaKind } from '../../lib/http/media-kind.ts';
import { listMember, member, numberMember, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { type InboundEvent, ignored } from '../inbound.ts';

/*
 * Parses the webhook requests of X. https://docs.x.com/x-api/webhooks/introduction
 * https://docs.x.com/x-api/account-activity/introduction
 */

const signatureOf = (text: string | Uint8Array, secret: string) =>
  `sha256=${createHmac('sha256', secret).update(text).digest('base64')}`;

/**
 * The response that proves to X that the URL is ours. Challenges and events are signed alike, so an attacker could get
 * an event signed as a challenge: a challenge that could be an event is refused.
 */
export function answerToChallenge(challenge: string | null, secret: string): string | undefined {
  if (challenge === null || secret === '' || !/^[\w+/=.-]{1,200}$/.test(challenge))
    return undefined;
  return JSON.stringify({ response_token: signatureOf(challenge, secret) });
}

export function isSignedByX(body: Uint8Array, signature: string | undefined, secret: string) {
  return secret !== '' && equalInConstantTime(signatureOf(body, secret), signature);
}

/** Parses a webhook request; undefined when it is not from X. Activities other than messages are ignored. */
export function readActivities(json: unknown): InboundEvent[] | undefined {
  const self = textMember(json, 'for_user_id');
  if (self === undefined) return undefined;
  const messages = listMember(json, 'direct_message_events').flatMap<InboundEvent>((event) => {
    const from = textMember(event, 'message_create', 'sender_id');
    if (from === undefined) return ignored('direct_message_events', 'incomplete');
    // X also reports the messages that we sent.
    return from === self ? ignored('direct_message_events', 'own') : received(event, from, json);
  });
  const read = listMember(json, 'direct_message_mark_read_events').flatMap<InboundEvent>(
    (event) => {
      const reader = textMember(event, 'sender_id');
      if (reader === undefined) return ignored('direct_message_mark_read_events', 'incomplete');
      return reader === self
        ? ignored('direct_message_mark_read_events', 'own')
        : readReceipt(reader, event);
    },
  );
  const others = typeof json === 'object' && json !== null ? Object.keys(json) : [];
  const unknown = others
    .filter((name) => name.endsWith('_events') && !MESSAGE_ACTIVITIES.has(name))
    .flatMap((name) => ignored(name, 'no_event'));
  return [...messages, ...read, ...unknown];
}

/** The activities that have events; others, such as posts and likes, have none. */
const MESSAGE_ACTIVITIES = new Set(['direct_message_events', 'direct_message_mark_read_events']);

function received(event: unknown, from: string, json: unknown) {
  const id = textMember(event, 'id');
  const payload = member(event, 'message_create', 'message_data');
  if (id === undefined || textMember(event, 'type') !== 'message_create') {
    return ignored('direct_message_events', 'incomplete');
  }
  const attached = member(payload, 'attachment', 'media');
  const media = mediaOf(attached);
  // The text ends with a link to the attachment.
  const link = media && textMember(attached, 'url');
  const rawText = textMember(payload, 'text') ?? '';
  const text = link === undefined ? rawText : rawText.replace(link, '').trim();
  const value = textMember(payload, 'quick_reply_response', 'metadata');
  const at = Number(textMember(event, 'created_timestamp') ?? Number.NaN);
  return [
    {
      what: 'message' as const,
      key: id,
      id,
      from: { id: from, ...omitUndefined({ name: textMember(json, 'users', from, 'name') }) },
      ...omitUndefined({
        at: Number.isNaN(at) ? undefined : at,
        text: text === '' && media ? undefined : text,
        media: media && [media],
        button: value === undefined ? undefined : { name: text, value },
      }),
    },
  ];
}

const KINDS: Readonly<Record<string, MediaKind>> = {
  photo: 'Image',
  video: 'Video',
  animated_gif: 'Video',
};

function mediaOf(attached: unknown) {
  const type = textMember(attached, 'type') ?? '';
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  const variants = listMember(attached, 'video_info', 'variants')
    .filter((each) => textMember(each, 'content_type') === 'video/mp4')
    .toSorted((a, b) => (numberMember(b, 'bitrate') ?? 0) - (numberMember(a, 'bitrate') ?? 0));
  const reference = textMember(variants[0], 'url') ?? textMember(attached, 'media_url_https');
  return kind === undefined || reference === undefined ? undefined : { type: kind, reference };
}

/** Ids encode their creation time in milliseconds since this. */
const EPOCH = 1_288_834_974_657n;

function readReceipt(reader: string, event: unknown) {
  const id = textMember(event, 'last_read_event_id') ?? '';
  if (!/^\d{1,19}$/.test(id)) return ignored('direct_message_mark_read_events', 'incomplete');
  const upTo = Number((BigInt(id) >> 22n) + EPOCH);
  return [
    { what: 'receipt' as const, id, state: 'read' as const },
    { what: 'receipts' as const, recipient: reader, upTo, state: 'read' as const },
  ];
}

/** An app-only token, which webhooks require; or the response without one. */
export async function requestAppToken(
  url: string,
  key: string,
  secret: string,
  fetch: Fetch,
): Promise<string | FetchAnswer> {
  const pair = [key, secret].map(encodeURIComponent).join(':');
  const answer = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
    },
    body: 'grant_type=client_credentials',
    isPrivate: true,
  });
  const token = textMember(answer.json(), 'access_token');
  return answer.status === 200 && token !== undefined && /^[\x21-\x7e]{1,1000}$/.test(token)
    ? token
    : answer;
}
