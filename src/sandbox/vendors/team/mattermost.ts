import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import { readMarkdown } from '../../../lib/rich-text/readers.ts';
import { SANDBOX_URL } from '../../../model/sandbox/sandbox-url.ts';
import type { Phone } from '../../phone.ts';
import { type PhoneEntry, type ShownContent, type ShownMedia, shownText } from '../../shown.ts';
import type { Simulator } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { fileReply, kindOfFile, showOnce } from '../files.ts';

/*
 * A Mattermost server, at least as strict as documented: fields that Mattermost would silently ignore are refused.
 * https://developers.mattermost.com/api-documentation/
 * People write in a public channel, which outgoing webhooks report.
 */
export const TOKEN = 'fake9token9of9a9bot9example';
const CHANNEL = '4xp9fdt77pncbef59f4k1qe83o';

export const mattermostError = (status: number, id: string, message = 'because'): Reply => ({
  status,
  body: { id, message, detailed_error: '', request_id: 'r1', status_code: status },
});

const invalid = (what: string) =>
  mattermostError(400, 'api.context.invalid_body_param.app_error', `SIMULATOR: ${what}`);
/** Mattermost does not reveal whether something exists. */
const forbidden = () => mattermostError(403, 'api.context.permissions.app_error');
const unauthorized = () => mattermostError(401, 'api.context.session_expired.app_error');

export const mattermost: Simulator = {
  channel: 'mattermost',
  limits: { none: 'a server limits rates only if its operator switches that on' },
  credentials: { address: SANDBOX_URL, token: TOKEN, secret: 'fake-outgoing-webhook-token' },
  people: [
    { address: 'ada0000000000000000000fake', name: 'ada', isOnlyInRooms: true },
    { address: 'grace00000000000000000fake', name: 'grace', isOnlyInRooms: true },
    { address: CHANNEL, name: 'town-square', isRoom: true },
  ],
  isRoom: () => true,
  magicAddress: (number) => `fault${number.padStart(21, '0')}`,

  recipientOf: ({ method, path, json }) =>
    method === 'POST' && path === '/api/v4/posts' ? textMember(json, 'channel_id') : undefined,

  async respond(request, phone) {
    const { method, path, headers, text, parts } = request;
    if (headers['authorization'] !== `Bearer ${TOKEN}`) return unauthorized();
    if (method === 'POST' && path === '/api/v4/files') return upload(request, phone);
    const [, file] = /^\/api\/v4\/files\/([a-z0-9]{26})$/.exec(path) ?? [];
    if (method === 'GET' && file !== undefined) {
      const missing = mattermostError(404, 'app.file_info.get.app_error');
      return fileReply(await phone.file(fileIdOf(file))) ?? missing;
    }
    if ((text !== '' && headers['content-type'] !== 'application/json') || parts) {
      return invalid('no JSON');
    }
    if (method === 'GET' && path === '/api/v4/users/me') {
      return { status: 200, body: { id: 'u'.repeat(26), username: 'example-bot', is_bot: true } };
    }
    if (method === 'POST' && path === '/api/v4/posts') return create(request, phone);
    const [, id = '', rest = ''] = /^\/api\/v4\/posts\/([a-z0-9]{26})(\/patch)?$/.exec(path) ?? [];
    if (method === 'PUT' && rest !== '') return patch(id, request, phone);
    if (method === 'DELETE' && id !== '' && rest === '' && text === '') return remove(id, phone);
    return mattermostError(404, 'api.context.404.app_error');
  },

  refusals: {
    blocked: () => mattermostError(400, 'api.post.create_post.can_not_post_to_deleted.error'),
    unknown: () => forbidden(),
    limited: (seconds) => ({
      status: 429,
      headers: { 'x-ratelimit-reset': String(seconds) },
      body: 'limit exceeded',
    }),
    credentials: () => unauthorized(),
  },

  reports: {
    /** https://developers.mattermost.com/integrate/webhooks/outgoing/ */
    message({ person, room, text = '', media }, { credentials, now, number }) {
      const id = postId(number);
      const hook = {
        token: credentials.secret,
        team_id: 't'.repeat(26),
        team_domain: 'example',
        channel_id: room?.address ?? CHANNEL,
        channel_name: room?.name ?? 'town-square',
        timestamp: now,
        user_id: person.address,
        user_name: person.name,
        post_id: id,
        text,
        trigger_word: '',
        file_ids: media ? wireFileId(media.file.id) : '',
      };
      const headers = { 'content-type': 'application/json' };
      return { headers, body: JSON.stringify(hook), id };
    },
  },
};

