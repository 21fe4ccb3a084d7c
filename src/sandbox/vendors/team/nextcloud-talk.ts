import { createHash, createHmac } from 'node:crypto';

import { integerMember } from '../../../lib/json/json-member.ts';
import { readMarkdown } from '../../../lib/rich-text/readers.ts';
import { countCodePoints } from '../../../lib/text/code-points.ts';
import { SANDBOX_URL } from '../../../model/sandbox/sandbox-url.ts';
import type { Phone } from '../../phone.ts';
import { shownText } from '../../shown.ts';
import type { Simulator, WrittenMessage } from '../../simulator.ts';
import { fieldsIn } from '../../wire/fields.ts';
import type { Reply, Request } from '../../wire/request.ts';

/*
 * The bots of Nextcloud Talk, as strict as their documentation or stricter: unknown fields are refused.
 * https://nextcloud-talk.readthedocs.io/en/latest/bots/
 * Talk does not tell a bot the ids of its messages, and does not distinguish a wrong secret from a conversation without
 * the bot.
 */
export const SECRET = 'fake'.repeat(10);

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

const PATH = /^\/ocs\/v2\.php\/apps\/spreed\/api\/v1\/bot\/([a-z0-9]{4,30})\/message$/;
const roomIn = ({ path }: Request) => PATH.exec(path)?.[1];

export const nextcloudTalk: Simulator = {
  channel: 'nextcloud-talk',
  limits: { none: 'Nextcloud limits only requests with wrong signatures' },
  credentials: { address: SANDBOX_URL, secret: SECRET },
  people: [
    { address: 'users/ada', name: 'Ada Example', isOnlyInRooms: true },
    { address: 'users/grace', name: 'Grace Example', isOnlyInRooms: true },
    { address: 'n3xtc10ud', name: 'Example conversation', isRoom: true },
  ],
  isRoom: () => true,
  hasPlaces: () => true,
  magicAddress: (number) => `fault${number}`,
  lacks: ['credentials'],

  recipientOf: roomIn,

  async respond(request, phone) {
    const { method, headers } = request;
    if (headers['ocs-apirequest'] !== 'true') return ocs(412);
    if (headers['accept'] !== 'application/json') return { status: 406, body: '<ocs/>' };
    const room = roomIn(request);
    if (method !== 'POST' || room === undefined) return ocs(404);
    return post(request, room, phone);
  },

  refusals: {
    blocked: () => ocs(401),
    credentials: () => ocs(401),
    unknown: () => ocs(404),
    limited: (seconds) => ocs(429, { 'retry-after': String(seconds) }),
  },

  reports: {
    /** https://nextcloud-talk.readthedocs.io/en/latest/bots/#receiving-chat-messages */
    message(written, { credentials, now, number }) {
      const { person, room, media, place, replyTo } = written;
      const isText = !media && !place;
      const activity = {
        type: isText ? 'Create' : 'Activity',
        actor: { type: 'Person', id: person.address, name: person.name, talkParticipantType: '1' },
        object: {
          type: 'Note',
          id: String(number),
          name: isText ? 'message' : media ? 'file_shared' : 'object_shared',
          content: JSON.stringify(contentOf(written)),
          mediaType: 'text/markdown',
          ...(replyTo && { inReplyTo: { type: 'Note', object: { id: replyTo.vendorId } } }),
        },
        target: {
          type: 'Collection',
          id: room?.address ?? 'n3xtc10ud',
          name: room?.name ?? 'Example conversation',
        },
        published: new Date(now).toISOString(),
      };
      const body = JSON.stringify(activity);
      const random = createHash('sha256').update(`${now}:${number}`).digest('hex');
      const mac = createHmac('sha256', credentials.secret ?? '').update(`${random}${body}`);
      return {
        headers: {
          'content-type': 'application/json',
          'x-nextcloud-talk-random': random,
          'x-nextcloud-talk-signature': mac.digest('hex'),
          'x-nextcloud-talk-backend': `${SANDBOX_URL}/`,
        },
        body,
        id: String(number),
      };
    },
  },
};

async function post({ json, headers }: Request, room: string, phone: Phone): Promise<Reply> {
  const { message, replyTo, threadId, silent, referenceId, ...rest } = fieldsIn(json);
  if (Object.keys(rest).length > 0 || typeof message !== 'string') return ocs(400);
  if (message.trim() === '' || !/^[a-f0-9]{64}$/.test(String(referenceId))) return ocs(400);
  const random = headers['x-nextcloud-talk-bot-random'] ?? '';
  const mac = createHmac('sha256', SECRET).update(`${random}${message}`).digest('hex');
  const isSigned = random.length >= 32 && headers['x-nextcloud-talk-bot-signature'] === mac;
  if (!isSigned) return ocs(401);
  if (typeof (silent ?? false) !== 'boolean') return ocs(400);
  const [answered, thread] = [integerMember(json, 'replyTo'), integerMember(json, 'threadId')];
  const isMalformed = replyTo !== undefined && answered === undefined;
  if (isMalformed || (threadId !== undefined && thread === undefined)) return ocs(400);
  for (const id of [answered, thread]) {
    if (id !== undefined && (await phone.find(id))?.person !== room) return ocs(400);
  }
  if (countCodePoints(message.trim()) > 32_000) return ocs(413);
  const content = {
    ...shownText(readMarkdown(message)),
    ...(silent === true && { labels: ['silent'] }),
    ...(answered !== undefined && { reply_to: answered }),
    ...(thread !== undefined && { thread }),
  };
  await phone.show(room, content, String);
  return ocs(201);
}

/** The text, with placeholders for what was shared. */
function contentOf({ text, media, place }: WrittenMessage): object {
  if (media) {
    const { id, name, mediaType } = media.file;
    const link = `${SANDBOX_URL}/f/${id}`;
    const file = { type: 'file', id, name, path: name, link, mimetype: mediaType };
    return { message: text ?? '{file}', parameters: { file } };
  }
  if (!place) return { message: text ?? '', parameters: {} };
  const { latitude, longitude, name = `${latitude}, ${longitude}` } = place;
  const degrees = { latitude: String(latitude), longitude: String(longitude) };
  const object = { type: 'geo-location', id: `geo:${latitude},${longitude}`, name, ...degrees };
  return { message: '{object}', parameters: { object } };
}
