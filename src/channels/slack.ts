import { type FetchAnswer, FetchFault } from '../lib/fetch.ts';
import { member, textMember } from '../lib/member.ts';
import { retryAfter } from '../lib/retry-after.ts';
import { isUnstyled, plainText, unstyled } from '../lib/rich-text.ts';
import { RotatedToken, type Rotated, type Rotation } from '../lib/rotated-token.ts';
import {
  actionsBlock,
  escapeSlack,
  imageBlock,
  richTextBlock,
  unescapeSlack,
} from '../lib/slack-blocks.ts';
import { cut } from '../lib/split.ts';
import type { Credentials } from '../model/integration.ts';
import {
  type Addressed,
  type Blame,
  type Channel,
  type Context,
  type Failure,
  type MediaPart,
  type Unfit,
  type Wire,
  matching,
} from './channel.ts';

/*
 * Slack Web API. https://docs.slack.dev/reference/methods/chat.postMessage
 * Text: a post is cut off after 40,000 characters, 4,000 are advised, and an update takes no more than these:
 * https://docs.slack.dev/reference/methods/chat.update
 * About one message a second to a conversation, with a limit over the whole workspace besides:
 * https://docs.slack.dev/apis/web-api/rate-limits
 * Addresses: conversations C…, G…, D…; people U…, W… (opens a direct message); or #name.
 * Tokens last for ever, or for 12 hours with a refresh token that is good for one use:
 * https://docs.slack.dev/authentication/using-token-rotation
 */
