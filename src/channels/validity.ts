import type { MessageOptions } from '../model/sending/instructions.ts';
import type { ChannelOption } from './options.ts';
import type { Destination, VendorRequest } from './request.ts';

/* How long a vendor tries to deliver: the option `ttl`, and the time until the message expires. */

/** The seconds that a vendor accepts, and the fields that hold them. */
export interface Validity {
  min: number;
  max: number;
  write(seconds: number, body: VendorRequest['body']): object;
}

/** Declares the option `ttl`. */
export function ttlOption({ min, max }: Validity, help: string, link: string): ChannelOption {
  return {
    name: 'ttl',
    label: 'Time to live',
    help,
    rule: { type: 'integer', min, max, unit: 'seconds' },
    link,
  };
}

/** Adds the validity to a request. If the message expires, only `send` knows the time that is left. */
export function withTtl(
  request: VendorRequest,
  { options: { ttl }, expiresAt }: Pick<Destination, 'options' | 'expiresAt'>,
  validity: Validity,
): VendorRequest {
  if (expiresAt !== undefined) return { ...request, expiresAt };
  return typeof ttl === 'number' ? withSeconds(request, ttl, validity) : request;
}

/** The request as it is sent now: the shorter of `ttl` and the time that is left. */
export function withTimeLeft(
  request: VendorRequest,
  { ttl = Infinity }: MessageOptions,
  now: number,
  validity: Validity,
): VendorRequest {
  const { expiresAt } = request;
  if (expiresAt === undefined) return request;
  const seconds = Math.min(Number(ttl), Math.floor((expiresAt - now) / 1000));
  const accepted = Math.min(Math.max(seconds, validity.min), validity.max);
  return withSeconds(request, accepted, validity);
}

function withSeconds(request: VendorRequest, seconds: number, { write }: Validity): VendorRequest {
  return { ...request, body: { ...request.body, ...write(seconds, request.body) } };
}
