import { createHash } from 'node:crypto';

import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { NOTHING } from '../inbound.ts';

/*
 * Parses MessageBird's webhook requests: received texts,
 * https://developers.messagebird.com/api/sms-messaging/#receive-messages, and status reports,
 * https://developers.messagebird.com/api/sms-messaging/#status-reports.
 */

const STATES = new Map<string, 'delivered' | 'failed'>([
  ['delivered', 'delivered'],
  ['delivery_failed', 'failed'],
  ['expired', 'failed'],
]);

/** Parses the fields of a request; undefined when they are not MessageBird's. */
export function readMessageBird(fields: ReadonlyMap<string, string>) {
  const [id, status] = [fields.get('id'), fields.get('status')];
  // A flow that forwards texts names this field differently.
  const text = fields.get('body') ?? fields.get('payload') ?? fields.get('message');
  const from = fields.get('originator');
  if (from !== undefined && text !== undefined) return [received(id, from, text, fields)];
  if (id === undefined || status === undefined) return undefined;
  const state = STATES.get(status);
  // Still in transit.
  if (state === undefined) return [NOTHING];
  if (state === 'delivered') return [{ what: 'receipt' as const, id, state }];
  const detail = fields.get('statusReason') ?? status;
  const code = fields.get('statusErrorCode');
  return [{ what: 'receipt' as const, id, state, detail, ...omitUndefined({ code }) }];
}

function received(
  id: string | undefined,
  from: string,
  text: string,
  fields: ReadonlyMap<string, string>,
) {
  const moment = fields.get('createdDatetime') ?? fields.get('receivedSMSDateTime') ?? '';
  const at = Date.parse(moment);
  const bodyHash = createHash('sha256')
    .update(JSON.stringify([from, moment, text]))
    .digest('hex');
  return {
    what: 'message' as const,
    key: id ?? bodyHash,
    from: { id: from },
    text,
    ...omitUndefined({ id, at: Number.isNaN(at) ? undefined : at }),
  };
}
