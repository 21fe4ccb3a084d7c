import { listMember, textMember } from '../../../lib/json/json-member.ts';
import type { Run } from '../../../lib/rich-text/rich-text.ts';
import type { Phone } from '../../phone.ts';
import { type ShownContent, type ShownMedia, shownText } from '../../shown.ts';
import type { Simulator } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { bytes, list, literal, object, oneOf, text } from '../../wire/shape.ts';
import { isOutsideWindow } from '../window.ts';
import { messages } from './messages.ts';

/*
 * WeChat's official account API, at least as strict as documented: fields that WeChat would silently ignore are
 * refused. https://developers.weixin.qq.com/doc/service/api/customer/message/api_sendcustommessage
 */
export const APP = { consumer_key: 'wx0123456789abcdef', consumer_secret: 'fake-secret-of-an-app' };
export const TOKEN = 'fake-token-1';

/** Never writes, so the window for free text is closed. */
const SILENT = 'oLVPpjqs9BhvzwPj5A-vTYAXSLNT';
const WINDOW_HOURS = 48;
/** https://developers.weixin.qq.com/doc/service/api/customer/message/api_sendcustommessage */
const MAX_MESSAGES_IN_WINDOW = 5;

const VIDEO_HOST = 'vweixinp.tc.qq.com';

export const weChatError = (errcode: number, errmsg: string): Reply => ({
  status: 200,
  body: { errcode, errmsg: `${errmsg} rid: 6510fcad-3d8ae261-25861ec2` },
});

const head = { touser: text(128, /^[\w-]+$/) };
const item = object({ id: text(64, /^[\w.~-]+$/), content: bytes(128) });
const uploadedFile = object({ media_id: text(128, /^fake-media-[\w-]+$/) });

const message = oneOf(
  object({ ...head, msgtype: literal('image'), image: uploadedFile }),
  object({ ...head, msgtype: literal('voice'), voice: uploadedFile }),
  object({ ...head, msgtype: literal('video'), video: uploadedFile }),
  object({
    ...head,
    msgtype: literal('msgmenu'),
    msgmenu: object({
      head_content: bytes(1024),
      list: list(item, 10),
      tail_content: literal(''),
    }),
  }),
  object({ ...head, msgtype: literal('text'), text: object({ content: bytes(2048) }) }),
);

const tokenRequest = object({
  grant_type: literal('client_credential'),
  appid: text(64),
  secret: text(128),
});

export const wechat: Simulator = {
  channel: 'wechat',
  limits: {
    none: 'the daily quota of 500,000 messages is too large to simulate; the sandbox enforces 5 messages after each message from the person',
  },
  credentials: {
    ...APP,
    secret: 'fakeVerificationToken',
    // 43 characters: 32 bytes in base64 without the padding.
    refresh: 'fakeEncodingKey0123456789abcdefghijklmnopqr',
  },
  hosts: [VIDEO_HOST],
  people: [
    { address: 'oLVPpjqs9BhvzwPj5A-vTYAX3GLc', name: 'Ada Example' },
    { address: 'oLVPpjqs9BhvzwPj5A-vTYAX3GLd', name: 'Grace Example' },
    { address: SILENT, name: 'Silent Example' },
  ],
  hasPlaces: () => true,
  magicAddress: (number) => `oFAULT-${number}`,

  recipientOf: ({ path, json }) =>
    path.startsWith('/cgi-bin/message/custom/send?') ? textMember(json, 'touser') : undefined,

  async respond(request, phone) {
    const [path = '', query = ''] = request.path.split('?');
    const [, video] = /^http:\/\/vweixinp\.tc\.qq\.com\/(\w+)\.mp4$/.exec(path) ?? [];
    if (video !== undefined) return fileAt(video, phone);
    const parameters = new URLSearchParams(query);
    switch (path) {
      case '/cgi-bin/stable_token':
        return jsonError(request) ?? issueToken(request);
      case '/cgi-bin/message/custom/send':
        return jsonError(request) ?? tokenError(parameters) ?? send(request, parameters, phone);
      case '/cgi-bin/media/upload':
        return upload(request, parameters, phone);
      case '/cgi-bin/media/get':
        return download(request, parameters, phone);
      default:
        return { status: 404, body: 'not found' };
    }
  },

  refusals: {
    blocked: () => weChatError(43_004, 'require subscribe'),
    unknown: () => weChatError(40_003, 'invalid openid'),
    limited: () => weChatError(45_009, 'reach max api daily quota limit'),
    credentials: () => weChatError(48_001, 'api unauthorized'),
  },

  reports: messages,
};

function jsonError({ method, headers, json }: Request): Reply | undefined {
  if (method !== 'POST') return weChatError(43_002, 'require POST method');
  const isJson = headers['content-type'] === 'application/json' && json !== undefined;
  return isJson ? undefined : weChatError(47_001, 'data format error');
}

function tokenError(parameters: URLSearchParams): Reply | undefined {
  const token = parameters.get('access_token');
  if (token === null) return weChatError(41_001, 'access_token missing');
  return token === TOKEN ? undefined : weChatError(40_001, 'invalid credential');
}

/** WeChat's stable token: every request returns the same one. */
function issueToken({ json }: Request): Reply {
  const fault = tokenRequest(json, 'request');
  if (fault !== undefined) return weChatError(47_001, `SIMULATOR: ${fault}`);
  if (textMember(json, 'appid') !== APP.consumer_key) return weChatError(40_013, 'invalid appid');
  if (textMember(json, 'secret') !== APP.consumer_secret) {
    return weChatError(40_125, 'invalid appsecret');
  }
  return { status: 200, body: { access_token: TOKEN, expires_in: 7200 } };
}