const postId = (number: number) => `post${String(number).padStart(4, '0')}`.padEnd(26, 'a');

/** Ids have 26 characters on the wire. */
const wireFileId = (id: string) => id.padStart(26, 'z');
const fileIdOf = (id: string) => id.replace(/^z+/, '');
/** The id of an empty file that marks another one as used: a file can be in one post only. */
const usedMark = (id: string) => `${id}.used`;

const REPEAT_WINDOW_MS = 30_000;

async function create({ json }: Request, phone: Phone): Promise<Reply> {
  const fault = unknownField(json, CREATE) ?? badPriority(json) ?? badPost(json);
  if (fault) return fault;
  const channel = textMember(json, 'channel_id') ?? '';
  const root = textMember(json, 'root_id') ?? '';
  if (root !== '' && !(await phone.find(root))) {
    return mattermostError(400, 'api.post.create_post.root_id.app_error');
  }
  const media = await mediaIn(json, phone);
  if (!media) return invalid('unknown file');
  const priority = textMember(json, 'metadata', 'priority', 'priority');
  const content = {
    ...contentOf(json, media),
    ...(root !== '' && { thread: root }),
    ...(priority !== undefined && { labels: [priority] }),
  };
  const show = async () => {
    for (const id of listMember(json, 'file_ids').map(String)) {
      const mark = { name: '', mediaType: '', bytes: Buffer.alloc(0) };
      await phone.putFile({ id: usedMark(fileIdOf(id)), ...mark });
    }
    return phone.show(channel, content, postId);
  };
  const key = textMember(json, 'pending_post_id');
  const entry =
    key === undefined ? await show() : (await showOnce(phone, key, show, REPEAT_WINDOW_MS)).entry;
  return { status: 201, body: postOf(entry, json) };
}

function postOf({ vendorId: id, person, createdAt, entry }: PhoneEntry, json: unknown) {
  return {
    id,
    create_at: createdAt,
    channel_id: person,
    root_id: entry.thread ?? '',
    message: textMember(json, 'message') ?? '',
    props: member(json, 'props') ?? {},
  };
}

const MAX_BYTES = 100 * 1024 * 1024;

/** https://docs.mattermost.com/api/reference/upload-file */
async function upload({ parts = [] }: Request, phone: Phone): Promise<Reply> {
  const [channel, file, ...others] = parts;
  if (channel?.name !== 'channel_id' || !/^[a-z0-9]{26}$/.test(channel.bytes.toString())) {
    return forbidden();
  }
  if (file?.name !== 'files' || file.filename === undefined || others.length > 0) {
    return invalid('files');
  }
  if (file.bytes.length > MAX_BYTES) {
    return mattermostError(413, 'api.file.upload_file.too_large_detailed.app_error');
  }
  const id = phone.newId();
  const { filename: name, mediaType = 'application/octet-stream', bytes } = file;
  await phone.putFile({ id, name, mediaType, bytes });
  return { status: 201, body: { file_infos: [{ id: wireFileId(id), name }], client_ids: [] } };
}

