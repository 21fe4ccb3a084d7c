import { type Access, AccessToken } from '../lib/access-token.ts';
import { type FetchAnswer, FetchFault } from '../lib/fetch.ts';
import { integerMember, member, textMember } from '../lib/member.ts';
import type { RichText } from '../lib/rich-text.ts';
import { fieldsOfXml, isSignedByWeChat, openEnvelope } from '../lib/wechat-envelope.ts';
import { readWeChat } from '../lib/wechat-hook.ts';
import {
  type Blame,
  type Button,
  type Channel,
  type Context,
  type Failure,
  type MediaPart,
  type Outcome,
  type Unfit,
  type Wire,
  matching,
} from './channel.ts';
import type { Found, HookCall, HookContext } from './inbound.ts';

/*
 * WeChat official accounts, customer service messages.
 * https://developers.weixin.qq.com/doc/service/api/customer/message/api_sendcustommessage
 * Text: 2,048 bytes; five messages within 48 hours of a message from the person, three within a minute of
 * another thing that the person did. WeChat gives messages no id. Of media it takes what was uploaded to it;
 * by its address only the picture of a card.
 * The token is the stable one, which several nodes share without taking it from each other:
 * https://developers.weixin.qq.com/doc/service/api/base/api_getstableaccesstoken
 * Addresses: the person's openid for this account.
 */
const MOST_OF_TITLE = 128;

export const wechat: Channel = {
  name: 'wechat',
  title: 'WeChat',
  docs: 'https://developers.weixin.qq.com/doc/service/api/customer/message/api_sendcustommessage',
  credentials: [
    {
      name: 'consumer_key',
      label: 'App ID',
      help: 'At mp.weixin.qq.com, choose Settings and development, Basic configuration: AppID, which starts with wx.',
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'App secret',
      help: 'At mp.weixin.qq.com, choose Settings and development, Basic configuration: AppSecret. Add our address to the IP whitelist there.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Verification token',
      help: 'Any 3 to 32 letters and digits of your choice; enter the same ones in Basic configuration, Server configuration, Token.',
      secret: true,
    },
    {
      name: 'refresh',
      label: 'Encoding AES key',
      help: 'In Basic configuration, Server configuration: EncodingAESKey, 43 characters. Only when messages come encrypted.',
      secret: true,
    },
    {
      name: 'username',
      label: 'Original ID',
      help: 'At mp.weixin.qq.com, choose Account details: the original ID, which starts with gh_.',
      secret: false,
    },
  ],
  needs: [['consumer_key', 'consumer_secret']],
  recipient: {
    form: 'the openid of a person who follows the account',
    example: 'oLVPpjqs9BhvzwPj5A-vTYAX3GLc',
    check: matching(
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
      what: '5 messages within 48 hours of a message from the person; 3 within a minute of a press on the menu, a scan or a subscription',
      link: 'https://developers.weixin.qq.com/doc/service/api/customer/message/api_sendcustommessage',
    },
  ],
  url: 'https://api.weixin.qq.com',
  text: { most: 2048, measure: (text) => Buffer.byteLength(text), write: toWeChat },
  forms: {
    text: ({ text }, { recipient }) => message(recipient, 'text', { content: text }),
    image: {
      caption: MOST_OF_TITLE,
      plain: true,
      compose: (part, { recipient }) => cardFor(part, recipient),
    },
    // Accounts that are no service accounts are refused menus.
    buttons: { most: 10, label: 50, kinds: ['reply'], add: addMenu },
  },

  async send({ body }, _message, context) {
    const tokens = tokensOf(context);
    const first = await post(body, tokens, context);
    if (!('stale' in first)) return first;
    // Somebody else has had it replaced: there is a new one to be had.
    tokens.forget(first.stale);
    const second = await post(body, tokens, context);
    return 'stale' in second ? second.failure : second;
  },

  async check(context) {
    const access = await askAccess(context);
    return 'token' in access
      ? { outcome: 'known', as: context.credentials.consumer_key ?? '' }
      : access;
  },

  hook: {
    needs: [['secret']],
    setup:
      'At mp.weixin.qq.com, choose Settings and development, Basic configuration, Server configuration: URL; with the Token and the EncodingAESKey that the integration has, and the safe mode (AES).',
    verify,
    parse(given, context) {
      // A handshake brings nothing.
      if (given.method === 'GET') return [];
      const fields = contentOf(given, context);
      return fields && readWeChat(fields);
    },
    answer: ({ method, query }) => ({
      text: method === 'GET' ? (query.get('echostr') ?? '') : 'success',
    }),
  },
  media: find,
};

