import {
  TOKEN,
  pushover,
  receiptId,
  refusal,
  requestId,
} from '../../src/sandbox/vendors/push/pushover.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of Pushover, with one user who has one device. */
export { TOKEN, refusal, requestId };

export const USER = 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG';
export const DEVICE = 'droid2';
export const REQUEST = requestId(1);
export const RECEIPT = receiptId(1);

export async function openPushover(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  return openHttp((request) => badUser(request) ?? pushover.respond(request, phone));
}

function badUser({ form = {} }: Request): Reply | undefined {
  const { token, user, device = DEVICE, sound } = form;
  if (token !== TOKEN || user === undefined) return undefined;
  if (user !== USER) return refusal(400, 'user', 'user identifier is invalid');
  if (device !== DEVICE) return refusal(400, 'device', 'device name is not valid for user');
  return sound === 'silence' ? refusal(400, 'sound', 'sound is invalid') : undefined;
}
