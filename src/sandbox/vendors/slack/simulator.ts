import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import { parseJson } from '../../../lib/json/parse-json.ts';
import { SANDBOX_URL } from '../../../model/sandbox/sandbox-url.ts';
import type { Phone } from '../../phone.ts';
import type { ShownContent, ShownMedia } from '../../shown.ts';
import type { Simulator } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { areBlocks, shownBlocks } from './blocks.ts';
import { channelOf, personOf, slackReports } from './reports.ts';

/*
 * Slack's Web API, at least as strict as documented: fields that Slack would silently ignore are refused.
 * https://docs.slack.dev/reference/methods
 */
export const TOKEN = 'xoxb-fake-token-of-a-bot';

export const slackError = (error: string): Reply => ({ status: 200, body: { ok: false, error } });

export const rateLimited = (seconds: number): Reply => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  body: { ok: false, error: 'ratelimited' },
});

const ok = (body: object): Reply => ({ status: 200, body: { ok: true, ...body } });

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json; charset=utf-8';

type Method = (request: Request, phone: Phone) => Reply | Promise<Reply>;

export const slack: Simulator = {
  channel: 'slack',
  credentials: { token: TOKEN, secret: 'fake-signing-secret' },
  hosts: ['files.slack.com'],
  people: [
    { address: 'U0123456789', name: 'Ada Example' },
    { address: 'U0123456780', name: 'Grace Example' },
    { address: 'C0123456789', name: '#general', isRoom: true },
  ],
  isRoom: (address) => /^[CG#]/.test(address) && !address.startsWith('CFAULT'),
  magicAddress: (number) => `UFAULT00${number}`,

  recipientOf({ path, json, form }) {
    if (path === '/chat.postMessage') return personOf(textMember(json, 'channel') ?? '');
    if (path !== '/files.completeUploadExternal') return undefined;
    return personOf(form?.['channel_id'] ?? form?.['channels'] ?? '');
  },

  async respond(request, phone) {
    const [, file] =
      /^https:\/\/files\.slack\.com\/files-pri\/T1-(F\w+)\//.exec(request.path) ?? [];
    if (file !== undefined) return download(file, request, phone);
    const name = request.path.slice(1);
    if (request.method !== 'POST') return slackError('SIMULATOR_not_a_POST');
    // The upload URL itself grants access.
    if (name.startsWith('upload/')) return upload(request, phone);
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (!method) return slackError('unknown_method');
    const type = name.startsWith('files.') && name !== 'files.delete' ? FORM : JSON_TYPE;
    if (request.headers['content-type'] !== type) return slackError('invalid_post_type');
    const bearer = request.headers['authorization']?.replace(/^Bearer /, '');
    if (bearer === undefined) return slackError('not_authed');
    if (bearer !== TOKEN) return slackError('invalid_auth');
    return method(request, phone);
  },

  refusals: {
    blocked: () => slackError('not_in_channel'),
    unknown: () => slackError('channel_not_found'),
    limited: (seconds) => rateLimited(seconds),
    credentials: () => slackError('token_revoked'),
  },

  /** https://docs.slack.dev/apis/web-api/rate-limits#posting */
  limits: [{ count: 1, seconds: 1, per: 'recipient' }],
  reports: slackReports,
};

const METHODS: Readonly<Record<string, Method>> = {
  'auth.test': () =>
    ok({
      url: 'https://example.slack.com/',
      team: 'Example',
      user: 'bot',
      team_id: 'T1',
      user_id: 'U1',
    }),

  async 'chat.postMessage'(request, phone) {
    const fields = ['channel', 'text', 'mrkdwn', 'blocks', 'thread_ts', ...OPTIONS];
    const fault = unknownField(request, fields) ?? badOptions(request) ?? badText(request, 40_000);
    if (fault) return fault;
    const { json } = request;
    const given = textMember(json, 'channel') ?? '';
    const channel = channelOf(given);
    const thread = textMember(json, 'thread_ts');
    const content = {
      ...contentOf(json),
      ...(thread !== undefined && { thread: `${channel}:${thread}` }),
    };
    const { vendorId } = await phone.show(personOf(given), content, (number) =>
      vendorIdOf(channel, number, phone.now()),
    );
    const ts = vendorId.slice(channel.length + 1);
    const text = textMember(json, 'text') ?? '';
    return ok({ channel, ts, message: { type: 'message', text, ts, bot_id: 'B1' } });
  },

  async 'chat.update'(request, phone) {
    const fields = ['channel', 'ts', 'text', 'parse', 'blocks'];
    const fault = unknownField(request, fields) ?? badText(request, 4000);
    if (fault) return fault;
    if (textMember(request.json, 'parse') !== 'none')
      return slackError('SIMULATOR_parse_is_not_none');
    const before = await phone.find(keyOf(request));
    if (!before) return slackError('message_not_found');
    const { thread } = before.entry;
    await phone.edit(before, {
      ...contentOf(request.json),
      ...(thread !== undefined && { thread }),
    });
    const [channel, ts] = [textMember(request.json, 'channel'), textMember(request.json, 'ts')];
    const text = textMember(request.json, 'text') ?? '';
    return ok({ channel, ts, text, message: { text } });
  },

  async 'chat.delete'(request, phone) {
    const fault = unknownField(request, ['channel', 'ts']);
    if (fault) return fault;
    const before = await phone.find(keyOf(request));
    if (!before) return slackError('message_not_found');
    await phone.remove(before);
    return ok({ channel: textMember(request.json, 'channel'), ts: textMember(request.json, 'ts') });
  },

  async 'files.getUploadURLExternal'({ form = {}, headers }, phone) {
    const { filename = '', length = '', ...others } = form;
    if (Object.keys(others).length > 0) return slackError('SIMULATOR_unknown_field');
    if (filename === '' || !/^[1-9]\d*$/.test(length)) return slackError('missing_argument');
    const id = `F${phone.newId().toUpperCase()}`;
    const { host = '' } = headers;
    const base = SANDBOX_URL.endsWith(`//${host}`) ? SANDBOX_URL : `http://${host}`;
    await phone.putFile({ id: pending(id), name: length, mediaType: '', bytes: Buffer.alloc(0) });
    return ok({ upload_url: `${base}/upload/v1/fake-${id}`, file_id: id });
  },

  async 'files.completeUploadExternal'({ form = {} }, phone) {
    const { files: list = '', channel_id, channels, thread_ts, ...comment } = form;
    const { initial_comment: text, blocks, ...others } = comment;
    if (Object.keys(others).length > 0) return slackError('SIMULATOR_unknown_field');
    const [one] = parseJson(list) as unknown[];
    const id = textMember(one, 'id') ?? '';
    const file = await phone.file(id);
    if (!file) return slackError('file_not_found');
    if (typeof member(one, 'title') !== 'string') return slackError('SIMULATOR_no_title');
    if ((channels === undefined) === (channel_id === undefined))
      return slackError('channel_not_found');
    if (thread_ts !== undefined && !/^\d+\.\d{6}$/.test(thread_ts)) {
      return slackError('invalid_thread_ts');
    }
    if (text !== undefined && (text === '' || /[*_~`]|[<>]/.test(text))) {
      return slackError('SIMULATOR_markup');
    }
    if (blocks !== undefined && (text !== undefined || !areBlocks(parseJson(blocks)))) {
      return slackError('invalid_blocks');
    }
    const channel = channelOf(channel_id ?? channels ?? '');
    const shown = textMember(one, 'title') ?? file.name;
    const media = [{ type: kindOf(shown), file: id, name: shown }];
    const comments = blocks === undefined ? plainText(text) : shownBlocks(parseJson(blocks));
    const thread = thread_ts === undefined ? {} : { thread: `${channel}:${thread_ts}` };
    // A file is identified by its own id.
    await phone.show(
      personOf(channel_id ?? channels ?? ''),
      { ...comments, media, ...thread },
      () => id,
    );
    // Slack shares the file later, so there is no message id yet.
    return ok({ files: [{ id, title: 'x', channels: [], shares: {} }] });
  },

  /** https://docs.slack.dev/reference/methods/files.info */
  async 'files.info'({ form = {} }, phone) {
    const { file: id = '', ...others } = form;
    if (Object.keys(others).length > 0) return slackError('SIMULATOR_unknown_field');
    const file = await phone.file(phoneFile(id));
    if (!file) return slackError('file_not_found');
    const { name, mediaType: mimetype } = file;
    const url = `https://files.slack.com/files-pri/T1-${id}/${encodeURIComponent(name)}`;
    return ok({ file: { id, name, mimetype, url_private: url } });
  },

  async 'files.delete'({ json }, phone) {
    const before = await phone.find(textMember(json, 'file') ?? '');
    if (!before) return slackError('file_not_found');
    await phone.remove(before);
    return ok({});
  },
};

const vendorIdOf = (channel: string, number: number, now: number) =>
  `${channel}:${Math.floor(now / 1000)}.${String(number % 1_000_000).padStart(6, '0')}`;

const keyOf = ({ json }: Request) => `${textMember(json, 'channel')}:${textMember(json, 'ts')}`;

/** Id of the placeholder for a file that is not uploaded yet. The placeholder's name is the announced length. */
const pending = (id: string) => `${id}.pending`;

/** A file that a person sent has its id on the phone in lower case, after an F. */
const phoneFile = (id: string) => id.slice(1).toLowerCase();

async function upload({ path, bytes }: Request, phone: Phone): Promise<Reply> {
  const [, id = ''] = /^\/upload\/v1\/fake-(F\w+)$/.exec(path) ?? [];
  const begun = await phone.file(pending(id));
  if (!begun || (await phone.file(id))) return { status: 404, body: 'not found' };
  if (bytes.length !== Number(begun.name)) return { status: 400, body: 'wrong length' };
  await phone.putFile({ id, name: id, mediaType: 'application/octet-stream', bytes });
  return { status: 200, body: `OK - ${bytes.length}` };
}

async function download(id: string, { headers }: Request, phone: Phone): Promise<Reply> {
  if (headers['authorization'] !== `Bearer ${TOKEN}`)
    return { status: 302, headers: { location: '/' } };
  const file = await phone.file(phoneFile(id));
  if (!file) return { status: 404, body: 'not found' };
  return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
}

function contentOf(json: unknown): ShownContent {
  const blocks = listMember(json, 'blocks');
  return blocks.length > 0 ? shownBlocks(blocks) : plainText(textMember(json, 'text'));
}

function plainText(text: string | undefined): ShownContent {
  if (text === undefined) return {};
  const unescaped = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return { text: unescaped };
}

function kindOf(name: string): ShownMedia['type'] {
  if (/\.(png|jpe?g|gif|webp)$/i.test(name)) return 'Image';
  if (/\.(mp4|mov|webm)$/i.test(name)) return 'Video';
  return /\.(mp3|m4a|ogg|wav)$/i.test(name) ? 'Audio' : 'Document';
}

function unknownField({ json }: Request, fields: readonly string[]): Reply | undefined {
  if (json === undefined) return slackError('invalid_json');
  if (typeof json !== 'object' || json === null) return slackError('json_not_object');
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  if (unknown !== undefined) return slackError(`SIMULATOR_unknown_field_${unknown}`);
  const thread = member(json, 'thread_ts') ?? '1.000001';
  if (typeof thread !== 'string' || !/^\d+\.\d{6}$/.test(thread)) {
    return slackError('SIMULATOR_thread_ts');
  }
  return 'ts' in json && typeof json.ts !== 'string' ? slackError('SIMULATOR_ts') : undefined;
}

const OPTIONS = ['unfurl_links', 'unfurl_media', 'reply_broadcast'];

function badOptions({ json }: Request): Reply | undefined {
  const values = OPTIONS.map((name) => member(json, name)).filter((value) => value !== undefined);
  if (values.some((value) => typeof value !== 'boolean')) return slackError('SIMULATOR_option');
  const isBroadcast = member(json, 'reply_broadcast') === true;
  const isReply = member(json, 'thread_ts') !== undefined;
  return isBroadcast && !isReply ? slackError('SIMULATOR_reply_broadcast') : undefined;
}

const SPECIAL = /&(?!(?:amp|lt|gt);)|[<>]/;

/** Our texts contain no links and no mentions, so anything like one was not escaped. */
function badText({ json, path }: Request, maxLength: number): Reply | undefined {
  const [text, blocks, mrkdwn] = ['text', 'blocks', 'mrkdwn'].map((name) => member(json, name));
  if (typeof text !== 'string' || text.trim() === '') return slackError('no_text');
  if (SPECIAL.test(text)) return slackError('SIMULATOR_unescaped');
  if (text.length > maxLength) return slackError('msg_too_long');
  if (blocks !== undefined) return areBlocks(blocks) ? undefined : slackError('invalid_blocks');
  // Text outside of blocks would be parsed as markup.
  const isPlain = path.endsWith('update') ? !/[*_~`]|&gt;/.test(text) : mrkdwn === false;
  return isPlain ? undefined : slackError('SIMULATOR_markup');
}