export const slack: Channel = {
  name: 'slack',
  title: 'Slack',
  docs: 'https://docs.slack.dev/reference/methods/chat.postMessage',
  credentials: [
    {
      name: 'token',
      label: 'Bot token',
      help: 'At api.slack.com/apps, choose your app, then OAuth & Permissions: the Bot User OAuth Token, which starts with xoxb-.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Signing secret',
      help: 'At api.slack.com/apps, choose your app, then Basic Information, App Credentials, Signing Secret.',
      secret: true,
    },
    {
      name: 'refresh',
      label: 'Refresh token',
      help: 'Only when token rotation is on: OAuth & Permissions shows it beside the token; it starts with xoxe-.',
      secret: true,
    },
    {
      name: 'consumer_key',
      label: 'Client ID',
      help: 'Only when token rotation is on: Basic Information, App Credentials, Client ID.',
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'Client secret',
      help: 'Only when token rotation is on: Basic Information, App Credentials, Client Secret.',
      secret: true,
    },
  ],
  needs: [['token'], ['refresh', 'consumer_key', 'consumer_secret']],
  recipient: {
    form: 'a conversation id (C…, G… or D…), a member id (U… or W…) or a #name',
    example: 'C0123456789',
    check: matching(
      /^([CDGUW][A-Z0-9]{2,30}|#[^\s#@,:<>\p{Cc}]{1,80})$/u,
      'must be a conversation id (C…, G… or D…), a member id (U… or W…) or a #name',
    ),
  },
  limits: [
    {
      what: '4,000 characters of text',
      link: 'https://docs.slack.dev/reference/methods/chat.update',
    },
    {
      what: 'about 1 message a second to a conversation',
      link: 'https://docs.slack.dev/apis/web-api/rate-limits',
    },
  ],
  url: 'https://slack.com/api',
  text: {
    most: 4000,
    measure: (text) => text.length,
    write: (rich) => escapeSlack(plainText(rich)),
  },
  forms: {
    // `text` is what notifications show, and what those see who cannot see blocks.
    text: ({ text, rich }, { recipient }) => ({
      call: 'chat.postMessage',
      body: isUnstyled(rich)
        ? { channel: recipient, text, mrkdwn: false }
        : { channel: recipient, text, blocks: [richTextBlock(rich)] },
    }),
    image: { caption: 4000, compose: picture },
    buttons: {
      most: 25,
      label: 75,
      kinds: ['link', 'reply'],
      withMedia: true,
      add: (wire, buttons) => withBlock(wire, actionsBlock(buttons)),
    },
    reply: inThread,
    thread: inThread,
  },
  pace: { recipient: () => 1 },

  async send({ call: method = '', body }, _message, context) {
    const answer = await call(method, body, context);
    return postedAs(answer) ?? sort(answer, context);
  },

  async edit({ id }, { body }, context) {
    const { channel: _, mrkdwn: __, thread_ts: ___, ...change } = body;
    // Unlike a post, an update would by itself look for names and addresses in the text.
    const update = { ...parseId(id), ...change, ...blocksOf(body), parse: 'none' };
    const answer = await call('chat.update', update, context);
    return postedAs(answer) ? { outcome: 'sent', id } : sort(answer, context);
  },

  async remove({ id }, context) {
    const answer = await call('chat.delete', parseId(id), context);
    const gone = postedAs(answer) ?? errorOf(answer) === 'message_not_found';
    return gone ? { outcome: 'sent' } : sort(answer, context);
  },

  async check(context) {
    const answer = await call('auth.test', {}, context);
    const { user, team } = namesIn(answer);
    if (!postedAs(answer) || user === undefined) return sort(answer, context);
    return { outcome: 'known', as: team === undefined ? user : `${user} at ${team}` };
  },
};

/** No longer, once it is escaped, than a text may be. */
const ALT = { most: 700, measure: (text: string) => text.length };

function picture(part: MediaPart, { recipient }: Addressed): Wire | Unfit {
  const { url, name = 'image', caption } = part;
  if (!isShown(part))
    return { unfit: 'Slack shows png, jpg and gif, at addresses that are not too long' };
  const alt = cut(name, ALT);
  const text = caption.text === '' ? escapeSlack(alt) : caption.text;
  const before = caption.rich.length === 0 ? [] : [richTextBlock(caption.rich)];
  const blocks = [...before, imageBlock(url, alt)];
  return { call: 'chat.postMessage', body: { channel: recipient, text, blocks } };
}

/** By what it is said to be, or is called; what nothing is said of is tried. */
function isShown({ url, mediaType }: MediaPart): boolean {
  if (url.length > 3000) return false;
  if (mediaType !== undefined) return /^image\/(png|jpe?g|gif)\b/i.test(mediaType);
  const [, extension] = /\.(\w{1,8})$/.exec(URL.parse(url)?.pathname ?? '') ?? [];
  return extension === undefined || /^(png|jpe?g|gif)$/i.test(extension);
}

/** Blocks take the place of the text, so the text has to be one too. */
function withBlock(wire: Wire, block: object): Wire {
  const { blocks, text, mrkdwn: _, ...rest } = wire.body;
  const before = Array.isArray(blocks) ? (blocks as object[]) : [plainBlock(text)];
  return { ...wire, body: { ...rest, text, blocks: [...before, block] } };
}

function plainBlock(text: unknown): object {
  return richTextBlock(unstyled(unescapeSlack(String(text))));
}

/** An update knows no `mrkdwn`: where signs could be taken for markup, a block says that they are none. */
function blocksOf({ blocks, text }: Wire['body']): { blocks?: unknown } {
  if (blocks !== undefined) return { blocks };
  return /[*_~`]|&gt;/.test(String(text)) ? { blocks: [plainBlock(text)] } : {};
}

const TS = /^\d{1,20}\.\d{1,20}$/;

/** Answers are threads here: the id is that of the first message, or its `ts` alone. */
function inThread(wire: Wire, id: string): Wire | Unfit {
  const ts = id.includes(':') ? parseId(id).ts : id;
  if (!TS.test(ts)) return { unfit: 'Slack knows messages by the ts of the first in their thread' };
  return { ...wire, body: { ...wire.body, thread_ts: ts } };
}

/** What Slack answered; or why it was not asked. */
type Said = FetchAnswer | Failure;

const TOKEN = /^[\x21-\x7e]{1,500}$/;
/** A token that another has taken the place of, or will soon. */
const OUTDATED = /^(token_expired|token_revoked|invalid_auth)$/;

async function call(method: string, parameters: object, context: Context): Promise<Said> {
  const { credentials } = context;
  if (!isRotated(credentials))
    return callWith(credentials.token ?? '', method, parameters, context);
  const { token, refresh = '' } = credentials;
  const tokens = context.keep(() => new RotatedToken<Failure>(token, refresh));
  const first = await tokens.get(rotation(context));
  if (typeof first !== 'string') return first;
  const answer = await callWith(first, method, parameters, context);
  if (!OUTDATED.test(errorOf(answer) ?? '')) return answer;
  tokens.forget(first);
  const second = await tokens.get(rotation(context));
  return typeof second === 'string' ? callWith(second, method, parameters, context) : second;
}

async function callWith(
  token: string,
  method: string,
  parameters: object,
  { url, fetch }: Context,
): Promise<Said> {
  if (!TOKEN.test(token)) {
    return { outcome: 'permanent', blame: 'credentials', detail: 'this is not a token of Slack' };
  }
  return fetch(`${url}/${method}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json; charset=utf-8',
    },
    body: JSON.stringify(parameters),
  });
}

function isRotated({ refresh, consumer_key, consumer_secret }: Credentials): boolean {
  return Boolean(refresh && consumer_key && consumer_secret);
}

/** Tokens of an app that rotates them. https://docs.slack.dev/authentication/using-token-rotation */
function rotation(context: Context): Rotation<Failure> {
  return {
    now: context.clock.now(),
    ask: async (refresh) => {
      const answer = await askForToken(refresh, context);
      return rotated(answer) ?? refusedToken(sort(answer, context));
    },
    store: async (token, refresh) => {
      try {
        await context.renew({ token, refresh });
      } catch {
        const detail = 'the new token could not be stored; another is asked for';
        return { outcome: 'transient', perhapsSent: false, detail };
      }
    },
  };
}

const HALF_A_DAY = 12 * 60 * 60;

function rotated(answer: FetchAnswer): Rotated | undefined {
  const json = answer.json();
  const [token, refresh] = [textMember(json, 'access_token'), textMember(json, 'refresh_token')];
  if (member(json, 'ok') !== true || !token || !refresh) return undefined;
  return { token, refresh, seconds: Number(member(json, 'expires_in') ?? HALF_A_DAY) };
}

