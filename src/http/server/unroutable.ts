import type { Socket } from 'node:net';

import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Log } from '../../lib/telemetry/log.ts';
import { Problem, type ProblemCode } from '../../model/problem.ts';
import { PROBLEM_JSON, problemDetails } from './errors.ts';
import { commonHeaders, sendProblem } from './response.ts';

/* Requests that match no route: unknown paths, other methods, and invalid HTTP. */

type MethodsOf = (path: string) => readonly string[];

/** 405 if the path has other methods, otherwise 404. */
export function notFoundHandler(methodsOf: MethodsOf) {
  return (request: FastifyRequest, reply: FastifyReply) =>
    sendProblem(reply, unroutable(request.url, methodsOf));
}

function unroutable(url: string, methodsOf: MethodsOf): Problem {
  const path = url.split('?', 1)[0] ?? '';
  const methods = methodsOf(path);
  if (methods.length === 0) {
    return new Problem('not_found', `no resource at ${path.slice(0, 200)}`);
  }
  const allow = methods.join(', ');
  return new Problem('method_not_allowed', `allowed methods: ${allow}`, { headers: { allow } });
}

const STATUS_LINES: Partial<Record<ProblemCode, string>> = {
  not_found: '404 Not Found',
  method_not_allowed: '405 Method Not Allowed',
  request_timeout: '408 Request Timeout',
  headers_too_large: '431 Request Header Fields Too Large',
};

/** Answers invalid HTTP, which never reaches a route. */
export function malformedHandler(log: Log, nextRequestId: () => string, methodsOf: MethodsOf) {
  return (error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const problem = malformed(error.code, error.rawPacket, methodsOf);
    const requestId = nextRequestId();
    const { code, status } = problem;
    log.info(
      { request_id: requestId, code, status, ip: socket.remoteAddress },
      'malformed request',
    );
    const body = JSON.stringify(problemDetails(problem, requestId));
    const headers = {
      ...commonHeaders(requestId, true),
      ...problem.headers,
      'content-type': PROBLEM_JSON,
      'content-length': Buffer.byteLength(body),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const first = `HTTP/1.1 ${STATUS_LINES[code] ?? '400 Bad Request'}\r\n`;
    socket.end(`${first}${lines.join('')}\r\n${body}`);
  };
}

/**
 * A request line with a method that Node's parser does not know.
 * https://www.rfc-editor.org/rfc/rfc9110#name-tokens
 */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ (\/[\x21-\x7e]{0,4096}) HTTP\/1\.[01]\r?\n/;

function malformed(code: string | undefined, packet: unknown, methodsOf: MethodsOf): Problem {
  const [, url] = REQUEST_LINE.exec(Buffer.isBuffer(packet) ? packet.toString('latin1') : '') ?? [];
  if (code === 'HPE_INVALID_METHOD' && url !== undefined) return unroutable(url, methodsOf);
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'the request did not arrive in time');
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large', 'the headers exceed 16 KiB');
    default:
      return new Problem('bad_request', 'the request is not valid HTTP');
  }
}
