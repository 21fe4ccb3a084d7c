import { member } from '../../lib/json/json-member.ts';
import { isEvent, parseId } from './ids.ts';

/* Relations of a message to earlier ones. Undefined when the event id is malformed. */

type Body = Readonly<Record<string, unknown>>;

const RELATION = 'm.relates_to';

/** https://spec.matrix.org/latest/client-server-api/#rich-replies */
export function asReply(body: Body, id: string): Body | undefined {
  const { event } = parseId(id);
  if (!isEvent(event)) return undefined;
  return { ...body, [RELATION]: { 'm.in_reply_to': { event_id: event } } };
}

/** https://spec.matrix.org/latest/client-server-api/#threading: clients without threads show a reply. */
export function inThread(body: Body, id: string): Body | undefined {
  const thread = { rel_type: 'm.thread', event_id: parseId(id).event };
  if (!isEvent(thread.event_id)) return undefined;
  const reply = member(body, RELATION, 'm.in_reply_to');
  const relation = {
    ...thread,
    is_falling_back: reply === undefined,
    'm.in_reply_to': reply ?? { event_id: thread.event_id },
  };
  return { ...body, [RELATION]: relation };
}
