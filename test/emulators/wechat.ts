import { textMember } from '../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';
import { bytes, list, literal, object, oneOf, text } from './server/shape.ts';

/*
 * The parts of WeChat's official account API that we use, at least as strict as documented: fields that WeChat
 * would silently ignore are refused.
 * https://developers.weixin.qq.com/doc/service/api/customer/message/api_sendcustommessage
 */
export const APP = { consumer_key: 'wx0123456789abcdef', consumer_secret: 'fake-secret-of-an-app' };

export const PEOPLE = {
  known: 'oLVPpjqs9BhvzwPj5A-vTYAX3GLc',
  silent: 'oLVPpjqs9BhvzwPj5A-silent',
} as const;

export const weChatError = (errcode: number, errmsg: string): Reply => ({
  status: 200,
  body: { errcode, errmsg: `${errmsg} rid: 6510fcad-3d8ae261-25861ec2` },
});

const head = { touser: text(128, /^[\w-]+$/) };
const item = object({ id: text(64, /^[\w.~-]+$/), content: bytes(128) });
const kept = object({ media_id: text(128, /^fake-media-[\w-]+$/) });

const message = oneOf(
  object({ ...head, msgtype: literal('image'), image: kept }),
  object({ ...head, msgtype: literal('voice'), voice: kept }),
  object({ ...head, msgtype: literal('video'), video: kept }),
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

const request = object({
  grant_type: literal('client_credential'),
  appid: text(64),
  secret: text(128),
});

/** WeChat returns the address of a video, and the bytes of any other file. */
export const MEDIA = { image: 'fake-media-id-1_x', video: 'fake-media-id-2' } as const;
export const VIDEO_URL = 'http://123.6.61.1/vweixinp.tc.qq.com/1007_film.f10.mp4?vkey=not-a-secret';

function mediaAt({ path, method }: Request, token: string): Reply {
  const given = new URLSearchParams(path.split('?')[1]);
  if ([...given.keys()].join() !== 'access_token,media_id' || method !== 'GET') {
    return weChatError(41_006, 'EMULATOR: parameters');
  }
  if (given.get('access_token') !== token) return weChatError(40_001, 'invalid credential');
  if (given.get('media_id') === MEDIA.video) return { status: 200, body: { video_url: VIDEO_URL } };
  return given.get('media_id') === MEDIA.image
    ? { status: 200, headers: { 'content-type': 'image/jpeg' }, body: '\u00ff\u00d8 a picture' }
    : weChatError(40_007, 'invalid media_id');
}

/** Accepted uploads by file extension, with their maximum size and the error for larger files. */
const UPLOADS: Readonly<Record<string, readonly [ending: RegExp, most: number, error: number]>> = {
  image: [/\.(png|jpe?g|gif)$/, 10_485_760, 40_009],
  voice: [/\.(mp3|amr)$/, 2_097_152, 40_010],
  video: [/\.mp4$/, 10_485_760, 40_011],
};

/** https://developers.weixin.qq.com/doc/service/api/material/temporary/api_uploadtempmedia */
function upload({ path, method, parts = [] }: Request, token: string, number: number): Reply {
  const given = new URLSearchParams(path.split('?')[1]);
  if (method !== 'POST') return weChatError(43_002, 'require POST method');
  if (given.get('access_token') !== token) return weChatError(40_001, 'invalid credential');
  const type = given.get('type') ?? '';
  const claimed = UPLOADS[type];
  if (!claimed || given.size !== 2) return weChatError(40_004, 'invalid media type');
  const [media, ...others] = parts;
  if (media?.name !== 'media' || others.length > 0) {
    return weChatError(41_005, 'media data missing');
  }
  const [ending, most, error] = claimed;
  if (!ending.test(media.filename ?? '')) return weChatError(40_005, 'invalid file type');
  if (media.mediaType === undefined) return weChatError(40_005, 'EMULATOR: no content-type');
  if (media.bytes.length === 0) return weChatError(44_001, 'empty media data');
  if (media.bytes.length > most) return weChatError(error, `invalid ${type} size`);
  return {
    status: 200,
    body: { type, media_id: `fake-media-${type}-${number}`, created_at: 1_672_500_000 },
  };
}

export async function openWeChat(): Promise<HttpPeer> {
  // The stable token stays the same until it is replaced by force.
  let token = 'fake-token-1';
  const uploaded = new Set<string>();
  const calls: Readonly<Record<string, (asked: Request) => Reply>> = {
    '/cgi-bin/stable_token'({ json }) {
      const fault = request(json, 'request');
      if (fault !== undefined) return weChatError(47_001, `EMULATOR: ${fault}`);
      if (textMember(json, 'appid') !== APP.consumer_key)
        return weChatError(40_013, 'invalid appid');
      if (textMember(json, 'secret') !== APP.consumer_secret) {
        return weChatError(40_125, 'invalid appsecret');
      }
      return { status: 200, body: { access_token: token, expires_in: 7200 } };
    },

    '/cgi-bin/message/custom/send'({ path, json }) {
      const given = /\?access_token=([^&]+)$/.exec(path)?.[1];
      if (given === undefined) return weChatError(41_001, 'access_token missing');
      if (given !== token) return weChatError(40_001, 'invalid credential');
      const fault = message(json, 'message');
      if (fault !== undefined) return weChatError(40_035, `EMULATOR: ${fault}`);
      const type = textMember(json, 'msgtype') ?? '';
      const media = textMember(json, type, 'media_id');
      if (media !== undefined && !uploaded.has(media))
        return weChatError(40_007, 'invalid media_id');
      const openid = textMember(json, 'touser');
      if (openid === PEOPLE.silent) return weChatError(45_015, 'response out of time limit');
      if (openid !== PEOPLE.known) return weChatError(40_003, 'invalid openid');
      return { status: 200, body: { errcode: 0, errmsg: 'ok' } };
    },
  };
  return openHttp((asked) => {
    // Lets a test replace the token in between.
    if (asked.path === '/replace') {
      token = 'fake-token-2';
      return { status: 200 };
    }
    if (asked.path.startsWith('/cgi-bin/media/get?')) return mediaAt(asked, token);
    if (asked.path.startsWith('/cgi-bin/media/upload?')) {
      const reply = upload(asked, token, uploaded.size + 1);
      const id = textMember(reply.body, 'media_id');
      if (id !== undefined) uploaded.add(id);
      return reply;
    }
    const call = calls[asked.path.split('?', 1)[0] ?? ''];
    if (!call) return { status: 404, body: 'not found' };
    if (asked.method !== 'POST') return weChatError(43_002, 'require POST method');
    if (asked.headers['content-type'] !== 'application/json' || asked.json === undefined) {
      return weChatError(47_001, 'data format error');
    }
    return call(asked);
  });
}
