import { changes } from '../events/whatsapp-service.ts';

/* What WhatsApp reports about people and their addresses. */

/** Addresses of one person that one payload attests, as the payload has them. */
export interface Step {
  kind: 'message' | 'system' | 'user_id_update';
  from: { number?: string; userId?: string };
  to?: { number?: string; userId?: string };
}

/** The addresses, as contacts have them. */
export const attestedIn = ({ from, to = {} }: Step): string[] =>
  [from, to].flatMap(({ number, userId }) =>
    [number === undefined ? [] : `+${number}`, userId ?? []].flat(),
  );

let sent = 0;

export function payloadOf({ kind, from, to = {} }: Step): object {
  const id = `wamid.${++sent}`;
  const base = { id, timestamp: '1749416383' };
  if (kind === 'message') {
    const who = { from: from.number, from_user_id: from.userId };
    return changes({ messages: [{ ...base, ...who, type: 'text', text: { body: id } }] });
  }
  if (kind === 'system') {
    const system = {
      type: 'user_changed_number',
      wa_id: to.number,
      user_id: to.userId,
      previous_user_id: from.userId,
    };
    return changes({ messages: [{ ...base, from: from.number, type: 'system', system }] });
  }
  const userId = { previous: from.userId, current: to.userId };
  return changes({ user_id_update: [{ wa_id: to.number, user_id: userId }] }, 'user_id_update');
}
