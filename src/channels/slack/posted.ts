import type { FetchAnswer } from '../../lib/fetch.ts';
import { member, textMember } from '../../lib/member.ts';

const BEGINNING = /^\s*\{\s*"ok"\s*:\s*true\b/;
const CHANNEL_AND_TS = /"channel"\s*:\s*"(\w+)"\s*,\s*"ts"\s*:\s*"([\d.]+)"/;

/** A success of Slack's, with the id of the message. Undefined for anything else. */
export function postedAs(
  answer: FetchAnswer | { outcome: string },
): { outcome: 'sent'; id?: string } | undefined {
  if ('outcome' in answer || answer.status !== 200) return undefined;
  const json = answer.json();
  let [channel, ts] = [textMember(json, 'channel'), textMember(json, 'ts')];
  if (answer.truncated) {
    // Slack repeats the text, so after a long one there is more than is read. What counts comes first.
    if (!BEGINNING.test(answer.text)) return undefined;
    [, channel, ts] = CHANNEL_AND_TS.exec(answer.text.slice(0, 200)) ?? [];
  } else if (member(json, 'ok') !== true) return undefined;
  // A message's `ts` is only unique within its conversation.
  const known = channel !== undefined && ts !== undefined;
  return { outcome: 'sent', ...(known && { id: `${channel}:${ts}` }) };
}
