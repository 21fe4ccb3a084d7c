import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import { type Failure, isFailure } from '../channel.ts';

const BEGINNING = /^\s*\{\s*"ok"\s*:\s*true\b/;
const CHANNEL_AND_TS = /"channel"\s*:\s*"(\w+)"\s*,\s*"ts"\s*:\s*"([\d.]+)"/;

/** A success, with the message id. Undefined for other responses. */
export function postedAs(
  answer: FetchAnswer | Failure,
): { outcome: 'sent'; id?: string } | undefined {
  if (isFailure(answer) || answer.status !== 200) return undefined;
  const json = answer.json();
  let [channel, ts] = [textMember(json, 'channel'), textMember(json, 'ts')];
  if (answer.truncated) {
    // The response repeats the text, so it may be truncated after a long one. The important fields come first.
    if (!BEGINNING.test(answer.text)) return undefined;
    [, channel, ts] = CHANNEL_AND_TS.exec(answer.text.slice(0, 200)) ?? [];
  } else if (member(json, 'ok') !== true) return undefined;
  // The `ts` of a message is unique only within its conversation.
  const hasId = channel !== undefined && ts !== undefined;
  return { outcome: 'sent', ...(hasId && { id: `${channel}:${ts}` }) };
}
