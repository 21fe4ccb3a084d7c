import {
  BROWSER,
  VAPID,
  readPush,
  subscriptionAt,
} from '../../src/sandbox/vendors/webpush/push-service.ts';
import { type HttpPeer, type Reply, openHttp } from './server/http.ts';

/* The simulator of a push service. The decrypted message replaces the text of the request. */

export { BROWSER, VAPID };

const ORIGIN = 'https://push.example.net';
export const LOCATION = `${ORIGIN}/m/1`;

export const subscription = (name = 'known') => subscriptionAt(`${ORIGIN}/p/${name}?v=2`);

export const refusal = (status: number, reason: string, headers = {}): Reply => ({
  status,
  headers,
  body: { reason },
});

export async function openWebpush(): Promise<HttpPeer> {
  return openHttp(async (request) => {
    const [, name] = /^\/p\/(\w+)\?v=2$/.exec(request.path) ?? [];
    if (request.method !== 'POST' || name === undefined) return refusal(404, 'NotFound');
    const read = await readPush(request, ORIGIN, Date.now());
    if (typeof read !== 'string') return refusal(read.status, read.reason);
    if (name === 'gone') return refusal(410, 'Unregistered');
    request.text = read;
    return { status: 201, headers: { location: LOCATION } };
  });
}
