import { callr } from '../../../src/sandbox/vendors/sms/callr.ts';
import { type HttpPeer, openHttp } from '../server/http.ts';
import { MemoryPhone } from '../server/memory-phone.ts';

/* The simulator of CALLR. */
export { KEY, LOGIN, PASSWORD, callrError } from '../../../src/sandbox/vendors/sms/callr.ts';

export async function openCallr(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  return openHttp((request) => callr.respond(request, phone));
}
