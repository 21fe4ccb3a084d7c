/**
 * The seconds to wait by a `Retry-After` header, given in seconds or as a date. Undefined if it is neither. RFC 9110,
 * section 10.2.3.
 */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // Some vendors send fractions. Round up: a request that comes too early is limited again.
  if (/^\d{1,9}\.\d{1,9}$/.test(value)) return Math.ceil(Number(value));
  if (!HTTP_DATE.test(value)) return undefined;
  const moment = Date.parse(value);
  return Number.isNaN(moment) ? undefined : Math.max(0, Math.ceil((moment - now) / 1000));
}

/** RFC 9110, section 5.6.7: the preferred format. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