/** No message was sent yet, and none can be blamed. */
function refusedToken(failure: Failure): Failure {
  if (failure.outcome === 'transient') return { ...failure, perhapsSent: false };
  return failure.outcome === 'limited' ? failure : { ...failure, blame: 'credentials' };
}

/** https://docs.slack.dev/reference/methods/oauth.v2.access */
async function askForToken(
  refresh: string,
  { credentials, url, fetch }: Context,
): Promise<FetchAnswer> {
  const { consumer_key = '', consumer_secret = '' } = credentials;
  const basic = Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64');
  try {
    return await fetch(`${url}/oauth.v2.access`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refresh }).toString(),
      isPrivate: true,
    });
  } catch (error) {
    // Whatever became of that request, no message was sent.
    throw error instanceof FetchFault ? new FetchFault(error.message, false, error) : error;
  }
}

const BEGINNING = /^\s*\{\s*"ok"\s*:\s*true\b/;
const CHANNEL_AND_TS = /"channel"\s*:\s*"(\w+)"\s*,\s*"ts"\s*:\s*"([\d.]+)"/;

/** A success, with the id of the message. Undefined for anything else. */
function postedAs(answer: Said): { outcome: 'sent'; id?: string } | undefined {
  if ('outcome' in answer || answer.status !== 200) return undefined;
  const json = answer.json();
  let [channel, ts] = [textMember(json, 'channel'), textMember(json, 'ts')];
  if (answer.truncated) {
    // Slack repeats the text, so after a long one there is more than is read. What counts comes first.
    if (!BEGINNING.test(answer.text)) return undefined;
    [, channel, ts] = CHANNEL_AND_TS.exec(answer.text.slice(0, 200)) ?? [];
  } else if (member(json, 'ok') !== true) return undefined;
  // A message's `ts` is only unique within its conversation.
  const known = channel !== undefined && ts !== undefined;
  return { outcome: 'sent', ...(known && { id: `${channel}:${ts}` }) };
}

function parseId(id: string): { channel: string; ts: string } {
  const [channel = '', ts = ''] = id.split(':');
  return { channel, ts };
}

function errorOf(answer: Said): string | undefined {
  return 'outcome' in answer ? undefined : textMember(answer.json(), 'error');
}

function namesIn(answer: Said): { user?: string | undefined; team?: string | undefined } {
  if ('outcome' in answer) return {};
  const json = answer.json();
  return { user: textMember(json, 'user'), team: textMember(json, 'team') };
}

const LIMITED = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);

/** Of these Slack says that part of what was asked may have been done. */
const PERHAPS_DONE = ['internal_error', 'fatal_error'];
const NOT_DONE = ['service_unavailable', 'request_timeout', 'team_added_to_org'];

const BLAMED: Readonly<Record<Exclude<Blame, 'content'>, RegExp>> = {
  credentials:
    /^(not_authed|invalid_auth|account_inactive|token_\w+|missing_scope|no_permission|org_login_required|not_allowed_token_type|ekm_access_denied|access_denied|accesslimited|team_access_not_granted|enterprise_is_restricted|two_factor_setup_required|app_\w+)$/,
  recipient:
    /^(channel_\w+|not_in_channel|is_archived|is_inactive|user_\w+|users_\w+|cannot_dm_bot|messages_tab_disabled|restricted_action\w*|method_not_supported_for_channel_type|slack_connect_\w+|external_channel_\w+)$/,
  unsupported:
    /^(cant_update_message|edit_window_closed|cant_delete_message|message_not_found|compliance_exports_prevent_deletion|unknown_method|method_deprecated)$/,
};

/** What an answer means that is no success. Slack's refusals come with status 200. */
function sort(answer: Said, { clock }: Context): Failure {
  if ('outcome' in answer) return answer;
  const { status } = answer;
  const error = errorOf(answer);
  const code = error ?? String(status);
  const detail = `Slack answered ${code}`;
  if (status === 429 || LIMITED.has(code)) {
    // It may be the conversation's limit or the workspace's; Slack does not say which.
    const seconds = retryAfter(answer.header('retry-after'), clock.now());
    const wait = seconds === undefined ? {} : { seconds };
    return { outcome: 'limited', whom: 'integration', ...wait, detail, code };
  }
  if (status >= 500 || error === undefined || [...PERHAPS_DONE, ...NOT_DONE].includes(error)) {
    // 503 is said before anything is done. With any other the message may have gone out, as it may
    // when a success cannot be read; only a refusal that is not Slack's own leaves no doubt.
    const surely = status === 503 || (status >= 300 && status < 500) || NOT_DONE.includes(code);
    return { outcome: 'transient', perhapsSent: !surely, detail, code };
  }
  const blame = (['credentials', 'recipient', 'unsupported'] as const).find((each) =>
    BLAMED[each].test(error),
  );
  return { outcome: 'permanent', blame: blame ?? 'content', detail, code };
}
