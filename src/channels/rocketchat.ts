import type { FetchAnswer } from '../lib/fetch.ts';
import { integerMember, member, textMember } from '../lib/member.ts';
import { toRocketChat } from '../lib/rocketchat-text.ts';
import { serverAddress } from '../lib/server-address.ts';
import {
  type Addressed,
  type Blame,
  type Channel,
  type Context,
  type Failure,
  type MediaForm,
  type Wire,
  matching,
  ofChange,
} from './channel.ts';

/*
 * Rocket.Chat REST API. https://developer.rocket.chat/apidocs/post-message
 * Text: 5,000 characters, calls: 10 a minute to an endpoint, and as many as they like for those with the role bot; the
 * server may set both otherwise. Addresses: room ids, #channel or @username, all of them as `roomId`: beside `channel` no
 * thread is taken. Files have to be uploaded; what is elsewhere is shown (pictures) or linked to in an attachment.
 */
export const rocketchat: Channel = {
  name: 'rocketchat',
  title: 'Rocket.Chat',
  docs: 'https://developer.rocket.chat/apidocs/post-message',
  credentials: [
    {
      name: 'address',
      label: 'Server URL',
      help: 'The address at which you open Rocket.Chat, such as https://chat.example.com.',
      secret: false,
    },
    {
      name: 'token',
      label: 'Personal access token',
      help: 'In Rocket.Chat, as the user who is to send, choose your picture, Profile, Personal access tokens, Add.',
      secret: true,
    },
    {
      name: 'username',
      label: 'User ID',
      help: 'Shown together with the personal access token: 17 letters and digits, not the login name.',
      secret: false,
    },
    {
      name: 'secret',
      label: 'Outgoing webhook token',
      help: 'In Rocket.Chat, choose Administration, Integrations, Outgoing: the token of the one that calls our hook.',
      secret: true,
    },
  ],
  needs: [['token', 'username', 'address']],
  recipient: {
    form: 'a room id, a #channel or a @username',
    example: '#general',
    check: matching(
      /^[#@]?[^\s#@\p{Cc}][^\s\p{Cc}]{0,254}$/u,
      'must be a room id, a #channel or a @username, without spaces',
    ),
  },
  limits: [
    {
      what: '5,000 characters of text, unless the server sets another',
      link: 'https://docs.rocket.chat/docs/message',
    },
    {
      what: '10 calls a minute to an endpoint, unless the server sets another',
      link: 'https://docs.rocket.chat/docs/rate-limiter',
    },
  ],
  text: { most: 5000, measure: (text) => text.length, write: toRocketChat },
  forms: {
    text: ({ text }, { recipient }) => ({ body: { roomId: recipient, text } }),
    image: media((url, name) => ({ title: name, image_url: url })),
    document: media((url, name) => ({ title: name, title_link: url, title_link_download: true })),
    // Answers are threads here: the id is that of the first message.
    reply: inThread,
    thread: inThread,
  },

  async send({ body }, _message, context) {
    const answer = await call('POST', 'chat.postMessage', body, context);
    if (!isOk(answer)) return sort(answer, context);
    const json = answer?.json();
    const [room, id] = [textMember(json, 'message', 'rid'), textMember(json, 'message', '_id')];
    // To change a message, one has to know its room.
    const known = room !== undefined && id !== undefined;
    return { outcome: 'sent', ...(known && { id: `${room}:${id}` }) };
  },

  async edit({ id }, { body: { text, attachments } }, context) {
    if (attachments !== undefined) {
      return { outcome: 'permanent', blame: 'unsupported', detail: 'only texts can be changed' };
    }
    const answer = await call('POST', 'chat.update', { ...parseId(id), text }, context);
    return isOk(answer) ? { outcome: 'sent', id } : ofChange(sort(answer, context));
  },

  async remove({ id }, context) {
    const answer = await call('POST', 'chat.delete', parseId(id), context);
    const isGone = textMember(answer?.json(), 'error')?.startsWith('No message found') === true;
    return isOk(answer) || isGone ? { outcome: 'sent' } : ofChange(sort(answer, context));
  },

  async check(context) {
    const answer = await call('GET', 'me', undefined, context);
    const name = textMember(answer?.json(), 'username');
    if (isOk(answer) && name !== undefined) return { outcome: 'known', as: `@${name}` };
    const failure = sort(answer, context);
    return failure.outcome === 'permanent' ? { ...failure, blame: 'credentials' } : failure;
  },
};

function media(attach: (url: string, name: string) => object): MediaForm {
  return {
    caption: 5000,
    compose: ({ url, name, caption: { text } }, { recipient }: Addressed) => ({
      body: {
        roomId: recipient,
        ...(text !== '' && { text }),
        attachments: [attach(url, name ?? url)],
      },
    }),
  };
}

function inThread(wire: Wire, id: string): Wire {
  return { ...wire, body: { ...wire.body, tmid: parseId(id).msgId } };
}

function parseId(id: string): { roomId: string; msgId: string } {
  const colon = id.lastIndexOf(':');
  return { roomId: id.slice(0, Math.max(colon, 0)), msgId: id.slice(colon + 1) };
}

const IN_HEADER = /^[\x21-\x7e]{1,200}$/;

/** Undefined when there is no address that could be a server's, or what could be part of no header. */
async function call(
  method: 'GET' | 'POST',
  path: string,
  body: object | undefined,
  { credentials: { address = '', username = '', token = '' }, fetch }: Context,
): Promise<FetchAnswer | undefined> {
  const base = serverAddress(address);
  if (base === undefined || !IN_HEADER.test(username) || !IN_HEADER.test(token)) return undefined;
  return fetch(`${base}/api/v1/${path}`, {
    method,
    headers: {
      'x-auth-token': token,
      'x-user-id': username,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

function isOk(answer: FetchAnswer | undefined): boolean {
  return answer?.status === 200 && member(answer.json(), 'success') === true;
}

/** What an answer means that is no success. */
function sort(answer: FetchAnswer | undefined, { clock }: Context): Failure {
  if (!answer) {
    const detail =
      'the address is no http or https URL of a server, or the token or user id is none';
    return { outcome: 'permanent', blame: 'credentials', detail };
  }
  const { status } = answer;
  const json = answer.json();
  const isOwn = member(json, 'success') === false || member(json, 'status') === 'error';
  const said = textMember(json, 'error') ?? textMember(json, 'message') ?? '';
  const code = textMember(json, 'errorType') ?? /\[([\w-]+)\]$/.exec(said)?.[1] ?? String(status);
  const detail = `Rocket.Chat answered ${code}${said === '' ? '' : `: ${said}`}`;
  if (status === 429 || code === 'error-too-many-requests') {
    return {
      outcome: 'limited',
      whom: 'integration',
      ...waitOf(answer, clock.now()),
      detail,
      code,
    };
  }
  if (status >= 300 && status < 400) {
    const away = `${detail}, which leads away: redirects are not followed`;
    return { outcome: 'permanent', blame: 'credentials', detail: away, code };
  }
  if (status >= 500 || !isOwn) {
    // 503 is said before anything is done. With any other the message may have gone out, as it may when a
    // success cannot be read; a refusal that is not Rocket.Chat's own leaves no doubt.
    const perhapsSent = status !== 503 && (status >= 500 || status < 300);
    return { outcome: 'transient', perhapsSent, detail, code };
  }
  return { outcome: 'permanent', blame: blameFor(status, `${code} ${said}`), detail, code };
}

/** The header names a moment, in milliseconds. */
function waitOf(answer: FetchAnswer, now: number): { seconds?: number } {
  const told = integerMember(answer.json(), 'details', 'seconds');
  const reset = /^\d{13}$/.exec(answer.header('x-ratelimit-reset') ?? '')?.[0];
  if (told === undefined && reset === undefined) return {};
  const seconds = told ?? (Number(reset) - now) / 1000;
  return { seconds: Math.max(0, Math.ceil(Number(seconds))) };
}

const OF_CONTENT = /size-exceeded|too.?long|invalid href|match error|invalid-params|thread/i;
const OF_RECIPIENT =
  /room|channel|\buser|archived|not.?allowed|unauthorized|permission|read.?only|muted|blocked/i;

/** Few refusals have a code of their own, so the words have to do. */
function blameFor(status: number, said: string): Blame {
  if (status === 401) return 'credentials';
  if (status === 413 || OF_CONTENT.test(said)) return 'content';
  return [403, 404].includes(status) || OF_RECIPIENT.test(said) ? 'recipient' : 'content';
}
