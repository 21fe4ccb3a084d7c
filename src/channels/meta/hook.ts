import { createHmac } from 'node:crypto';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import { isAtHost } from '../../lib/net/vendor-host.ts';

/*
 * Meta's webhook requests, for WhatsApp, Messenger and Instagram.
 * https://developers.facebook.com/docs/graph-api/webhooks/getting-started
 */

interface Call {
  method: string;
  query: URLSearchParams;
  header(name: string): string | undefined;
  body: Buffer;
}

interface Secrets {
  /** The app secret, with which Meta signs requests. */
  consumer_secret?: string;
  /** The verify token, which Meta sends once, in the handshake. */
  secret?: string;
}

/** Both are needed: one verifies requests, the other answers the handshake. */
export const META_NEEDS = [['consumer_secret', 'secret']] as const;

/** Why a request is not Meta's. */
export function faultOfMetaRequest(
  call: Call,
  { consumer_secret, secret }: Secrets,
): string | undefined {
  if (!consumer_secret || !secret) return 'the integration has no app secret or no verify token';
  if (call.method === 'GET') {
    const isHandshake = call.query.get('hub.mode') === 'subscribe';
    const isTokenValid = equalInConstantTime(
      call.query.get('hub.verify_token') ?? undefined,
      secret,
    );
    return isHandshake && isTokenValid ? undefined : 'verify token wrong or missing';
  }
  const mac = createHmac('sha256', consumer_secret).update(call.body).digest('hex');
  return equalInConstantTime(call.header('x-hub-signature-256'), `sha256=${mac}`)
    ? undefined
    : 'signature wrong or missing';
}

/** The response to the handshake. */
export function answerToMeta({ method, query }: Call): { text?: string } {
  const challenge = method === 'GET' ? query.get('hub.challenge') : null;
  return challenge === null ? {} : { text: challenge };
}

/** Whether Meta hosts the file at this URL. */
export const isAtMeta = (url: string) =>
  isAtHost(url, 'fbsbx.com', 'fbcdn.net', 'cdninstagram.com', 'facebook.com', 'whatsapp.net');
