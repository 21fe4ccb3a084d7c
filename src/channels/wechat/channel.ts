import { type Access, AccessToken } from '../../lib/crypto/access-token.ts';
import { type FetchAnswer, type FetchRequest, beforeSending } from '../../lib/http/fetch.ts';
import { multipart } from '../../lib/http/multipart.ts';
import { integerMember, member, textMember } from '../../lib/json/json-member.ts';
import type { RichText } from '../../lib/rich-text/rich-text.ts';
import {
  type Destination,
  type Blame,
  type Button,
  type Channel,
  type Context,
  type Failure,
  type MediaPart,
  type RequestFile,
  type Unsupported,
  type VendorRequest,
  fileOf,
  isFailure,
  matching,
  unsent,
} from '../channel.ts';
import { failureClassifier } from '../http-failure.ts';
import { type MediaSource, type HookRequest, type HookContext, NOTHING } from '../inbound.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { WECHAT_CREDENTIALS } from './credentials.ts';
import { fieldsOfXml, isSignedByWeChat, openEnvelope } from './envelope.ts';
import { readWeChat } from './hook.ts';
import {
  ACCEPTED_MEDIA,
  type WeChatMedia,
  asWeChatMedia,
  isWeChatMedia,
  refusalOf,
} from './media.ts';
import { MAX_MENU_ID_LENGTH, menuId, writeMenuId } from './menu.ts';

/*
 * WeChat official accounts, customer service messages.
 * https://developers.weixin.qq.com/doc/service/api/customer/message/api_sendcustommessage
 * Text: 2,048 bytes; five messages within 48 hours of a message from the user, three within a minute of another
 * action. WeChat returns no message ids.
 * Media is uploaded first and kept for three days: images, audio and videos. Other files and captions are not
 * supported; a video's thumbnail (thumb_media_id) is left out, since WeChat refuses videos with one.
 * https://developers.weixin.qq.com/doc/service/api/material/temporary/api_uploadtempmedia
 * The token is the stable one, which several nodes share without invalidating each other's:
 * https://developers.weixin.qq.com/doc/service/api/base/api_getstableaccesstoken
 * Addresses: the user's openid for this account.
 */
const MAX_ITEM_LENGTH = 128;

