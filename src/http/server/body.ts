import { isUtf8 } from 'node:buffer';

import type { FastifyInstance, FastifyRequest } from 'fastify';

import { JsonError, parseJson } from '../../lib/json/parse-json.ts';
import { Problem, invalidFields } from '../../model/problem.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The raw body text. */
    text: string;
  }
}

export const JSON_TYPES = [
  'application/json',
  'integration/json',
  'user/json',
  'application/activity+json',
  'application/ld+json',
] as const;

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/** Parses every JSON media type the same way, with the same limits, and nothing else. */
export function readJsonBodies(app: FastifyInstance): void {
  app.decorateRequest('text', '');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    [...JSON_TYPES],
    { parseAs: 'buffer' },
    (
      request: FastifyRequest,
      bytes: Buffer,
      done: (error: Error | null, body?: unknown) => void,
    ) => {
      try {
        done(null, read(request, bytes));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

/** Passes any body through, for routes that parse it themselves. */
export function readRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => {
    done(null, bytes);
  });
}

/** Leaves any body to its route, which reads it as it arrives. */
export function leaveBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    done(null, payload);
  });
}

function read(request: FastifyRequest, bytes: Buffer): unknown {
  const charset = CHARSET.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) {
    throw new Problem('unsupported_media_type', `unsupported charset ${charset}; send UTF-8`);
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Problem('unsupported_media_type', 'compressed bodies are not supported');
  }
  // A request without a body may still name a content type.
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new Problem('invalid_json', 'the body is not valid UTF-8');
  const text = bytes.toString();
  request.text = text;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw toProblem(error);
    throw error;
  }
}

function toProblem({ fault, message, pointer }: JsonError): Problem {
  if (fault === 'bad_text') return invalidFields({ pointer: pointer ?? '', detail: message });
  const errors = pointer === undefined ? [] : [{ pointer, detail: message }];
  return new Problem('invalid_json', `invalid JSON: ${message}`, {
    errors,
  });
}
