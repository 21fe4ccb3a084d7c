import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import type { Phone } from '../../phone.ts';
import type { ShownContent, ShownMedia } from '../../shown.ts';
import type { Simulator, WrittenMessage } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { fileReply, showOnce } from '../files.ts';

/*
 * GroupMe's API, at least as strict as documented: fields that GroupMe would silently ignore are refused.
 * https://dev.groupme.com/docs/v3
 * In the sandbox, messages are sent with an access token, because posts of a bot do not name their group.
 */
export const BOT = 'fake0bot0id0that0posts';
export const TOKEN = 'fakeAccessTokenOfAPerson';
const GROUP = '1234567890';

export const groupMeError = (code: number, ...errors: string[]): Reply => ({
  status: code,
  body: { response: null, meta: { code, errors } },
});

/** The id of a message, by its number. */
export const messageId = (number: number) => String(174_769_395_496_127_000n + BigInt(number));

/** The services that serve images and videos. */
const HOSTS = ['i.groupme.com', 'v.groupme.com'];

export const groupme: Simulator = {
  channel: 'groupme',
  limits: { none: 'GroupMe documents no rate' },
  credentials: { secret: TOKEN },
  hosts: HOSTS,
  people: [
    { address: '93645911', name: 'Ada Example', isOnlyInRooms: true },
    { address: '93645912', name: 'Grace Example', isOnlyInRooms: true },
    { address: GROUP, name: 'Example group', isRoom: true },
  ],
  isRoom: () => true,
  hasPlaces: () => true,
  magicAddress: (number) => `900000${number}`,

  recipientOf({ method, path }) {
    if (method !== 'POST') return undefined;
    return path === '/bots/post' ? GROUP : groupIn(path);
  },

  async respond(request, phone) {
    const { method, path, headers } = request;
    const [, file] = /^https:\/\/[iv]\.groupme\.com\/[\w.]{1,40}\.(\w{1,40})$/.exec(path) ?? [];
    if (file !== undefined) return fileReply(await phone.file(file)) ?? { status: 404, body: '' };
    const isJson = headers['content-type'] === 'application/json';
    if (method === 'POST' && path === '/pictures') return uploadImage(request, phone);
    if (method === 'POST' && !isJson) return groupMeError(415, 'SIMULATOR: no JSON');
    if (method === 'POST' && path === '/bots/post') return postAsBot(request, phone);
    if (headers['x-access-token'] !== TOKEN) return groupMeError(401, 'unauthorized');
    const group = groupIn(path);
    if (method === 'POST' && group !== undefined) return postMessage(request, group, phone);
    const [, from, id] = /^\/conversations\/(\d{1,20})\/messages\/(\d{1,20})$/.exec(path) ?? [];
    if (method === 'DELETE' && from !== undefined && id !== undefined) {
      return remove(from, id, phone);
    }
    if (method === 'GET' && path === '/users/me') {
      return { status: 200, body: { response: { id: '1', name: 'Ada' }, meta: { code: 200 } } };
    }
    return { status: 404, body: `SIMULATOR: ${method} ${path}` };
  },

  refusals: {
    blocked: () => groupMeError(403, 'User is not a member of the group'),
    unknown: () => groupMeError(404, 'Group not found'),
    limited: (seconds) => ({
      ...groupMeError(429, 'slow down'),
      headers: { 'retry-after': String(seconds) },
    }),
    credentials: () => groupMeError(401, 'unauthorized'),
  },

  reports: {
    /** https://dev.groupme.com/tutorials/bots */
    message(written, { now, number }) {
      const { person, room, text = null } = written;
      const id = messageId(number);
      const { address: user, name } = person;
      const message = {
        attachments: attachmentsOf(written),
        avatar_url: null,
        created_at: Math.floor(now / 1000),
        group_id: room?.address ?? GROUP,
        id,
        name,
        sender_id: user,
        sender_type: 'user',
        source_guid: String(number),
        system: false,
        text,
        user_id: user,
      };
      const headers = { 'content-type': 'application/json' };
      return { headers, body: JSON.stringify(message), id };
    },
  },
};

const groupIn = (path: string) => /^\/groups\/(\d{1,20})\/messages$/.exec(path)?.[1];

const REPEAT_WINDOW_MS = 60_000;

async function postMessage({ json }: Request, group: string, phone: Phone): Promise<Reply> {
  const message = member(json, 'message');
  const guid = textMember(message, 'source_guid') ?? '';
  const fault =
    unknownField(json, ['message']) ??
    unknownField(message, ['source_guid', 'text', 'attachments']) ??
    badContent(message);
  if (fault) return fault;
  if (guid === '') return groupMeError(400, 'source_guid is missing');
  const { entry, isRepeat } = await showOnce(
    phone,
    guid,
    async () => phone.show(group, await contentOf(message, phone), messageId),
    REPEAT_WINDOW_MS,
  );
  if (isRepeat) return groupMeError(409);
  const created = { id: entry.vendorId, source_guid: guid, group_id: group };
  return { status: 201, body: { response: { message: created }, meta: { code: 201 } } };
}

async function postAsBot({ json }: Request, phone: Phone): Promise<Reply> {
  const fault = unknownField(json, ['bot_id', 'text', 'attachments']);
  if (fault) return fault;
  if (textMember(json, 'bot_id') !== BOT) return groupMeError(404, 'Invalid bot_id');
  const bad = badContent(json);
  if (bad) return bad;
  await phone.show(GROUP, await contentOf(json, phone), messageId);
  return { status: 202, body: '' };
}

