import { SECRET, nextcloudTalk, ocs } from '../../src/sandbox/vendors/team/nextcloud-talk.ts';
import { type HttpPeer, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of Nextcloud Talk, with one conversation. */
export { SECRET, ocs };

export const ROOM = 'n3xtc10ud';
/** A message in the room. */
export const MESSAGE = '1567';

export async function openNextcloudTalk(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  phone.put(ROOM, MESSAGE, { text: 'before' });
  return openHttp(async (request) => {
    const room = nextcloudTalk.recipientOf(request) ?? ROOM;
    const reply = await nextcloudTalk.respond(request, phone);
    return reply.status === 201 && room !== ROOM ? ocs(401) : reply;
  });
}