/** In seconds. WeChat tries three times within 15; in plain mode this is all that makes a proof go out of date. */
const WINDOW = 300;

function verify(given: HookCall, { credentials, clock }: HookContext): string | undefined {
  const { secret: token = '', refresh: key, consumer_key: app } = credentials;
  const { query, method, body } = given;
  if (token === '') return 'there is no token to judge by';
  const moment = query.get('timestamp');
  const away = Math.abs(clock.now() / 1000 - Number(moment ?? Number.NaN));
  if (!(away <= WINDOW)) return 'it was signed too long ago, or is not yet';
  const signed = [moment, query.get('nonce')];
  if (method === 'GET' || key === undefined) {
    return isSignedByWeChat(token, signed, query.get('signature'))
      ? undefined
      : 'the signature is not that of WeChat';
  }
  // Who has a key is not to be told anything in plain: that signature does not cover what is told.
  const encrypted = fieldsOfXml(body.toString()).get('Encrypt');
  if (encrypted === undefined) return 'it is not encrypted';
  if (!isSignedByWeChat(token, [...signed, encrypted], query.get('msg_signature'))) {
    return 'the signature is not that of WeChat';
  }
  const opened = openEnvelope(encrypted, key);
  if (!opened) return 'it is not encrypted with this key';
  return app === undefined || opened.app === app ? undefined : 'it is meant for another app';
}

function contentOf({ body }: HookCall, { credentials: { refresh: key } }: HookContext) {
  const fields = fieldsOfXml(body.toString());
  if (key === undefined) return fields;
  const opened = openEnvelope(fields.get('Encrypt') ?? '', key);
  return opened && fieldsOfXml(opened.text);
}

/** https://developers.weixin.qq.com/doc/service/api/material/temporary/api_gettempmedia: files stay for three days. */
async function find(reference: string, context: Context): Promise<Found | Failure> {
  const tokens = tokensOf(context);
  const first = await look(reference, tokens, context);
  if (!('stale' in first)) return first;
  tokens.forget(first.stale);
  const second = await look(reference, tokens, context);
  return 'stale' in second ? second.failure : second;
}

async function look(
  reference: string,
  tokens: AccessToken<Failure>,
  context: Context,
): Promise<Found | Failure | { stale: string; failure: Failure }> {
  const token = await tokens.get(context.clock.now(), () => askAccess(context));
  if (typeof token !== 'string') return token;
  const address = `${context.url}/cgi-bin/media/get?${concealed(token, context)}&media_id=${encodeURIComponent(reference)}`;
  // What is wrong is said with status 200, so that only a look tells a file from an error.
  const answer = await context.fetch(address, { isPrivate: true });
  const video = textMember(answer.json(), 'video_url');
  if (video !== undefined && URL.parse(video) !== null) return { url: video };
  const code = codeOf(answer);
  if (answer.status === 200 && code === undefined) return { url: address };
  const failure = sort(answer);
  return STALE.includes(code ?? '') ? { stale: token, failure } : failure;
}

const tokensOf = (context: Context) => context.keep(() => new AccessToken<Failure>());

/** It is part of the address, which would otherwise be on record with it. */
function concealed(token: string, context: Context): string {
  const written = encodeURIComponent(token);
  for (const form of new Set([token, written])) context.conceal(form);
  return `access_token=${written}`;
}

function message(recipient: string, type: string, content: object): Wire {
  return { body: { touser: recipient, msgtype: type, [type]: content } };
}

