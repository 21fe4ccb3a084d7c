import { viber, viberError } from '../../src/sandbox/vendors/viber.ts';
import { type HttpPeer, type Reply, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of Viber, with the people that tests need. */
export { FIRST_TOKEN, TOKEN, viberError } from '../../src/sandbox/vendors/viber.ts';

export const PEOPLE = {
  known: '01234567890A=',
  unsubscribed: 'unsubscribed0A==',
  unknown: 'unknown0A==',
} as const;

export async function openViber(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  return openHttp(
    (request) => badRecipient(viber.recipientOf(request)) ?? viber.respond(request, phone),
  );
}

function badRecipient(receiver: string | undefined): Reply | undefined {
  if (receiver === undefined || receiver === PEOPLE.known) return undefined;
  return receiver === PEOPLE.unsubscribed
    ? viberError(6, 'notSubscribed')
    : viberError(5, 'receiverNotRegistered');
}
