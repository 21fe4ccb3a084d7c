import type { FetchAnswer } from '../lib/fetch.ts';
import { member, textMember } from '../lib/member.ts';
import { retryAfter } from '../lib/retry-after.ts';
import { type Look, type RichText, isUnstyled, plainText } from '../lib/rich-text.ts';
import { split } from '../lib/split.ts';
import {
  type Blame,
  type Button,
  type Channel,
  type Context,
  type Outcome,
  type Wire,
  matching,
} from './channel.ts';

/*
 * Slack Web API. https://docs.slack.dev/reference/methods/chat.postMessage
 * Text: cut off after 40,000 characters, 4,000 advised. About one message a second to a conversation,
 * with a limit over the whole workspace besides: https://docs.slack.dev/apis/web-api/rate-limits
 * Addresses: conversations C…, G…, D…; people U…, W… (opens a direct message); or #name.
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
  needs: [['token']],
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
      what: '40,000 characters of text, 4,000 advised',
      link: 'https://docs.slack.dev/reference/methods/chat.postMessage',
    },
    {
      what: 'about 1 message a second to a conversation',
      link: 'https://docs.slack.dev/apis/web-api/rate-limits',
    },
  ],
  url: 'https://slack.com/api',
  text: { most: 40_000, measure: (text) => text.length, write: (rich) => escape(plainText(rich)) },
  forms: {
    // `text` is what notifications show, and what those see who cannot see blocks.
    text: ({ text, rich }, { recipient }) => ({
      call: 'chat.postMessage',
      body: isUnstyled(rich)
        ? { channel: recipient, text, mrkdwn: false }
        : { channel: recipient, text, blocks: [richBlock(rich)] },
    }),
    image: {
      caption: 3000,
      compose: ({ url, name, caption: { text, rich } }, { recipient }) => ({
        call: 'chat.postMessage',
        body: {
          channel: recipient,
          text: text === '' ? escape(name ?? url) : text,
          blocks: [
            ...(rich.length === 0 ? [] : [richBlock(rich)]),
            { type: 'image', image_url: url, alt_text: (name ?? 'image').slice(0, 2000) },
          ],
        },
      }),
    },
    buttons: {
      most: 25,
      label: 75,
      kinds: ['link', 'reply'],
      withMedia: true,
      add: (wire, buttons) => withBlock(wire, { type: 'actions', elements: buttons.map(toKey) }),
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
    const { channel: _, mrkdwn, thread_ts: __, ...change } = body;
    // An update knows no `mrkdwn`: where signs could be taken for markup, a block says that they are none.
    const blocks = mrkdwn === false ? plainBlocks(String(body['text'])) : undefined;
    // Unlike a post, an update would by itself look for names and addresses in the text.
    const update = { ...parseId(id), ...change, parse: 'none', ...(blocks && { blocks }) };
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
    const [user, team] = [textMember(answer?.json(), 'user'), textMember(answer?.json(), 'team')];
    if (!postedAs(answer) || user === undefined) return sort(answer, context);
    return { outcome: 'known', as: team === undefined ? user : `${user} at ${team}` };
  },
};

/** Else `<!channel>` in a text would call everybody. https://docs.slack.dev/messaging/formatting-message-text */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** https://docs.slack.dev/reference/block-kit/blocks/rich-text-block */
function richBlock(rich: RichText): object {
  const elements: { type: string; elements: object[] }[] = [];
  for (const { text, look } of rich) {
    const type = look.block ? 'rich_text_preformatted' : 'rich_text_section';
    const last = elements.at(-1);
    const element = elementOf(text, look);
    if (last?.type === type) last.elements.push(element);
    else elements.push({ type, elements: [element] });
  }
  return { type: 'rich_text', elements };
}

function elementOf(text: string, { bold, italic, strike, code, link }: Look): object {
  const style = {
    ...(bold && { bold }),
    ...(italic && { italic }),
    ...(strike && { strike }),
    ...(code && { code }),
  };
  const styled = Object.keys(style).length > 0 ? { style } : {};
  if (link === undefined) return { type: 'text', text, ...styled };
  return { type: 'link', url: link, text, ...styled };
}

/** A section takes 3,000 characters, a message 50 blocks. */
const SECTION = { most: 3000, measure: (text: string) => text.length };

function plainBlocks(text: string): object[] | undefined {
  if (!/[*_~`>]/.test(text)) return undefined;
  return split(unescape(text), SECTION).map((part) => ({
    type: 'section',
    text: { type: 'plain_text', text: part, emoji: false },
  }));
}

/** Blocks take the place of the text, so the text has to be one too. */
function withBlock(wire: Wire, block: object): Wire {
  const { blocks, text } = wire.body;
  const before = Array.isArray(blocks)
    ? (blocks as object[])
    : split(unescape(String(text)), SECTION).map((part) => ({
        type: 'section',
        text: { type: 'plain_text', text: part, emoji: false },
      }));
  return { ...wire, body: { ...wire.body, blocks: [...before, block] } };
}

function toKey({ name, url }: Button, i: number): object {
  return {
    type: 'button',
    action_id: `button-${i + 1}`,
    text: { type: 'plain_text', text: name },
    ...(url === undefined ? { value: name } : { url }),
  };
}

/** Answers are threads here: the id is that of the first message, or its `ts` alone. */
function inThread(wire: Wire, id: string): Wire {
  return { ...wire, body: { ...wire.body, thread_ts: id.includes(':') ? parseId(id).ts : id } };
}

function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

const TOKEN = /^[\x21-\x7e]{1,500}$/;

/** Undefined when there is no token that could be part of a header. */
async function call(
  method: string,
  parameters: object,
  { credentials: { token = '' }, url, fetch }: Context,
): Promise<FetchAnswer | undefined> {
  if (!TOKEN.test(token)) return undefined;
  return fetch(`${url}/${method}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json; charset=utf-8',
    },
    body: JSON.stringify(parameters),
  });
}

const BEGINNING = /^\s*\{\s*"ok"\s*:\s*true\b/;
const CHANNEL_AND_TS = /"channel"\s*:\s*"(\w+)"\s*,\s*"ts"\s*:\s*"([\d.]+)"/;

/** A success, with the id of the message. Undefined for anything else. */
function postedAs(answer: FetchAnswer | undefined): { outcome: 'sent'; id?: string } | undefined {
  if (!answer || answer.status !== 200) return undefined;
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

function errorOf(answer: FetchAnswer | undefined): string | undefined {
  return textMember(answer?.json(), 'error');
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

type Failure = Exclude<Outcome, { outcome: 'sent' }>;

/** What an answer means that is no success. Slack's refusals come with status 200. */
function sort(answer: FetchAnswer | undefined, { clock }: Context): Failure {
  if (!answer) {
    return { outcome: 'permanent', blame: 'credentials', detail: 'this is not a token of Slack' };
  }
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
