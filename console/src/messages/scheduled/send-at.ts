/** The browser's zone, or that of the recipient. */
export type Zone = 'own' | 'recipient';

/** A time as the API accepts it: an instant, or a local time where the recipient is. */
export type SendAt = string | { local: string; zone: 'recipient' };

/** Reads the value of a `datetime-local` input; undefined while it is not a time. */
export function sendAtOf(value: string, zone: Zone): SendAt | undefined {
  const at = Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  return zone === 'recipient' ? { local: value, zone } : new Date(at).toISOString();
}
