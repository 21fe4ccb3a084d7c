import { BOT, TOKEN, groupMeError, groupme } from '../../src/sandbox/vendors/team/groupme.ts';
import { type HttpPeer, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of GroupMe, with one group and smaller files. */
export { BOT, TOKEN, groupMeError };

export const GROUPS = { ours: '1234567890', foreign: '666' } as const;
/** An existing message to remove. */
export const EARLIER = '174769395496126372';
export const MAX_BYTES = 100_000;

export async function openGroupMe(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  phone.put(GROUPS.ours, EARLIER, { text: 'before' });
  return openHttp(async (request) => {
    if (request.path === '/pictures' && request.bytes.length > MAX_BYTES) {
      return { status: 413, body: '' };
    }
    const group = groupme.recipientOf(request) ?? GROUPS.ours;
    const isAllowed = request.headers['x-access-token'] === TOKEN;
    if (group !== GROUPS.ours && isAllowed) return groupMeError(404, 'Group not found');
    return groupme.respond(request, phone);
  });
}
