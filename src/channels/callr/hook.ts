import { createHmac } from 'node:crypto';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { NOTHING, ignored } from '../inbound.ts';

/* CALLR's webhook: an event, with its text message. https://www.callr.com/docs/webhooks/ */

/** The events to subscribe to: received texts, and delivery reports. */
export const EVENTS = ['sms.mo', 'sms.mt.status_update'];

/** The hash functions a customer can choose, by digest length in bytes. */
const HASHES: Readonly<Record<number, string>> = { 32: 'sha256', 64: 'sha512' };

export function isSignedByCallr(body: Uint8Array, signature = '', secret: string): boolean {
  const hash = HASHES[Buffer.from(signature, 'base64').length];
  if (hash === undefined || secret === '') return false;
  const expected = createHmac(hash, secret).update(body).digest('base64');
  return equalInConstantTime(expected, signature);
}

const FAILED = new Set(['ERROR', 'FAILED', 'EXPIRED']);

/** Parses a webhook request; undefined when it is not CALLR's. */
export function readCallr(json: unknown) {
  const type = textMember(json, 'type');
  const data = member(json, 'data');
  const id = textMember(data, 'hash');
  if (type === undefined || data === undefined) return undefined;
  if (type !== 'sms.mo' && type !== 'sms.mt.status_update') return ignored(type, 'no_event');
  if (id === undefined) return ignored(type, 'incomplete');
  if (type === 'sms.mo') {
    const [from, text] = [textMember(data, 'from'), textMember(data, 'text')];
    if (from === undefined || text === undefined) return ignored(type, 'incomplete');
    const at = Date.parse(textMember(json, 'event_at') ?? '');
    const moment = omitUndefined({ at: Number.isNaN(at) ? undefined : at });
    return [{ what: 'message' as const, key: id, id, from: { id: from }, text, ...moment }];
  }
  const status = textMember(data, 'status') ?? '';
  if (status === 'RECEIVED' || status === 'DELIVERED') {
    return [{ what: 'receipt' as const, id, state: 'delivered' as const }];
  }
  // Still in transit.
  if (!FAILED.has(status)) return [NOTHING];
  const detail = textMember(data, 'error') || status;
  return [{ what: 'receipt' as const, id, state: 'failed' as const, code: status, detail }];
}
