import type { FetchAnswer, FetchRequest } from '../../lib/http/fetch.ts';
import { integerMember, member, textMember } from '../../lib/json/json-member.ts';
import { jsonText } from '../../lib/json/json-text.ts';
import type { Credentials } from '../../model/integration.ts';
import type { Check, Context, Outcome, VendorRequest } from '../channel.ts';
import { failureClassifier } from '../http-failure.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';

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
  if (status === 'active') return { outcome: 'known', as: name };
  return { outcome: 'known', as: `${name}, which is ${status}`, account: name };
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const KEY = /^[\x21-\x7e]{1,200}$/;

/** Undefined when the key contains characters that headers cannot hold, or an id is malformed. */
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
const CREDENTIALS_STATUSES = new Set([401, 402, 403, 404]);

const classifyFailure = failureClassifier({
  vendor: 'Bird',
  malformed: 'invalid access key, workspace ID or channel ID',
  read(answer) {
    const json = answer.json();
    const code = textMember(json, 'code') ?? integerMember(json, 'code');
    const message = textMember(json, 'message');
    return { code, message, isVendorFormat: (code ?? message) !== undefined };
  },
  blame({ status, message, answer }) {
    if (CREDENTIALS_STATUSES.has(status)) return 'credentials';
    const description = `${message} ${jsonText(member(answer.json(), 'details') ?? '')}`;
    return /receiver|recipient|identifier|phone ?number/i.test(description)
      ? 'recipient'
      : 'content';
  },
});
