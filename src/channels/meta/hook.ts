import { createHmac } from 'node:crypto';

import { equalInConstantTime } from '../../lib/constant-time.ts';
import { isAtHost } from '../../lib/vendor-host.ts';

/*
 * How Meta calls a hook, for WhatsApp, Messenger and Instagram alike.
 * https://developers.facebook.com/docs/graph-api/webhooks/getting-started
 */

interface Call {
  method: string;
  query: URLSearchParams;
  header(name: string): string | undefined;
  body: Buffer;
}

interface Secrets {
  /** The app's: it signs what Meta sends. */
  consumer_secret?: string;
  /** The verify token, which Meta shows once, before it sends anything. */
  secret?: string;
}

/** Both are needed: without the one there is no hook at Meta, without the other nothing can be judged. */
export const META_NEEDS = [['consumer_secret', 'secret']] as const;

/** Why a call is not Meta's. */
export function faultOfMetaCall(
  call: Call,
  { consumer_secret, secret }: Secrets,
): string | undefined {
  if (!consumer_secret || !secret) return 'there is no app secret or no verify token to judge by';
  if (call.method === 'GET') {
    const isMeant = call.query.get('hub.mode') === 'subscribe';
    const isKnown = equalInConstantTime(call.query.get('hub.verify_token') ?? undefined, secret);
    return isMeant && isKnown ? undefined : 'the verify token is wrong or missing';
  }
  const mac = createHmac('sha256', consumer_secret).update(call.body).digest('hex');
  return equalInConstantTime(call.header('x-hub-signature-256'), `sha256=${mac}`)
    ? undefined
    : 'the signature is wrong or missing';
}

/** What the handshake wants to hear. */
export function answerToMeta({ method, query }: Call): { text?: string } {
  const challenge = method === 'GET' ? query.get('hub.challenge') : null;
  return challenge === null ? {} : { text: challenge };
}

/** Where Meta keeps what people send. */
export const isAtMeta = (url: string) =>
  isAtHost(url, 'fbsbx.com', 'fbcdn.net', 'cdninstagram.com', 'facebook.com', 'whatsapp.net');
