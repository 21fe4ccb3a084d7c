import { textMember } from '../../../src/lib/json/json-member.ts';
import type { Simulator } from '../../../src/sandbox/simulator.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';
import { MemoryPhone } from '../server/memory-phone.ts';
import { graphError } from './graph.ts';

/* The simulator of Messenger or Instagram, with the people that tests need. */

/** Page-scoped and Instagram-scoped ids look the same. */
export const PEOPLE = {
  known: '4012345678901234',
  gone: '4012345678900551',
  silent: '4012345678900024',
} as const;

export async function openSendApi(simulator: Simulator): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  return openHttp(
    (request) =>
      badRecipient(simulator.recipientOf(request), request) ?? simulator.respond(request, phone),
  );
}

function badRecipient(id: string | undefined, { json }: Request): Reply | undefined {
  if (id === undefined || id === PEOPLE.known) return undefined;
  if (id === PEOPLE.gone) {
    return graphError(551, "This person isn't available right now.", { subcode: 1_545_041 });
  }
  if (id !== PEOPLE.silent)
    return graphError(100, 'No matching user found', { subcode: 2_018_001 });
  if (textMember(json, 'messaging_type') === 'MESSAGE_TAG') return undefined;
  return graphError(10, 'This message is sent outside of allowed window.', {
    status: 403,
    subcode: 2_018_278,
  });
}
