import type { Phone } from '../phone.ts';

const WINDOW_MS = 24 * 3_600_000;

/**
 * Whether the vendor accepts no free text, because the person has not written for 24 hours. Simulated people count as
 * having written, except for those who never do; otherwise nobody could be written to first.
 */
export async function isOutsideWindow(
  person: string,
  phone: Phone,
  silent: readonly string[],
): Promise<boolean> {
  const last = await phone.lastAction(person);
  return last === undefined ? silent.includes(person) : phone.now() - last >= WINDOW_MS;
}
