import { member } from '../../lib/member.ts';
import { isEvent, parseId } from './ids.ts';

/* What a message has to do with earlier ones. Undefined when there can be no such event. */

type Body = Readonly<Record<string, unknown>>;

const RELATION = 'm.relates_to';

/** https://spec.matrix.org/latest/client-server-api/#rich-replies */
export function asReply(body: Body, id: string): Body | undefined {
  const { event } = parseId(id);
  if (!isEvent(event)) return undefined;
  return { ...body, [RELATION]: { 'm.in_reply_to': { event_id: event } } };
}

/** https://spec.matrix.org/latest/client-server-api/#threading: for those who know no threads, it is a reply. */
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