async function patch(id: string, { json }: Request, phone: Phone): Promise<Reply> {
  const fault = unknownField(json, ['message', 'props']) ?? badPost(json, true);
  if (fault) return fault;
  const before = await phone.find(id);
  if (!before || before.author === 'person') return forbidden();
  const { media = [], thread, labels } = before.entry;
  // Files stay; images of attachments are part of the props.
  const kept = member(json, 'props') === undefined ? media : media.filter(({ file }) => file);
  const content = {
    ...contentOf(json, kept),
    ...(thread !== undefined && { thread }),
    ...(labels && { labels }),
  };
  await phone.edit(before, content);
  return { status: 200, body: postOf(before, json) };
}

async function remove(id: string, phone: Phone): Promise<Reply> {
  const before = await phone.find(id);
  if (!before) return mattermostError(404, 'app.post.get.app_error', 'Unable to get the post.');
  await phone.remove(before);
  return { status: 200, body: { status: 'OK' } };
}

/** Undefined if a file does not exist, or is in another post. */
async function mediaIn(json: unknown, phone: Phone): Promise<ShownMedia[] | undefined> {
  const media: ShownMedia[] = [];
  for (const each of listMember(json, 'file_ids').map((id) => fileIdOf(String(id)))) {
    const file = await phone.file(each);
    if (!file || (await phone.file(usedMark(each)))) return undefined;
    const { id, name, mediaType } = file;
    media.push({ type: kindOfFile(name), file: id, name, media_type: mediaType });
  }
  return media;
}

function contentOf(json: unknown, files: readonly ShownMedia[]): ShownContent {
  const images = listMember(json, 'props', 'attachments').map((each): ShownMedia => {
    const name = textMember(each, 'fallback') ?? '';
    return { type: 'Image', url: textMember(each, 'image_url') ?? '', name };
  });
  const media = [...files, ...images];
  return {
    ...shownText(readMarkdown(textMember(json, 'message') ?? '')),
    ...(media.length > 0 && { media }),
  };
}

const CREATE = [
  'channel_id',
  'message',
  'root_id',
  'props',
  'pending_post_id',
  'file_ids',
  'metadata',
];

function unknownField(json: unknown, fields: readonly string[]): Reply | undefined {
  if (typeof json !== 'object' || json === null) return invalid('no JSON object');
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  return unknown === undefined ? undefined : invalid(`unknown field ${unknown}`);
}

function badPriority(json: unknown): Reply | undefined {
  const metadata = member(json, 'metadata');
  if (metadata === undefined) return undefined;
  if (member(json, 'root_id') !== undefined) {
    return mattermostError(400, 'api.post.post_priority.priority_post_only_allowed_for_root_post');
  }
  const accepted = ['{"priority":{"priority":"important"}}', '{"priority":{"priority":"urgent"}}'];
  return accepted.includes(JSON.stringify(metadata)) ? undefined : invalid('metadata');
}

function badPost(json: unknown, isPatch = false): Reply | undefined {
  const message = textMember(json, 'message');
  if (message === undefined) return invalid('message');
  if (Array.from(message).length > 16_383) {
    return mattermostError(400, 'model.post.is_valid.message_length.app_error');
  }
  const files = member(json, 'file_ids') ?? [];
  if (!Array.isArray(files)) return invalid('file_ids');
  const props = member(json, 'props');
  if (props === undefined) {
    const isEmpty = message.trim() === '' && files.length === 0 && !isPatch;
    return isEmpty ? invalid('empty message') : undefined;
  }
  const attachments = member(props, 'attachments') ?? [];
  if (!Array.isArray(attachments)) return invalid('attachments');
  return attachments.map(badAttachment).find((fault) => fault !== undefined);
}

function badAttachment(attachment: unknown): Reply | undefined {
  const isUrl = /^https?:/.test(textMember(attachment, 'image_url') ?? '');
  return (
    unknownField(attachment, ['fallback', 'image_url']) ??
    (isUrl ? undefined : invalid('image_url'))
  );
}
