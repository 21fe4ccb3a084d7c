import type { HookRequest } from '../../channels/inbound.ts';
import { type Id, parseId } from '../../model/id.ts';
import {
  type Answer,
  type ArrivingRequest,
  type Call,
  type Route,
  notFound,
  openRoute,
} from '../server/route.ts';
import type { Services } from '../services.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const METHODS = ['GET', 'POST', 'PUT'] as const;
const NAMES = { GET: 'Get', POST: 'Post', PUT: 'Put' } as const;
const PATH = '/1/hooks/:id/:random';

/** Webhooks of vendors. */
export function hookRoutes({ inbound }: Services): Route[] {
  const handle = async (call: Call<undefined, unknown>): Promise<Answer> => {
    const id = hookId(call.params);
    const { random = '' } = call.params;
    const {
      status = 200,
      text,
      type,
    } = await inbound.handleRequest(id, random, hookCall(call), () => call.trace());
    return {
      status,
      ...(text !== undefined && {
        text,
        headers: { 'content-type': type ?? 'text/plain; charset=utf-8' },
      }),
    };
  };
  const checkBeforeBody = ({ params }: ArrivingRequest) =>
    inbound.checkUrl(hookId(params), params['random'] ?? '');
  return METHODS.flatMap((method) =>
    [PATH, `${PATH}/*`].map((path) =>
      openRoute({
        method,
        path,
        operationId: `receiveHook${path === PATH ? '' : 'Path'}${NAMES[method]}`,
        tag: 'Hooks',
        summary: 'Receive a webhook of a channel',
        description:
          "For the vendor only, with the vendor's own signature. `GET /1/integrations/{id}/hook` returns the URL.",
        raw: true,
        isHook: true,
        bodyLimit: MAX_BODY_BYTES,
        ...(method !== 'GET' && { checkBeforeBody }),
        success: {
          status: 200,
          description: 'The response that the vendor expects.',
          type: 'text/plain',
        },
        problems: [
          'not_found',
          'integration_disabled',
          'hook_refused',
          'hook_unreadable',
          'vendor_unavailable',
        ],
        handle,
      }),
    ),
  );
}

function hookId(params: ArrivingRequest['params']): Id {
  const id = parseId(params['id']);
  if (!id) throw notFound('the webhook');
  return id;
}

function hookCall(call: Call<undefined, unknown>): HookRequest {
  const { method, params, headers, bytes, url } = call;
  const rest = params['*'];
  const query = url.indexOf('?');
  return {
    method,
    url: `${call.baseUrl()}${url}`,
    path: rest === undefined ? '' : `/${rest}`,
    query: new URLSearchParams(query === -1 ? '' : url.slice(query + 1)),
    header(name) {
      const value = headers[name.toLowerCase()];
      return Array.isArray(value) ? value[0] : value;
    },
    body: bytes,
  };
}