async function send({ json }: Request, parameters: URLSearchParams, phone: Phone): Promise<Reply> {
  if (parameters.size > 1) return weChatError(40_035, 'SIMULATOR: parameters');
  const fault = message(json, 'message');
  if (fault !== undefined) return weChatError(40_035, `SIMULATOR: ${fault}`);
  const content = await shownOf(json, phone);
  if (!content) return weChatError(40_007, 'invalid media_id');
  const openid = textMember(json, 'touser') ?? '';
  if (await isOutsideWindow(openid, phone, [SILENT], WINDOW_HOURS)) {
    return weChatError(45_015, 'response out of time limit or subscription is canceled');
  }
  if (((await phone.sentSinceAction(openid)) ?? 0) >= MAX_MESSAGES_IN_WINDOW) {
    return weChatError(45_047, 'out of response count limit');
  }
  // WeChat returns no ids.
  await phone.show(openid, content, String);
  return { status: 200, body: { errcode: 0, errmsg: 'ok' } };
}

const KINDS: Readonly<Record<string, ShownMedia['type']>> = {
  image: 'Image',
  voice: 'Audio',
  video: 'Video',
};

/** Undefined if the file is unknown or was uploaded as another type. */
async function shownOf(json: unknown, phone: Phone): Promise<ShownContent | undefined> {
  const type = textMember(json, 'msgtype') ?? '';
  if (type === 'text') return shownText(linksIn(textMember(json, 'text', 'content') ?? ''));
  if (type === 'msgmenu') {
    const buttons = listMember(json, 'msgmenu', 'list').map((each) => ({
      label: textMember(each, 'content') ?? '',
      value: textMember(each, 'id') ?? '',
    }));
    return { text: textMember(json, 'msgmenu', 'head_content') ?? '', buttons };
  }
  const mediaId = textMember(json, type, 'media_id') ?? '';
  const file = await phone.file(fileOf(mediaId));
  if (!file || mediaId !== mediaIdOf(type, file.id)) return undefined;
  const { id, name, mediaType } = file;
  return { media: [{ type: KINDS[type] ?? 'Image', file: id, name, media_type: mediaType }] };
}

/** WeChat reads link elements and no other HTML. */
function linksIn(written: string): Run[] {
  const pieces = written.split(/<a href="([^"]{1,2000})">([^<]{1,2000})<\/a>/);
  const runs: Run[] = [];
  for (let i = 0; i < pieces.length; i += 3) {
    const [before = '', link, label = ''] = pieces.slice(i, i + 3);
    // The pieces repeat: a text, the URL of a link, and its label.
    if (before !== '') runs.push({ text: before, look: {} });
    if (link !== undefined) runs.push({ text: label, look: { link } });
  }
  return runs;
}

/** Uploads by media type: accepted file extensions, maximum size in bytes, and the error code for larger files. */
const UPLOADS: Readonly<
  Record<string, readonly [ending: RegExp, maxBytes: number, error: number]>
> = {
  image: [/\.(png|jpe?g|gif)$/, 10_485_760, 40_009],
  voice: [/\.(mp3|amr)$/, 2_097_152, 40_010],
  video: [/\.mp4$/, 10_485_760, 40_011],
};

/** https://developers.weixin.qq.com/doc/service/api/material/temporary/api_uploadtempmedia */
async function upload(
  { method, parts = [] }: Request,
  parameters: URLSearchParams,
  phone: Phone,
): Promise<Reply> {
  if (method !== 'POST') return weChatError(43_002, 'require POST method');
  const refusal = tokenError(parameters);
  if (refusal) return refusal;
  const type = parameters.get('type') ?? '';
  const accepted = Object.hasOwn(UPLOADS, type) ? UPLOADS[type] : undefined;
  if (!accepted || parameters.size !== 2) return weChatError(40_004, 'invalid media type');
  const [media, ...others] = parts;
  if (media?.name !== 'media' || others.length > 0) {
    return weChatError(41_005, 'media data missing');
  }
  const [ending, maxBytes, error] = accepted;
  const { filename = '', mediaType, bytes: content } = media;
  if (!ending.test(filename)) return weChatError(40_005, 'invalid file type');
  if (mediaType === undefined) return weChatError(40_005, 'SIMULATOR: no content-type');
  if (content.length === 0) return weChatError(44_001, 'empty media data');
  if (content.length > maxBytes) return weChatError(error, `invalid ${type} size`);
  const id = phone.newId();
  await phone.putFile({ id, name: filename, mediaType, bytes: content });
  const created_at = Math.floor(phone.now() / 1000);
  return { status: 200, body: { type, media_id: mediaIdOf(type, id), created_at } };
}

const mediaIdOf = (type: string, file: string) => `fake-media-${type}-${file}`;
const fileOf = (mediaId: string) => mediaId.slice(mediaId.lastIndexOf('-') + 1);

/** WeChat returns the URL of a video, and the bytes of any other file. */
async function download(
  { method }: Request,
  parameters: URLSearchParams,
  phone: Phone,
): Promise<Reply> {
  if ([...parameters.keys()].join() !== 'access_token,media_id' || method !== 'GET') {
    return weChatError(41_006, 'SIMULATOR: parameters');
  }
  const refusal = tokenError(parameters);
  if (refusal) return refusal;
  const file = await phone.file(fileOf(parameters.get('media_id') ?? ''));
  if (!file) return weChatError(40_007, 'invalid media_id');
  return file.mediaType.startsWith('video/')
    ? { status: 200, body: { video_url: `http://${VIDEO_HOST}/${file.id}.mp4` } }
    : fileAt(file.id, phone);
}

async function fileAt(id: string, phone: Phone): Promise<Reply> {
  const file = await phone.file(id);
  if (!file) return { status: 404, body: 'not found' };
  return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
}
