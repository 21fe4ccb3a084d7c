import { textMember } from '../../../src/lib/json/json-member.ts';
import { FAKE_PRIVATE_KEY } from '../../../src/sandbox/vendors/fake-key.ts';
import {
  claimsOf,
  problem,
  statuses as statusesOf,
  vonage,
} from '../../../src/sandbox/vendors/sms/vonage.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';
import { MemoryPhone } from '../server/memory-phone.ts';

/* The simulator of Vonage, with the numbers that tests need. */
export {
  API_KEY,
  API_SECRET,
  APPLICATION,
  SENDERS,
} from '../../../src/sandbox/vendors/sms/vonage.ts';
export { problem };

export const PRIVATE_KEY = FAKE_PRIVATE_KEY;
export const NUMBERS = { person: '447700900000', barred: '447700900001' } as const;

export const statuses = (...parts: readonly (readonly [status: string, text?: string])[]): Reply =>
  statusesOf(parts, NUMBERS.person);

export async function openVonage(): Promise<HttpPeer> {
  // Tokens are checked with the system's clock.
  const phone = new MemoryPhone(0, Date.now);
  const used = new Set<string>();
  return openHttp((request) => {
    if (isRepeated(request, used)) return problem(401, 'unauthorized', 'the token was used before');
    if (vonage.recipientOf(request)?.endsWith(NUMBERS.barred)) {
      return request.path === '/sms/json'
        ? statuses(['7', 'Number barred'])
        : problem(422, '1050', 'Number barred');
    }
    return vonage.respond(request, phone);
  });
}

/** A token is for one request. */
function isRepeated(request: Request, used: Set<string>): boolean {
  const id = textMember(claimsOf(request), 'jti');
  if (id === undefined) return false;
  const isUsed = used.has(id);
  used.add(id);
  return isUsed;
}
