import { FetchFault, type FetchAnswer } from '../../lib/http/fetch.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { listMember, member, textMember } from '../../lib/json/json-member.ts';
import type { Context, Failure, Outcome } from '../channel.ts';
import type { HookContext } from '../inbound.ts';

/*
 * Replies do not count against the plan's quota. Events carry a reply token, which is valid once, for a minute:
 * https://developers.line.biz/en/reference/messaging-api/#send-reply-message
 * The node that receives the event keeps the token in memory. Where there is no token, or it is no longer valid, the
 * message is pushed. A reply has no retry key; but since a token is valid once, a second attempt with it shows whether
 * the first arrived.
 */

/** Less than the minute that LINE guarantees: a token that is refused earlier was already used. */
const FRESH_MS = 50_000;

interface StoredToken {
  token: string;
  /** When it stops being fresh. */
  until: number;
  /** The key of the part sent with it, when its arrival is unknown. */
  triedFor?: string;
}

/** Keeps the tokens of a request, by recipient. Tokens of a redelivered request may have expired. */
export function storeReplyTokens(json: unknown, { sharedState, clock }: HookContext): void {
  for (const event of listMember(json, 'events')) {
    const source = member(event, 'source');
    const scope = ['groupId', 'roomId', 'userId']
      .map((name) => textMember(source, name))
      .find((id) => id !== undefined);
    const token = textMember(event, 'replyToken');
    const isRepeated = member(event, 'deliveryContext', 'isRedelivery') === true;
    if (scope === undefined || token === undefined || token.length > 200 || isRepeated) continue;
    const stored: StoredToken = { token, until: clock.now() + FRESH_MS };
    sharedState?.().write(scope, JSON.stringify(stored), FRESH_MS);
  }
}

interface Reply {
  key: string;
  recipient: string;
  /** Sends the request to LINE and returns the response. */
  ask(token: string): Promise<FetchAnswer | Failure>;
  /** Classifies a response. */
  judge(answer: FetchAnswer | Failure): Outcome;
}

/** Sends the part as a reply if there is a token; undefined when it must be pushed. */
export async function sendAsReply(
  { key, recipient, ask, judge }: Reply,
  context: Context,
): Promise<Outcome | undefined> {
  const { clock } = context;
  const sharedState = context.sharedState?.();
  const stored = storedTokenIn(sharedState?.read(recipient));
  const wasTried = stored?.triedFor !== undefined;
  if (!sharedState || !stored || (wasTried && stored.triedFor !== key)) return undefined;
  const { token, until } = stored;
  context.redact(token);
  const keep = (kept: StoredToken) =>
    sharedState.write(recipient, JSON.stringify(kept), Math.max(until - clock.now(), 0));
  const answer = await ask(token).catch((error: unknown) => {
    if (!(error instanceof FetchFault)) throw error;
    return { outcome: 'transient', maybeSent: error.maybeSent, detail: error.message } as const;
  });
  if (isRefusedToken(answer)) {
    sharedState.erase(recipient);
    return wasTried
      ? { outcome: 'sent', detail: 'LINE accepted the reply at an earlier attempt' }
      : undefined;
  }
  const outcome = judge(answer);
  if (outcome.outcome === 'sent') sharedState.erase(recipient);
  if (outcome.outcome !== 'transient' || !(outcome.maybeSent || wasTried)) return outcome;
  keep({ token, until, triedFor: key });
  return { ...outcome, maybeSent: true, isNotDeduplicated: true };
}

function storedTokenIn(text: string | undefined): StoredToken | undefined {
  return text === undefined ? undefined : (jsonBody(text) as StoredToken | undefined);
}

const isRefusedToken = (answer: FetchAnswer | Failure) =>
  'status' in answer &&
  answer.status === 400 &&
  /reply token/i.test(textMember(answer.json(), 'message') ?? '');
