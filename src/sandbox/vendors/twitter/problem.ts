import type { Reply } from '../../wire/request.ts';

/** An X error. https://docs.x.com/x-api/fundamentals/response-codes-and-errors */
export function problem(status: number, type: string, detail: string, headers = {}): Reply {
  const uri = type === 'about:blank' ? type : `https://api.x.com/2/problems/${type}`;
  return { status, headers, body: { title: 'Problem', detail, type: uri, status } };
}

/** https://docs.x.com/x-api/fundamentals/rate-limits#http-headers */
export function tooManyRequests(
  header: string,
  limit: number,
  seconds: number,
  now: number,
): Reply {
  return problem(429, 'about:blank', 'Too Many Requests', {
    [`${header}-limit`]: String(limit),
    [`${header}-remaining`]: '0',
    [`${header}-reset`]: String(Math.ceil(now / 1000) + seconds),
  });
}

export const invalid = (detail: string) => problem(400, 'invalid-request', detail);