export const wechat: Channel = {
  name: 'wechat',
  title: 'WeChat',
  category: 'chat',
  summary: 'Messages from a WeChat Official Account to its followers.',
  keywords: ['weixin', 'china', 'tencent'],
  docs: 'https://developers.weixin.qq.com/doc/service/api/customer/message/api_sendcustommessage',
  dashboard: 'https://mp.weixin.qq.com',
  credentials: WECHAT_CREDENTIALS,
  needs: [['consumer_key', 'consumer_secret']],
  recipient: {
    format: 'the openid of a person who follows the account',
    example: 'oLVPpjqs9BhvzwPj5A-vTYAX3GLc',
    validate: matching(
      /^[A-Za-z0-9_-]{1,128}$/,
      'must be an openid: letters, digits, _ and -, usually 28 of them',
    ),
  },
  limits: [
    {
      what: '2,048 bytes of text',
      link: 'https://developers.weixin.qq.com/community/develop/doc/00084e2936c340b9015a753405b800',
    },
    {
      what: '5 messages within 48 hours of a message from the person; 3 within a minute of a menu press, a scan or a subscription',
      link: 'https://developers.weixin.qq.com/doc/service/api/customer/message/api_sendcustommessage',
    },
    {
      what: '10 MB per image (PNG, JPEG, GIF) and video (MP4), 2 MB and 60 seconds per audio file (MP3, AMR)',
      link: 'https://developers.weixin.qq.com/doc/service/api/material/temporary/api_uploadtempmedia',
    },
  ],
  url: 'https://api.weixin.qq.com',
  text: {
    max: 2048,
    unit: 'bytes',
    measure: (text) => Buffer.byteLength(text),
    write: toWeChat,
    clashes: (rich) => hasClash(rich),
    formats: () => [{ as: 'link', pattern: LINK_TAG }],
  },
  renderers: {
    text: ({ text }, { recipient }) => message(recipient, 'text', { content: text }),
    image: { maxCaptionLength: 0, compose: (part, to) => asMedia('image', part, to) },
    video: { maxCaptionLength: 0, compose: (part, to) => asMedia('video', part, to) },
    audio: { maxCaptionLength: 0, compose: (part, to) => asMedia('voice', part, to) },
    // WeChat refuses menus of accounts other than service accounts.
    buttons: {
      max: 10,
      maxLabelLength: 50,
      kinds: ['reply'],
      payload: {
        max: MAX_MENU_ID_LENGTH,
        unit: 'characters',
        encoding: 'in base64url, unless it has only letters, digits, _ and -',
        write: writeMenuId,
      },
      add: addMenu,
    },
  },
  window: {
    hours: 48,
    link: 'https://developers.weixin.qq.com/doc/service/api/customer/message/api_sendcustommessage',
  },

  async send({ body, file }, _message, context) {
    const { msgtype: type } = body;
    const id = file && isWeChatMedia(type) ? await upload(type, file, context) : '';
    if (typeof id === 'object') return id;
    const content = id === '' ? body : { ...body, [String(type)]: { media_id: id } };
    const result = await call('message/custom/send', '', context, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(content),
    });
    if (isFailure(result)) return result;
    if (codeOf(result.answer) === '0') return { outcome: 'sent' };
    return sentUnlessRefused(result.answer, classifyFailure(result.answer, context));
  },

  async check(context) {
    const access = await requestAccess(context);
    return 'token' in access
      ? { outcome: 'known', as: context.credentials.consumer_key ?? '' }
      : access;
  },

  hook: {
    needs: [['secret']],
    setup:
      'At mp.weixin.qq.com, open Settings and development > Basic configuration > Server configuration. Enter the URL, and the Token and EncodingAESKey of the integration, and choose safe mode (AES).',
    verify,
    parse(request, context) {
      if (request.method === 'GET') return [NOTHING];
      const fields = contentOf(request, context);
      return fields && readWeChat(fields);
    },
    answer: ({ method, query }) => ({
      text: method === 'GET' ? (query.get('echostr') ?? '') : 'success',
    }),
  },
  media: findFile,
};

/** WeChat makes three attempts within 15 seconds. In plain mode, only this limit prevents replay. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 300;

function verify(request: HookRequest, { credentials, clock }: HookContext): string | undefined {
  const { secret: token = '', refresh: key, consumer_key: app } = credentials;
  const { query, method, body } = request;
  if (token === '') return 'the integration has no verification token';
  const moment = query.get('timestamp');
  const differenceSeconds = Math.abs(clock.now() / 1000 - Number(moment ?? Number.NaN));
  if (!(differenceSeconds <= MAX_CLOCK_DIFFERENCE_SECONDS))
    return 'timestamp outside the tolerance';
  const signed = [moment, query.get('nonce')];
  if (method === 'GET' || key === undefined) {
    return isSignedByWeChat(token, signed, query.get('signature'))
      ? undefined
      : 'the signature does not match';
  }
  // With an encryption key, plain requests are refused: their signature does not cover the content.
  const encrypted = fieldsOfXml(body.toString()).get('Encrypt');
  if (encrypted === undefined) return 'the message is not encrypted';
  if (!isSignedByWeChat(token, [...signed, encrypted], query.get('msg_signature'))) {
    return 'the signature does not match';
  }
  const opened = openEnvelope(encrypted, key);
  if (!opened) return 'the message is encrypted with another key';
  return app === undefined || opened.app === app ? undefined : 'the message is for another app';
}

function contentOf({ body }: HookRequest, { credentials: { refresh: key } }: HookContext) {
  const fields = fieldsOfXml(body.toString());
  if (key === undefined) return fields;
  const opened = openEnvelope(fields.get('Encrypt') ?? '', key);
  return opened && fieldsOfXml(opened.text);
}

/**
 * https://developers.weixin.qq.com/doc/service/api/material/temporary/api_gettempmedia: files are kept for three
 * days.
 */