/** Links are elements of HTML, and nothing else is: what only looks like one is kept apart from its sign. */
function toWeChat(rich: RichText): string {
  return rich
    .map(({ text, look: { link } }) => {
      const said = text.replaceAll(/<(?=\/?a\b)/gi, '<\u2060');
      if (link === undefined || link === text) return said;
      const address = link.replaceAll(/["<>\s]/g, encodeURIComponent);
      return `<a href="${address}">${said}</a>`;
    })
    .join('');
}

function cardFor({ url, mediaType, name, caption }: MediaPart, recipient: string): Wire | Unfit {
  if (mediaType !== undefined && !/^image\/(jpeg|png)\b/i.test(mediaType)) {
    return { unfit: 'WeChat shows JPEG and PNG only' };
  }
  const title = caption.text || name || (url.split('/').at(-1) ?? url);
  const article = { title, description: '', url, picurl: url };
  return message(recipient, 'news', { articles: [article] });
}

const MOST_ABOVE_MENU = 1024;
const MOST_OF_ITEM = 128;

/**
 * How long the parts of a menu may be is only documented of the menus of WeChat for companies, which look the same.
 * https://developer.work.weixin.qq.com/document/path/94677
 */
function addMenu({ body }: Wire, buttons: readonly Button[]): Wire | Unfit {
  const head = textMember(body['text'], 'content') ?? '';
  if (Buffer.byteLength(head) > MOST_ABOVE_MENU) {
    return { unfit: `WeChat takes at most ${MOST_ABOVE_MENU} bytes above buttons` };
  }
  if (buttons.some(({ name }) => Buffer.byteLength(name) > MOST_OF_ITEM)) {
    return { unfit: `WeChat takes at most ${MOST_OF_ITEM} bytes on a button` };
  }
  const list = buttons.map(({ name }, i) => ({ id: String(i + 1), content: name }));
  const menu = { head_content: head, list, tail_content: '' };
  return message(String(body['touser']), 'msgmenu', menu);
}

async function post(
  body: Wire['body'],
  tokens: AccessToken<Failure>,
  context: Context,
): Promise<Outcome | { stale: string; failure: Failure }> {
  const token = await tokens.get(context.clock.now(), () => askAccess(context));
  if (typeof token !== 'string') return token;
  const path = `/cgi-bin/message/custom/send?${concealed(token, context)}`;
  const answer = await context.fetch(`${context.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const code = codeOf(answer);
  if (code === '0') return { outcome: 'sent' };
  const failure = sort(answer);
  return STALE.includes(code ?? '') ? { stale: token, failure } : failure;
}

const APP_ID = /^\w{1,64}$/;
const APP_SECRET = /^[\x21-\x7e]{1,128}$/;

async function askAccess({ credentials, url, fetch }: Context): Promise<Access | Failure> {
  const { consumer_key: appid = '', consumer_secret: secret = '' } = credentials;
  if (!APP_ID.test(appid) || !APP_SECRET.test(secret)) {
    const detail = 'this is not the id of an app of WeChat and its secret';
    return { outcome: 'permanent', blame: 'credentials', detail };
  }
  try {
    const answer = await fetch(`${url}/cgi-bin/stable_token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'client_credential', appid, secret }),
      isPrivate: true,
    });
    const token = textMember(answer.json(), 'access_token');
    const seconds = Number(member(answer.json(), 'expires_in'));
    if (token !== undefined) return { token, seconds: Number.isFinite(seconds) ? seconds : 0 };
    return unsent(sort(answer));
  } catch (error) {
    if (!(error instanceof FetchFault)) throw error;
    return { outcome: 'transient', perhapsSent: false, detail: error.message };
  }
}

/** Whatever became of asking for a token, no message was sent. */
function unsent(failure: Failure): Failure {
  return failure.outcome === 'transient' ? { ...failure, perhapsSent: false } : failure;
}

function codeOf(answer: FetchAnswer): string | undefined {
  return integerMember(answer.json(), 'errcode');
}

/** The token is unknown, wrong or expired. */
const STALE = ['40001', '40014', '42001'];

/** https://developers.weixin.qq.com/doc/offiaccount/Getting_Started/Global_Return_Code.html */
const BLAMED: Readonly<Record<Exclude<Blame, 'content'>, readonly string[]>> = {
  // The app's id and secret, our address that is not on the list, what the account may do.
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
  // An unknown openid; no follower, or one who is blocked; too long ago; too many since then.
  recipient: ['40003', '43004', '43019', '45015', '45047', '46004', '50005'],
  unsupported: ['40008', '40200'],
};

/** What an answer means that is no success. WeChat's refusals come with HTTP status 200. */
function sort(answer: FetchAnswer): Failure {
  const { status } = answer;
  const code = codeOf(answer);
  const detail =
    textMember(answer.json(), 'errmsg') ?? `WeChat answered ${status} without a reason`;
  // The calls of a day, or of a minute.
  if (status === 429 || code === '45009' || code === '45011') {
    return { outcome: 'limited', whom: 'integration', detail, code: code ?? '429' };
  }
  if (code === undefined || code === '-1' || status >= 500) {
    // 503 is said before anything is done. With any other the message may have gone out, as it may
    // when a success cannot be read; only a refusal that is not WeChat's own leaves no doubt.
    const perhapsSent = status === 503 ? false : status >= 500 || status < 300;
    return { outcome: 'transient', perhapsSent, detail, code: code ?? String(status) };
  }
  const blame = (['credentials', 'recipient', 'unsupported'] as const).find((each) =>
    BLAMED[each].includes(code),
  );
  return { outcome: 'permanent', blame: blame ?? 'content', detail, code };
}
