import type { FastifyRequest } from 'fastify';

import { Problem } from '../model/problem.ts';
import { JSON_TYPES } from './body.ts';

/*
 * Whether a page of our own asks. A browser sends the cookie of the console along with whatever any page makes
 * it ask for, so that what changes something is taken from our own pages only.
 */

/** Where the page is that asks, as its browser says; where the request arrived, when it does not say. */
export function originOf({ headers, protocol, host }: FastifyRequest): URL {
  const told = headers.origin === undefined ? null : URL.parse(headers.origin);
  return told ?? URL.parse(`${protocol}://${host}`) ?? new URL('http://invalid');
}

/** Throws the Problem when another site asks, or could have made a browser ask. */
export function checkOrigin(request: FastifyRequest, publicUrl: string | undefined): void {
  if (!isOwnPage(request, publicUrl)) {
    throw new Problem('foreign_origin', 'only a page of this service may ask for this');
  }
  const [type = ''] = (request.headers['content-type'] ?? '').split(';', 1);
  if (!JSON_TYPES.some((known) => known === type.trim().toLowerCase())) {
    throw new Problem('unsupported_media_type', 'the call needs Content-Type: application/json');
  }
}

function isOwnPage(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { headers, protocol, host } = request;
  // Set by the browser alone; it knows best what it takes for the same origin.
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const own = [`${protocol}://${host}`, publicUrl].map((url) => url && URL.parse(url)?.origin);
  return headers.origin !== undefined && own.includes(headers.origin);
}

/** Whether what is sent there stays on the machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}
