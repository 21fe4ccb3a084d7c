import type { HookRequest } from '../channels/inbound.ts';
import { Problem } from '../model/problem.ts';
import type { WebhookRequest } from './simulator.ts';

/** A webhook request of a simulated vendor, as if it had arrived over HTTP. */
export function hookRequest(url: string, request: WebhookRequest): HookRequest {
  const { method = 'POST', path = '', query = '', headers, body } = request;
  const headersByName = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    method,
    url: `${url}${path}${query === '' ? '' : `?${query}`}`,
    path,
    query: new URLSearchParams(query),
    header: (name) => headersByName.get(name.toLowerCase()),
    body: Buffer.from(body),
  };
}

/**
 * The caller did not write the webhook request itself: if it is refused, the requested content cannot be represented in
 * it.
 */
export async function reported<Response>(received: Promise<Response>): Promise<Response> {
  try {
    return await received;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'hook_refused') throw error;
    throw new Problem('unsupported', `the vendor cannot report it: ${error.message}`);
  }
}
