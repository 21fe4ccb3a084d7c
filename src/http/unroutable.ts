import type { Socket } from 'node:net';

import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Log } from '../lib/log.ts';
import { Problem, type ProblemCode } from '../model/problem.ts';
import { PROBLEM_JSON, problemDetails } from './errors.ts';
import type { Route } from './route.ts';
import { commonHeaders, sendProblem } from './sending.ts';

/* What no route answers: other paths, other methods, and what is not even HTTP. */

/** A path that is known with other methods says so; any other is not found. */
export function notFoundHandler(routes: readonly Route[]) {
  const table = routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+').replace('*', '.*')}/?$`),
  }));
  return (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = table.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (methods.length === 0) {
      return sendProblem(
        reply,
        new Problem('not_found', `there is nothing at ${path.slice(0, 200)}`),
      );
    }
    const allow = [
      ...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
    ];
    return sendProblem(
      reply,
      new Problem('method_not_allowed', `the path knows ${allow.join(', ')}`, {
        headers: { allow: allow.join(', ') },
      }),
    );
  };
}

const STATUS_LINES: Partial<Record<ProblemCode, string>> = {
  request_timeout: '408 Request Timeout',
  headers_too_large: '431 Request Header Fields Too Large',
};

/** What is not even HTTP never reaches a route. */
export function malformedHandler(log: Log, nextRequestId: () => string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const problem = malformed(error.code);
    const requestId = nextRequestId();
    const { code, status } = problem;
    log.info({ request_id: requestId, code, status, ip: socket.remoteAddress }, 'not a request');
    const body = JSON.stringify(problemDetails(problem, requestId));
    const headers = {
      ...commonHeaders(requestId, true),
      'content-type': PROBLEM_JSON,
      'content-length': Buffer.byteLength(body),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const first = `HTTP/1.1 ${STATUS_LINES[code] ?? '400 Bad Request'}\r\n`;
    socket.end(`${first}${lines.join('')}\r\n${body}`);
  };
}

function malformed(code: string | undefined): Problem {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'the request did not arrive in time');
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large', 'the headers have more than 16 KiB');
    default:
      return new Problem('bad_request', 'the request is not HTTP that can be read');
  }
}
