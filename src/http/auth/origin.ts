import type { FastifyRequest } from 'fastify';

import { Problem } from '../../model/problem.ts';
import { JSON_TYPES } from '../server/body.ts';

/*
 * Browsers attach the console's cookie to requests from any page, so requests that change something are
 * accepted from the service's own pages only.
 */

/** Origin of the calling page according to the browser; otherwise the address of the request. */
export function originOf({ headers, protocol, host }: FastifyRequest): URL {
  const origin = headers.origin === undefined ? null : URL.parse(headers.origin);
  return origin ?? URL.parse(`${protocol}://${host}`) ?? new URL('http://invalid');
}

/** Throws if another site may have caused the request. */
export function checkOrigin(request: FastifyRequest, publicUrl: string | undefined): void {
  if (!isOwnPage(request, publicUrl)) {
    throw new Problem('foreign_origin', 'the Origin header names another site');
  }
  const [type = ''] = (request.headers['content-type'] ?? '').split(';', 1);
  if (!JSON_TYPES.some((accepted) => accepted === type.trim().toLowerCase())) {
    throw new Problem('unsupported_media_type', 'send Content-Type: application/json');
  }
}

function isOwnPage(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { headers, protocol, host } = request;
  // Only browsers set this header, and scripts cannot forge it.
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const ownOrigins = [`${protocol}://${host}`, publicUrl].map(
    (url) => url && URL.parse(url)?.origin,
  );
  return headers.origin !== undefined && ownOrigins.includes(headers.origin);
}

/** Whether requests to this host stay on the machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}
