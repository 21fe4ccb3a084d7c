import { Webhook } from 'standardwebhooks';

import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';

/*
 * A Standard Webhooks endpoint, with the public package as the judge of signatures.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const SECRET = `whsec_${Buffer.from('not-a-secret, only an example').toString('base64')}`;

/** Accepts requests signed with the secret; without a secret, unsigned ones. */
export function openWebhook(secret?: string | Uint8Array): Promise<HttpPeer> {
  return openHttp((request) => faultOf(request, secret) ?? { status: 204 });
}

function faultOf(request: Request, secret: string | Uint8Array | undefined): Reply | undefined {
  const { method, headers, text, json } = request;
  if (method !== 'POST') return { status: 405, body: 'only POST' };
  if (headers['content-type'] !== 'application/json') return { status: 415, body: 'only JSON' };
  if (!headers['webhook-id'] || !headers['webhook-timestamp'] || json === undefined) {
    return { status: 400, body: 'no webhook' };
  }
  if (secret === undefined) {
    return headers['webhook-signature'] === undefined ? undefined : { status: 400, body: 'signed' };
  }
  try {
    const raw = typeof secret === 'string' ? undefined : ({ format: 'raw' } as const);
    new Webhook(secret, raw).verify(text, headers);
    return undefined;
  } catch {
    return { status: 401, body: 'the signature is wrong' };
  }
}
