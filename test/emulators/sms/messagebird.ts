import { messagebird } from '../../../src/sandbox/vendors/sms/messagebird.ts';
import { type HttpPeer, openHttp } from '../server/http.ts';
import { MemoryPhone } from '../server/memory-phone.ts';

/* The simulator of MessageBird's classic API. */
export {
  CLASSIC_KEY as KEY,
  messageBirdError,
} from '../../../src/sandbox/vendors/sms/messagebird.ts';

export async function openMessageBird(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  return openHttp((request) => messagebird.respond(request, phone));
}
