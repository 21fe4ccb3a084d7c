import { TOKEN, gotify, gotifyError } from '../../src/sandbox/vendors/push/gotify.ts';
import { type HttpPeer, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of Gotify, whose first message has the id 25. */
export { TOKEN, gotifyError };

export async function openGotify(): Promise<HttpPeer> {
  const phone = new MemoryPhone(24);
  return openHttp((request) => gotify.respond(request, phone));
}
