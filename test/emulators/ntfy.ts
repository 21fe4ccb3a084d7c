import { textMember } from '../../src/lib/json/json-member.ts';
import { TOKEN, ntfy, ntfyError } from '../../src/sandbox/vendors/push/ntfy.ts';
import { type HttpPeer, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of ntfy, with a topic that requires the token for writing. */
export { TOKEN, ntfyError };

export const TOPIC = 'switchboard-alerts';
export const RESERVED = 'reserved';
export const FIRST = 'fakeId000001';

export async function openNtfy(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  return openHttp(async (request) => {
    const isReserved = textMember(request.json, 'topic') === RESERVED;
    if (isReserved && request.headers['authorization'] === undefined) {
      return ntfyError(40_301, 'forbidden');
    }
    return ntfy.respond(request, phone);
  });
}
