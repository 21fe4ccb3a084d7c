/**
 * How many seconds a `Retry-After` header asks to wait: it says so itself, or names a date. Undefined
 * when it says neither. RFC 9110, section 10.2.3.
 */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  const written = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(written)) return Number(written);
  // Some vendors write fractions. To wait too little would be refused again.
  if (/^\d{1,9}\.\d{1,9}$/.test(written)) return Math.ceil(Number(written));
  if (!HTTP_DATE.test(written)) return undefined;
  const moment = Date.parse(written);
  return Number.isNaN(moment) ? undefined : Math.max(0, Math.ceil((moment - now) / 1000));
}

/** RFC 9110, section 5.6.7, in the one form that may be sent. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
