import { createHmac } from 'node:crypto';

import type { ReportContext, WebhookRequest } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';

/* The common parts of Meta's Graph API and of its webhook requests. */

export const TOKEN = 'EAAfakeTokenOfAnAccount';

export interface GraphFault {
  status?: number;
  subcode?: number;
  details?: string;
  is_transient?: boolean;
  headers?: Readonly<Record<string, string>>;
}

/** https://developers.facebook.com/docs/graph-api/guides/error-handling */
export function graphError(code: number, message: string, fault: GraphFault = {}): Reply {
  const { status = 400, subcode, details, is_transient, headers } = fault;
  return {
    status,
    ...(headers && { headers }),
    body: {
      error: {
        message: `(#${code}) ${message}`,
        type: 'OAuthException',
        code,
        ...(subcode !== undefined && { error_subcode: subcode }),
        ...(details !== undefined && {
          error_data: { messaging_product: 'whatsapp', details },
        }),
        ...(is_transient !== undefined && { is_transient }),
        fbtrace_id: 'AZz5gCvJ5nq8fYzzzzzzzzz',
      },
    },
  };
}

/** Usage of the account's rate limit, and minutes until it is free again. */
export const usage = (minutes: number) => ({
  'x-business-use-case-usage': JSON.stringify({
    '102290129340398': [
      {
        type: 'messenger',
        call_count: 100,
        total_cputime: 3,
        total_time: 4,
        estimated_time_to_regain_access: minutes,
      },
    ],
  }),
});

export const invalid = (what: string) => graphError(100, `SIMULATOR: ${what} is invalid`);

type GraphRoutes = Readonly<Record<string, (request: Request) => Reply | Promise<Reply>>>;

/** Answers authenticated requests. A key of the routes is a method and a path without its query. */
export async function answerGraph(
  request: Request,
  routes: GraphRoutes,
  tokens: readonly string[] = [TOKEN],
): Promise<Reply> {
  const [path = ''] = request.path.split('?');
  const key = `${request.method} ${path}`;
  const { authorization, 'content-type': type } = request.headers;
  if (authorization === undefined) {
    return graphError(104, 'An access token is required', { status: 401 });
  }
  const token = authorization.replace(/^Bearer /, '');
  if (!tokens.includes(token)) {
    return graphError(190, `Malformed access token ${token}`, { status: 401 });
  }
  const route = Object.hasOwn(routes, key) ? routes[key] : undefined;
  if (!route) {
    return graphError(100, 'Unsupported request. Object does not exist', { subcode: 33 });
  }
  if (request.method === 'POST' && type !== 'application/json') return invalid('content-type');
  return route(request);
}

/** Refusals that all of Meta's channels share. */
export const GRAPH_REFUSALS = {
  limited: () => graphError(4, 'Application request limit reached', { headers: usage(1) }),
  credentials: () => graphError(190, 'Error validating access token', { status: 401 }),
};

/** https://developers.facebook.com/docs/graph-api/webhooks/getting-started */
export function signedByMeta(json: unknown, { credentials }: ReportContext): WebhookRequest {
  const body = JSON.stringify(json);
  const mac = createHmac('sha256', credentials.consumer_secret ?? '')
    .update(body)
    .digest('hex');
  return {
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${mac}` },
    body,
  };
}
