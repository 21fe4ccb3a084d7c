import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';

/* The common parts of Meta's Graph API. */

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

export const invalid = (what: string) =>
  graphError(100, `EMULATOR: ${what} is not as it should be`);

/** Handlers for authenticated requests. A key is a method and a path without its query. */
export async function openGraph(
  routes: Readonly<Record<string, (request: Request) => Reply>>,
  tokens: readonly string[] = [TOKEN],
): Promise<HttpPeer> {
  return openHttp((request) => {
    const [path = ''] = request.path.split('?');
    const route = routes[`${request.method} ${path}`];
    const { authorization, 'content-type': type } = request.headers;
    if (authorization === undefined) {
      return graphError(104, 'An access token is required', { status: 401 });
    }
    const token = authorization.replace(/^Bearer /, '');
    if (!tokens.includes(token)) {
      return graphError(190, `Malformed access token ${token}`, { status: 401 });
    }
    if (!route) {
      return graphError(100, 'Unsupported request. Object does not exist', { subcode: 33 });
    }
    if (request.method === 'POST' && type !== 'application/json') return invalid('content-type');
    return route(request);
  });
}
