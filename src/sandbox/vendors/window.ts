import type { Phone } from '../phone.ts';

const HOUR_MS = 3_600_000;

/**
 * Whether the vendor accepts no free text, because the person has not written for that long. Simulated people count as
 * having written, except for those who never do; otherwise no conversation could begin with the application's message.
 */
export async function isOutsideWindow(
  person: string,
  phone: Phone,
  silent: readonly string[],
  hours = 24,
): Promise<boolean> {
  const last = await phone.lastAction(person);
  return last === undefined ? silent.includes(person) : phone.now() - last >= hours * HOUR_MS;
}
