import { member, textMember } from '../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';

/*
 * The parts of a Mattermost server that we use, at least as strict as documented: fields that Mattermost would
 * silently ignore are refused. https://developers.mattermost.com/api-documentation/
 */
export const TOKEN = 'fake9token9of9a9bot9example';
export const CHANNEL = '4xp9fdt77pncbef59f4k1qe83o';
export const ARCHIVED = 'archived77pncbef59f4k1qe83';
export const BEFORE = 'before0077pncbef59f4k1qe83';
export const FIRST = 'post0001aaaaaaaaaaaaaaaaaa';
export const SECOND = 'post0002aaaaaaaaaaaaaaaaaa';

export const mattermostError = (status: number, id: string, message = 'because'): Reply => ({
  status,
  body: { id, message, detailed_error: '', request_id: 'r1', status_code: status },
});

const invalid = (what: string) =>
  mattermostError(400, 'api.context.invalid_body_param.app_error', `EMULATOR: ${what}`);
const forbidden = () => mattermostError(403, 'api.context.permissions.app_error');

interface Post {
  id: string;
  channel_id: string;
  message: string;
  root_id: string;
  props: object;
}

export async function openMattermost(): Promise<HttpPeer> {
  const posts = new Map<string, Post>();
  const pending = new Map<string, Post>();
  const files = new Set<string>();
  const before = { channel_id: CHANNEL, message: 'before', root_id: '', props: {} };
  posts.set(BEFORE, { id: BEFORE, ...before });

  const create = ({ json }: Request): Reply => {
    const fault =
      unknownField(json, CREATE) ?? badPriority(json) ?? badPost(json) ?? badFiles(json, files);
    if (fault) return fault;
    const channel = textMember(json, 'channel_id') ?? '';
    if (channel === ARCHIVED) {
      return mattermostError(400, 'api.post.create_post.can_not_post_to_deleted.error');
    }
    if (channel !== CHANNEL) return forbidden();
    const root = textMember(json, 'root_id') ?? '';
    if (root !== '' && !posts.has(root)) {
      return mattermostError(400, 'api.post.create_post.root_id.app_error');
    }
    const key = textMember(json, 'pending_post_id') ?? '';
    const id = `post${String(posts.size).padStart(4, '0')}`.padEnd(26, 'a');
    const post = pending.get(key) ?? {
      id,
      channel_id: channel,
      message: textMember(json, 'message') ?? '',
      root_id: root,
      props: member(json, 'props') ?? {},
    };
    posts.set(post.id, post);
    pending.set(key, post);
    return { status: 201, body: post };
  };

  const upload = ({ parts = [] }: Request): Reply => {
    const [channel, file, ...others] = parts;
    if (channel?.name !== 'channel_id' || channel.bytes.toString() !== CHANNEL) return forbidden();
    const isFile = file?.name === 'files' && file.filename !== undefined;
    if (!isFile || others.length > 0) return invalid('files');
    if (file.bytes.length > MAX_BYTES) {
      return mattermostError(413, 'api.file.upload_file.too_large_detailed.app_error');
    }
    const id = `file${files.size}`.padEnd(26, 'a');
    files.add(id);
    return { status: 201, body: { file_infos: [{ id, name: file.filename }], client_ids: [] } };
  };

  const patch = (id: string, { json }: Request): Reply => {
    const fault = unknownField(json, ['message', 'props']) ?? badPost(json);
    if (fault) return fault;
    const post = posts.get(id);
    // Mattermost does not reveal whether it exists.
    if (!post) return forbidden();
    post.message = textMember(json, 'message') ?? '';
    return { status: 200, body: post };
  };

  const remove = (id: string): Reply =>
    posts.delete(id)
      ? { status: 200, body: { status: 'OK' } }
      : mattermostError(404, 'app.post.get.app_error', 'Unable to get the post.');

  return openHttp((request) => {
    const { method, path, headers, text } = request;
    if (headers['authorization'] !== `Bearer ${TOKEN}`) {
      return mattermostError(401, 'api.context.session_expired.app_error');
    }
    if (method === 'POST' && path === '/api/v4/files') return upload(request);
    if (text !== '' && headers['content-type'] !== 'application/json') return invalid('no JSON');
    const [, id = '', rest = ''] = /^\/api\/v4\/posts\/([a-z0-9]{26})(\/patch)?$/.exec(path) ?? [];
    if (method === 'GET' && path === '/api/v4/users/me') {
      return { status: 200, body: { id: 'u'.repeat(26), username: 'example-bot', is_bot: true } };
    }
    if (method === 'POST' && path === '/api/v4/posts') return create(request);
    if (method === 'PUT' && rest !== '') return patch(id, request);
    if (method === 'DELETE' && id !== '' && rest === '' && text === '') return remove(id);
    return mattermostError(404, 'api.context.404.app_error');
  });
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

export const MAX_BYTES = 100_000;

/** Each file can be in one post only. */
function badFiles(json: unknown, files: Set<string>): Reply | undefined {
  const ids = member(json, 'file_ids') ?? [];
  if (!Array.isArray(ids)) return invalid('file_ids');
  return ids.every((id: string) => files.delete(id)) ? undefined : invalid('unknown file');
}

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
  const isKnown = ['{"priority":{"priority":"important"}}', '{"priority":{"priority":"urgent"}}'];
  return isKnown.includes(JSON.stringify(metadata)) ? undefined : invalid('metadata');
}

function badPost(json: unknown): Reply | undefined {
  const message = textMember(json, 'message');
  if (message === undefined) return invalid('message');
  if (Array.from(message).length > 16_383) {
    return mattermostError(400, 'model.post.is_valid.message_length.app_error');
  }
  const props = member(json, 'props');
  if (props === undefined) {
    const isEmpty = message.trim() === '' && member(json, 'file_ids') === undefined;
    return isEmpty ? invalid('empty message') : undefined;
  }
  const attachments = member(props, 'attachments') ?? [];
  if (!Array.isArray(attachments)) return invalid('attachments');
  return attachments
    .map((each) => {
      const fault = unknownField(each, ['fallback', 'image_url']);
      return (
        fault ??
        (/^https?:/.test(textMember(each, 'image_url') ?? '') ? undefined : invalid('image_url'))
      );
    })
    .find((fault) => fault !== undefined);
}