async function findFile(reference: string, context: Context): Promise<MediaSource | Failure> {
  const more = `&media_id=${encodeURIComponent(reference)}`;
  // Errors have status 200, so only the content distinguishes a file from an error.
  const result = await call('media/get', more, context, { isPrivate: true });
  if (isFailure(result)) return result;
  const { answer, address } = result;
  const video = textMember(answer.json(), 'video_url');
  if (video !== undefined && URL.parse(video) !== null) return { url: video };
  const isFile = answer.status === 200 && codeOf(answer) === undefined;
  return isFile ? { url: address } : classifyFailure(answer, context);
}

/** The response and its URL. */
type CallResult = { answer: FetchAnswer; address: string };

/** Sends a request with a token, and repeats it once if the token was replaced elsewhere. */
async function call(
  path: string,
  more: string,
  context: Context,
  request: FetchRequest,
): Promise<CallResult | Failure> {
  const tokens = context.resource(() => new AccessToken<Failure>());
  for (let attempts = 1; ; attempts++) {
    const token = await tokens.get(context.clock.now(), () => requestAccess(context));
    if (typeof token !== 'string') return token;
    const address = `${context.url}/cgi-bin/${path}?${tokenParameter(token, context)}${more}`;
    const answer = await context.fetch(address, request);
    if (attempts > 1 || !STALE.includes(codeOf(answer) ?? '')) return { answer, address };
    tokens.forget(token);
  }
}

/** Redacts the token, which is part of the URL. */
function tokenParameter(token: string, context: Context): string {
  const encoded = encodeURIComponent(token);
  for (const form of new Set([token, encoded])) context.redact(form);
  return `access_token=${encoded}`;
}

function message(recipient: string, type: string, content: object): VendorRequest {
  return { body: { touser: recipient, msgtype: type, [type]: content } };
}

/** WeChat reads link elements and no other HTML. There is no escape. */
const LINK_TAG = /<\/?a\b[^>]{0,1000}>?/gi;

