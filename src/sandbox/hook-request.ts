import type { HookRequest } from '../channels/inbound.ts';
import type { WebhookRequest } from './simulator.ts';

/** A webhook request of a simulated vendor, as if it had arrived over HTTP. */
export function hookRequest(url: string, request: WebhookRequest): HookRequest {
  const { method = 'POST', path = '', query = '', headers, body } = request;
  const named = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    method,
    url: `${url}${path}${query === '' ? '' : `?${query}`}`,
    path,
    query: new URLSearchParams(query),
    header: (name) => named.get(name.toLowerCase()),
    body: Buffer.from(body),
  };
}
