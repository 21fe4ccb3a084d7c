import { APP, TOKEN, weChatError, wechat } from '../../src/sandbox/vendors/wechat/simulator.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of WeChat, with the people and files that tests need. */
export { APP, weChatError };

export const PEOPLE = {
  known: 'oLVPpjqs9BhvzwPj5A-vTYAX3GLc',
  silent: 'oLVPpjqs9BhvzwPj5A-silent',
} as const;

/** WeChat returns the address of a video, and the bytes of any other file. */
export const MEDIA = { image: 'fake-media-id-1_x', video: 'fake-media-id-2' } as const;
export const VIDEO_URL = 'http://123.6.61.1/vweixinp.tc.qq.com/1007_film.f10.mp4?vkey=not-a-secret';

const IMAGE: Reply = {
  status: 200,
  headers: { 'content-type': 'image/jpeg' },
  body: '\u00ff\u00d8 a picture',
};

export async function openWeChat(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  let token = TOKEN;

  const answer = (request: Request): Reply | Promise<Reply> => {
    const given = new URLSearchParams(request.path.split('?')[1]);
    const isCurrent = given.get('access_token') === token;
    if (isCurrent && request.path.startsWith('/cgi-bin/media/get?') && given.size === 2) {
      const id = given.get('media_id');
      if (id === MEDIA.video) return { status: 200, body: { video_url: VIDEO_URL } };
      if (id === MEDIA.image) return IMAGE;
    }
    const openid = isCurrent ? wechat.recipientOf(request) : undefined;
    if (openid === PEOPLE.silent) return weChatError(45_015, 'response out of time limit');
    if (openid !== undefined && openid !== PEOPLE.known)
      return weChatError(40_003, 'invalid openid');
    // The simulator has one token.
    const path = isCurrent ? request.path.replace(token, TOKEN) : request.path;
    const isStale = !isCurrent && given.has('access_token');
    return isStale
      ? weChatError(40_001, 'invalid credential')
      : wechat.respond({ ...request, path }, phone);
  };

  return openHttp(async (request) => {
    // Lets a test replace the token in between.
    if (request.path === '/replace') {
      token = 'fake-token-2';
      return { status: 200 };
    }
    const reply = await answer(request);
    const isIssued =
      request.path === '/cgi-bin/stable_token' && 'access_token' in Object(reply.body);
    return isIssued ? { ...reply, body: { ...Object(reply.body), access_token: token } } : reply;
  });
}
