import type { FetchAnswer, FetchRequest } from '../../lib/http/fetch.ts';
import { retryAfter } from '../../lib/http/retry-after.ts';
import { integerMember, member, textMember } from '../../lib/json/json-member.ts';
import type { Credentials } from '../../model/integration.ts';
import { foreignAnswer, sentUnlessRefused } from '../answers.ts';
import type { Check, Context, Failure, Outcome, VendorRequest } from '../channel.ts';

/*
 * Bird, the successor of MessageBird: its Channels API, with an SMS channel of a workspace.
 * https://docs.bird.com/api/channels-api/api-reference/messaging
 * https://docs.bird.com/api/api-access/common-api-usage
 */
const BIRD = 'https://api.bird.com';

/** Credentials with a workspace are Bird's: the classic API has none. */
export const isBird = ({ consumer_key: workspace }: Credentials): boolean =>
  workspace !== undefined && workspace !== '';

/** https://docs.bird.com/api/channels-api/supported-channels/programmable-sms/sending-sms-messages */
export function birdText(text: string, recipient: string): VendorRequest {
  const identifierValue = `+${recipient.replace('+', '')}`;
  const contact = { identifierKey: 'phonenumber', identifierValue };
  return {
    call: 'messages',
    body: { receiver: { contacts: [contact] }, body: { type: 'text', text: { text } } },
  };
}

export async function sendByBird(
  body: VendorRequest['body'],
  key: string,
  context: Context,
  vendorUrl: string | undefined,
): Promise<Outcome> {
  const answer = await call('/messages', context, vendorUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, reference: key }),
  });
  const id = textMember(answer?.json(), 'id');
  if (answer?.status === 202 && id !== undefined) return { outcome: 'sent', id };
  return sentUnlessRefused(answer, classifyFailure(answer, context));
}

/** https://docs.bird.com/api/channels-api/api-reference/channels-management */
export async function checkBird(context: Context, vendorUrl: string | undefined): Promise<Check> {
  const answer = await call('', context, vendorUrl);
  const json = answer?.json();
  const [id, status] = [textMember(json, 'id'), textMember(json, 'status') ?? 'unknown'];
  if (answer?.status !== 200 || id === undefined) return classifyFailure(answer, context);
  const name = textMember(json, 'name') ?? id;
  return { outcome: 'known', as: status === 'active' ? name : `${name}, which is ${status}` };
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const KEY = /^[\x21-\x7e]{1,200}$/;

/** Undefined when the key contains characters that headers cannot hold, or an id characters that a path cannot. */
async function call(
  path: string,
  { credentials, url, fetch }: Context,
  vendorUrl: string | undefined,
  request: FetchRequest = {},
): Promise<FetchAnswer | undefined> {
  const { token = '', consumer_key: workspace = '', address: channel = '' } = credentials;
  if (!KEY.test(token) || !UUID.test(workspace) || !UUID.test(channel)) return undefined;
  const base = url === vendorUrl ? BIRD : url;
  const headers = {
    ...request.headers,
    accept: 'application/json',
    authorization: `AccessKey ${token}`,
  };
  return fetch(`${base}/workspaces/${workspace}/channels/${channel}${path}`, {
    ...request,
    headers,
  });
}

/** Unknown or forbidden key, missing payment, and unknown workspace or channel. */
const OF_CREDENTIALS = new Set([401, 402, 403, 404]);

function classifyFailure(answer: FetchAnswer | undefined, { clock }: Context): Failure {
  if (!answer) {
    const detail = 'these are not an access key, a workspace ID and a channel ID of Bird';
    return { outcome: 'permanent', blame: 'credentials', detail };
  }
  const foreign = foreignAnswer(answer);
  if (foreign) return foreign;
  const { status } = answer;
  const json = answer.json();
  const own = textMember(json, 'code') ?? integerMember(json, 'code');
  const said = textMember(json, 'message');
  const code = own ?? String(status);
  const detail = said ?? `Bird answered ${status} without a reason`;
  if (status === 429) {
    const seconds = retryAfter(answer.header('retry-after'), clock.now());
    const wait = seconds === undefined ? {} : { seconds };
    return { outcome: 'limited', whom: 'integration', ...wait, detail, code };
  }
  if (status >= 500 || (own === undefined && said === undefined)) {
    const surely = status === 503 || (status >= 300 && status < 500);
    return { outcome: 'transient', maybeSent: !surely, detail, code };
  }
  if (OF_CREDENTIALS.has(status)) {
    return { outcome: 'permanent', blame: 'credentials', detail, code };
  }
  const where = `${detail} ${JSON.stringify(member(json, 'details') ?? '')}`;
  const isOfRecipient = /receiver|recipient|identifier|phone ?number/i.test(where);
  return { outcome: 'permanent', blame: isOfRecipient ? 'recipient' : 'content', detail, code };
}
