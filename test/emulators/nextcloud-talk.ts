import { createHmac } from 'node:crypto';

import { countCodePoints } from '../../src/lib/text/code-points.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';

/*
 * Emulates the bots of Nextcloud Talk, as strict as their documentation or stricter: it also rejects unknown fields.
 * https://nextcloud-talk.readthedocs.io/en/latest/bots/#sending-a-chat-message
 */

export const SECRET = 'fake'.repeat(10);
export const ROOM = 'n3xtc10ud';
/** A message in the room. */
export const MESSAGE = '1567';

/** A response in the format of Nextcloud's API: https://docs.nextcloud.com/server/latest/developer_manual/ */
export const ocs = (status: number, headers = {}): Reply => ({
  status,
  headers,
  body: {
    ocs: {
      meta: { status: status < 400 ? 'ok' : 'failure', statuscode: status, message: '' },
      data: null,
    },
  },
});

export async function openNextcloudTalk(): Promise<HttpPeer> {
  return openHttp((request) => {
    const { method, path, headers, json } = request;
    if (headers['ocs-apirequest'] !== 'true') return ocs(412);
    if (headers['accept'] !== 'application/json') return { status: 406, body: '<ocs/>' };
    const room = /^\/ocs\/v2\.php\/apps\/spreed\/api\/v1\/bot\/([a-z0-9]{4,30})\/message$/.exec(
      path,
    );
    if (method !== 'POST' || !room) return ocs(404);
    const { message, replyTo, threadId, silent, referenceId, ...rest }: Record<string, unknown> = {
      ...Object(json),
    };
    if (Object.keys(rest).length > 0 || typeof message !== 'string') return ocs(400);
    if (message.trim() === '' || !/^[a-f0-9]{64}$/.test(String(referenceId))) return ocs(400);
    if (!isSigned(request, message) || room[1] !== ROOM) return ocs(401);
    if (typeof (silent ?? false) !== 'boolean') return ocs(400);
    if (![replyTo, threadId].every((id) => id === undefined || id === Number(MESSAGE))) {
      return ocs(400);
    }
    return ocs(countCodePoints(message.trim()) > 32_000 ? 413 : 201);
  });
}

function isSigned({ headers }: Request, message: string): boolean {
  const random = headers['x-nextcloud-talk-bot-random'] ?? '';
  const mac = createHmac('sha256', SECRET).update(`${random}${message}`).digest('hex');
  return random.length >= 32 && headers['x-nextcloud-talk-bot-signature'] === mac;
}
