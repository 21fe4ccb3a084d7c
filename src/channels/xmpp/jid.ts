/* The parts of an address: local@domain/resource. https://www.rfc-editor.org/rfc/rfc7622#section-3.1 */

export const bareOf = (jid: string): string => jid.split('/', 1)[0] ?? '';

/** Servers ignore the case of people and rooms, but not that of a nick in a room. */
export const foldJid = (jid: string): string =>
  bareOf(jid).toLowerCase() + jid.slice(bareOf(jid).length);

export const domainOf = (jid: string): string => bareOf(jid).slice(bareOf(jid).indexOf('@') + 1);

export const localPart = (jid: string): string => jid.slice(0, Math.max(jid.indexOf('@'), 0));

/** In a room, the nick. */
export function resourceOf(jid: string): string | undefined {
  const slash = jid.indexOf('/');
  return slash === -1 ? undefined : jid.slice(slash + 1);
}
