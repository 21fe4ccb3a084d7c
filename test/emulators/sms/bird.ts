import { respondAsBird } from '../../../src/sandbox/vendors/sms/bird.ts';
import { type HttpPeer, openHttp } from '../server/http.ts';
import { MemoryPhone } from '../server/memory-phone.ts';

/* The simulator of Bird's Channels API. */
export { CHANNEL, KEY, WORKSPACE, birdError } from '../../../src/sandbox/vendors/sms/bird.ts';

export async function openBird(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  return openHttp((request) => respondAsBird(request, phone));
}