function toWeChat(rich: RichText): string {
  return rich
    .map(({ text, look: { link } }) => {
      if (link === undefined || link === text) return text;
      const address = link.replaceAll(/["<>\s]/g, encodeURIComponent);
      return isLinkable(text) ? `<a href="${address}">${text}</a>` : `${text} (${link})`;
    })
    .join('');
}

/** A link whose text contains a link tag is sent without its element. */
const isLinkable = (text: string): boolean => !/<\/?a\b/i.test(text);

const hasClash = (rich: RichText): boolean =>
  rich.some(({ text, look: { link } }) => link !== undefined && !isLinkable(text));

function asMedia(
  type: WeChatMedia,
  part: MediaPart,
  { recipient }: Destination,
): VendorRequest | Unsupported {
  const unsupported = refusalOf(type, part);
  if (unsupported !== undefined) return { unsupported };
  // Replaced by the media id after the upload.
  return { ...message(recipient, type, { media_id: part.url }), file: fileOf(part) };
}

/** WeChat's media id, or the failure. */
async function upload(
  type: WeChatMedia,
  file: RequestFile,
  context: Context,
): Promise<string | Failure> {
  const downloaded = await context.download(file.url, { maxBytes: ACCEPTED_MEDIA[type].max });
  if (isFailure(downloaded)) return downloaded;
  const media = asWeChatMedia(type, file, downloaded);
  if (typeof media === 'string') return { outcome: 'permanent', blame: 'content', detail: media };
  const form = { method: 'POST', ...multipart([['media', media]]) } as const;
  const result = await beforeSending(async () =>
    call('media/upload', `&type=${type}`, context, form),
  );
  if (isFailure(result)) return result;
  return (
    textMember(result.answer.json(), 'media_id') ?? unsent(classifyFailure(result.answer, context))
  );
}

const MAX_LENGTH_ABOVE_MENU = 1024;

/**
 * The length limits of menus are documented only for WeChat Work, whose menus look the same.
 * https://developer.work.weixin.qq.com/document/path/94677
 */
function addMenu({ body }: VendorRequest, buttons: readonly Button[]): VendorRequest | Unsupported {
  const head = textMember(body['text'], 'content') ?? '';
  if (Buffer.byteLength(head) > MAX_LENGTH_ABOVE_MENU) {
    return { unsupported: `WeChat accepts at most ${MAX_LENGTH_ABOVE_MENU} bytes above buttons` };
  }
  if (buttons.some(({ name }) => Buffer.byteLength(name) > MAX_ITEM_LENGTH)) {
    return { unsupported: `WeChat accepts at most ${MAX_ITEM_LENGTH} bytes on a button` };
  }
  const list = buttons.map((button, i) => ({ id: menuId(button, i), content: button.name }));
  if (list.some(({ id }) => id.length > MAX_MENU_ID_LENGTH)) {
    return {
      unsupported: `WeChat accepts button values of at most ${MAX_MENU_ID_LENGTH} characters after encoding`,
    };
  }
  const menu = { head_content: head, list, tail_content: '' };
  return message(String(body['touser']), 'msgmenu', menu);
}

const APP_ID = /^\w{1,64}$/;
const APP_SECRET = /^[\x21-\x7e]{1,128}$/;

async function requestAccess(context: Context): Promise<Access | Failure> {
  const { credentials, url, fetch } = context;
  const { consumer_key: appid = '', consumer_secret: secret = '' } = credentials;
  if (!APP_ID.test(appid) || !APP_SECRET.test(secret)) {
    return classifyFailure(undefined, context);
  }
  const answer = await beforeSending(async () =>
    fetch(`${url}/cgi-bin/stable_token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'client_credential', appid, secret }),
      isPrivate: true,
    }),
  );
  const token = textMember(answer.json(), 'access_token');
  const seconds = Number(member(answer.json(), 'expires_in'));
  if (token !== undefined) return { token, seconds: Number.isFinite(seconds) ? seconds : 0 };
  return unsent(classifyFailure(answer, context));
}

function codeOf(answer: FetchAnswer): string | undefined {
  return integerMember(answer.json(), 'errcode');
}

/** The token is unknown, wrong or expired. */
const STALE = ['40001', '40014', '42001'];

/** https://developers.weixin.qq.com/doc/offiaccount/Getting_Started/Global_Return_Code.html */
const ERROR_CODES: Partial<Readonly<Record<Blame, readonly string[]>>> = {
  // The app's id and secret, an IP address that is not on the allowlist, the account's permissions.
  credentials: STALE.concat([
    '40013',
    '40125',
    '40164',
    '40243',
    '41001',
    '41002',
    '41004',
    '48001',
    '48004',
    '50002',
  ]),
  // Unknown openid; not a follower, or blocked; too many messages since the last one of the person.
  recipient: ['40003', '43004', '43019', '45047', '46004', '50005'],
  window_closed: ['45015'],
  unsupported: ['40008', '40200'],
};

/** Classifies a failed response. WeChat's refusals have HTTP status 200. */
const classifyFailure = failureClassifier({
  vendor: 'WeChat',
  malformed: 'invalid AppID or AppSecret',
  errorsIn2xx: true,
  read: (answer) => ({ code: codeOf(answer), message: textMember(answer.json(), 'errmsg') }),
  // Daily or per-minute quota.
  rateLimit: ({ status, code }) =>
    status === 429 || code === '45009' || code === '45011' ? 'integration' : undefined,
  // The system is busy.
  exception: ({ code }) => (code === '-1' ? 'maybe sent' : undefined),
  codes: ERROR_CODES,
});
