import { createHash } from 'node:crypto';

import { known } from '../../lib/known.ts';
import { NOTHING } from '../inbound.ts';

/*
 * What MessageBird tells: texts that came, https://developers.messagebird.com/api/sms-messaging/#receive-messages, and
 * status reports, https://developers.messagebird.com/api/sms-messaging/#status-reports.
 */

const STATES = new Map([
  ['delivered', 'delivered'],
  ['delivery_failed', 'failed'],
  ['expired', 'failed'],
] as const);

/** What the fields of a call bring; undefined when they are none of MessageBird's. */
export function readMessageBird(fields: ReadonlyMap<string, string>) {
  const [id, status] = [fields.get('id'), fields.get('status')];
  // The flow that forwards a text has another name for what it says.
  const text = fields.get('body') ?? fields.get('payload') ?? fields.get('message');
  const from = fields.get('originator');
  if (from !== undefined && text !== undefined) return [heard(id, from, text, fields)];
  if (id === undefined || status === undefined) return undefined;
  const state = [...STATES].find(([name]) => name === status)?.[1];
  // It is still under way.
  if (state === undefined) return [NOTHING];
  if (state === 'delivered') return [{ what: 'receipt' as const, id, state }];
  const detail = fields.get('statusReason') ?? status;
  const code = fields.get('statusErrorCode');
  return [{ what: 'receipt' as const, id, state, detail, ...known({ code }) }];
}

function heard(
  id: string | undefined,
  from: string,
  text: string,
  fields: ReadonlyMap<string, string>,
) {
  const moment = fields.get('createdDatetime') ?? fields.get('receivedSMSDateTime') ?? '';
  const at = Date.parse(moment);
  const told = createHash('sha256')
    .update(JSON.stringify([from, moment, text]))
    .digest('hex');
  return {
    what: 'message' as const,
    key: id ?? told,
    from: { id: from },
    text,
    ...known({ id, at: Number.isNaN(at) ? undefined : at }),
  };
}