async function remove(group: string, id: string, phone: Phone): Promise<Reply> {
  const before = await phone.find(id);
  if (before?.person !== group) return groupMeError(404, 'not found');
  await phone.remove(before);
  return { status: 204 };
}

export const MAX_BYTES = 10 * 1024 * 1024;

/** https://dev.groupme.com/docs/image_service */
async function uploadImage({ headers, bytes }: Request, phone: Phone): Promise<Reply> {
  if (headers['x-access-token'] !== TOKEN) return groupMeError(401, 'unauthorized');
  const mediaType = headers['content-type'] ?? '';
  if (!/^image\/(png|jpeg|gif)$/.test(mediaType)) {
    return { status: 415, body: { errors: ['SIMULATOR: no image'] } };
  }
  if (bytes.length === 0) return { status: 400, body: { errors: ['SIMULATOR: no bytes'] } };
  if (bytes.length > MAX_BYTES) return { status: 413, body: '' };
  const id = phone.newId();
  await phone.putFile({ id, name: `image.${mediaType.slice(6)}`, mediaType, bytes });
  const url = `https://i.groupme.com/64x48.${mediaType.slice(6)}.${id}`;
  return { status: 200, body: { payload: { url, picture_url: url } } };
}

async function contentOf(message: unknown, phone: Phone): Promise<ShownContent> {
  const text = textMember(message, 'text') ?? '';
  const attachments = listMember(message, 'attachments');
  const ofType = (type: string) => attachments.filter((each) => textMember(each, 'type') === type);
  const media: ShownMedia[] = [];
  for (const each of [...ofType('image'), ...ofType('video')]) {
    const url = textMember(each, 'url') ?? '';
    const type = textMember(each, 'type') === 'image' ? 'Image' : 'Video';
    const file = await phone.file(url.slice(url.lastIndexOf('.') + 1));
    const { name, mediaType } = file ?? {};
    if (name === undefined || mediaType === undefined || !file) media.push({ type, url });
    else media.push({ type, file: file.id, name, media_type: mediaType });
  }
  const [location, reply] = [ofType('location')[0], ofType('reply')[0]];
  const [latitude, longitude] = ['lat', 'lng'].map((key) => Number(textMember(location, key)));
  const [name, replyTo] = [textMember(location, 'name'), textMember(reply, 'reply_id')];
  return {
    ...(text !== '' && { text }),
    ...(media.length > 0 && { media }),
    ...(location !== undefined && {
      place: {
        latitude: latitude ?? 0,
        longitude: longitude ?? 0,
        ...(name !== undefined && { name }),
      },
    }),
    ...(replyTo !== undefined && { reply_to: replyTo }),
  };
}

/** https://github.com/groupme-js/GroupMeCommunityDocs/blob/master/attachments.md */
function attachmentsOf({ media, place, replyTo }: WrittenMessage): object[] {
  const { type, file } = media ?? {};
  const id = replyTo?.vendorId;
  return [
    ...(type === 'Image' && file
      ? [{ type: 'image', url: `https://i.groupme.com/64x48.png.${file.id}` }]
      : []),
    ...(type === 'Video' && file
      ? [{ type: 'video', url: `https://v.groupme.com/64x48.mp4.${file.id}` }]
      : []),
    ...((type === 'Audio' || type === 'Document') && file
      ? [{ type: 'file', file_id: file.id }]
      : []),
    ...(place
      ? [
          {
            type: 'location',
            name: place.name ?? `${place.latitude}, ${place.longitude}`,
            lat: String(place.latitude),
            lng: String(place.longitude),
          },
        ]
      : []),
    ...(id === undefined ? [] : [{ type: 'reply', reply_id: id, base_reply_id: id }]),
  ];
}

function unknownField(json: unknown, fields: readonly string[]): Reply | undefined {
  if (typeof json !== 'object' || json === null) return groupMeError(400, 'SIMULATOR: no object');
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  return unknown === undefined ? undefined : groupMeError(400, `SIMULATOR: unknown ${unknown}`);
}

const ATTACHMENTS: Readonly<Record<string, readonly string[]>> = {
  image: ['type', 'url'],
  video: ['type', 'url', 'preview_url'],
  location: ['type', 'name', 'lat', 'lng'],
  reply: ['type', 'reply_id', 'base_reply_id'],
};

function badContent(message: unknown): Reply | undefined {
  const text = textMember(message, 'text') ?? '';
  if (text.length > 1000) return groupMeError(400, 'Text is too long (maximum is 1000 characters)');
  const attachments = member(message, 'attachments') ?? [];
  if (!Array.isArray(attachments)) return groupMeError(400, 'Attachments are invalid');
  if (text.trim() === '' && attachments.length === 0)
    return groupMeError(400, "Text can't be blank");
  return attachments.map(badAttachment).find((fault) => fault !== undefined);
}

function badAttachment(attachment: unknown): Reply | undefined {
  const type = textMember(attachment, 'type') ?? '';
  const fields = Object.hasOwn(ATTACHMENTS, type) ? ATTACHMENTS[type] : undefined;
  if (!fields) return groupMeError(400, 'SIMULATOR: unknown attachment');
  const missing = fields.find((field) => (textMember(attachment, field) ?? '') === '');
  if (missing !== undefined) return groupMeError(400, `Attachment lacks ${missing}`);
  const url = textMember(attachment, 'url');
  const isOwn = url === undefined || /^https:\/\/[iv]\.groupme\.com\//.test(url);
  if (!isOwn) return groupMeError(400, 'Attachment url is not ours');
  return unknownField(attachment, fields);
}
