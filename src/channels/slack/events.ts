import { createHmac } from 'node:crypto';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import { mediaKind } from '../../lib/http/media-kind.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { listMember, member, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { type InboundEvent, NOTHING, ignored } from '../inbound.ts';
import { readSlackText } from './text.ts';

/*
 * Slack's webhook requests: events as JSON, button presses and commands as forms.
 * https://docs.slack.dev/apis/events-api
 * https://docs.slack.dev/interactivity/handling-user-interaction
 */

interface SlackRequest {
  header(name: string): string | undefined;
  body: Buffer;
}

const MAX_CLOCK_DIFFERENCE_SECONDS = 300;

/** Why a request is not Slack's. https://docs.slack.dev/authentication/verifying-requests-from-slack */
export function faultOfSlackRequest(
  { header, body }: SlackRequest,
  secret: string | undefined,
  now: number,
): string | undefined {
  if (!secret) return 'the integration has no signing secret';
  const at = header('x-slack-request-timestamp') ?? '';
  if (!/^\d{1,12}$/.test(at)) return 'timestamp missing';
  if (Math.abs(now / 1000 - Number(at)) > MAX_CLOCK_DIFFERENCE_SECONDS)
    return 'timestamp outside the tolerance';
  const mac = createHmac('sha256', secret).update(`v0:${at}:`).update(body).digest('hex');
  return equalInConstantTime(header('x-slack-signature'), `v0=${mac}`)
    ? undefined
    : 'signature wrong or missing';
}

const isForm = ({ header }: SlackRequest) =>
  (header('content-type') ?? '').startsWith('application/x-www-form-urlencoded');

/** Parses a webhook request; undefined when it is malformed. */
export function readSlackRequest(call: SlackRequest): InboundEvent[] | undefined {
  if (isForm(call)) return readForm(new URLSearchParams(call.body.toString()));
  const body = jsonBody(call.body);
  const type = textMember(body, 'type');
  if (type === undefined) return undefined;
  if (type === 'event_callback') return readEvent(body, member(body, 'event'));
  return type === 'url_verification' ? [NOTHING] : ignored(type, 'no_event');
}

/** https://docs.slack.dev/reference/events/url_verification */
export function challengeIn(call: SlackRequest): string | undefined {
  if (isForm(call)) return undefined;
  const body = jsonBody(call.body);
  const isChallenge = textMember(body, 'type') === 'url_verification';
  return isChallenge ? textMember(body, 'challenge') : undefined;
}

function readEvent(body: unknown, event: unknown) {
  const type = textMember(event, 'type');
  if (type === 'member_joined_channel') return joinOrLeave('join', body, event);
  if (type === 'member_left_channel') return joinOrLeave('leave', body, event);
  // In a channel that the app is in, a mention also arrives as a message: both have the same key.
  if (type !== 'message' && type !== 'app_mention') return ignored(type ?? '', 'no_event');
  const subtype = textMember(event, 'subtype') ?? '';
  if (subtype === 'message_changed') return changed(body, event);
  if (subtype === 'message_deleted') {
    return deleted(body, event, textMember(event, 'deleted_ts'));
  }
  if (!['', 'file_share', 'thread_broadcast', 'me_message'].includes(subtype)) {
    return ignored(`message.${subtype}`, subtype === 'bot_message' ? 'bot' : 'no_event');
  }
  const [channel, ts] = [textMember(event, 'channel'), textMember(event, 'ts')];
  return messageEvent('message', `message:${channel}:${ts}`, body, channel, event);
}

function messageEvent(
  what: 'message' | 'edit',
  key: string,
  body: unknown,
  channel: string | undefined,
  message: unknown,
) {
  const ts = textMember(message, 'ts');
  const from = partyOf(message);
  if (isOwn(body, message)) return ignored(what, 'own');
  if (channel === undefined || ts === undefined || !from) return ignored(what, 'incomplete');
  const text = textMember(message, 'text');
  const media = filesIn(message);
  if (!text && media.length === 0) return ignored(what, 'no_content');
  const edited = textMember(message, 'edited', 'ts');
  return [
    {
      what,
      key,
      from,
      ...groupOf(channel),
      id: `${channel}:${ts}`,
      ...omitUndefined({
        at: momentOf(what === 'edit' ? edited : ts),
        text: text ? readSlackText(text) : undefined,
        media: media.length > 0 ? media : undefined,
      }),
      ...threadOf(channel, ts, textMember(message, 'thread_ts')),
    },
  ];
}

/** A new link preview or reply triggers an update without changing the text. */
function changed(body: unknown, event: unknown) {
  const message = member(event, 'message');
  const [channel, ts] = [textMember(event, 'channel'), textMember(message, 'ts')];
  // A tombstone replaces a deleted first message of a thread.
  if (textMember(message, 'subtype') === 'tombstone') return deleted(body, event, ts);
  const edited = textMember(message, 'edited', 'ts');
  const before = textMember(event, 'previous_message', 'edited', 'ts');
  if (edited === undefined || edited === before) {
    return ignored('message.message_changed', 'no_change');
  }
  return messageEvent('edit', `edit:${channel}:${ts}:${edited}`, body, channel, message);
}

function deleted(body: unknown, event: unknown, ts: string | undefined) {
  const message = member(event, 'previous_message');
  const [channel, from] = [textMember(event, 'channel'), partyOf(message)];
  if (isOwn(body, message)) return ignored('message.message_deleted', 'own');
  if (channel === undefined || ts === undefined || !from) {
    return ignored('message.message_deleted', 'incomplete');
  }
  const id = `${channel}:${ts}`;
  const at = momentOf(textMember(event, 'event_ts'));
  const what = 'deletion' as const;
  return [{ what, key: `deletion:${id}`, from, ...groupOf(channel), id, ...omitUndefined({ at }) }];
}

function joinOrLeave(what: 'join' | 'leave', body: unknown, event: unknown) {
  const [key, channel] = [textMember(body, 'event_id'), textMember(event, 'channel')];
  const from = partyOf(event);
  if (isOwn(body, event)) return ignored(`member.${what}`, 'own');
  if (key === undefined || channel === undefined || !from) {
    return ignored(`member.${what}`, 'incomplete');
  }
  const at = momentOf(textMember(event, 'event_ts'));
  return [{ what, key, from, ...groupOf(channel), ...omitUndefined({ at }) }];
}

function partyOf(message: unknown): { id: string; name?: string } | undefined {
  const id = textMember(message, 'user');
  const names = ['display_name', 'real_name'].map((key) =>
    textMember(message, 'user_profile', key),
  );
  return id === undefined ? undefined : { id, ...omitUndefined({ name: names.find(Boolean) }) };
}

/** Sent by our own app, judged by its app id or bot id. */
function isOwn(body: unknown, message: unknown): boolean {
  const [app, user] = [textMember(body, 'api_app_id'), textMember(message, 'user')];
  const apps = [textMember(message, 'app_id'), textMember(message, 'bot_profile', 'app_id')];
  const bots = listMember(body, 'authorizations').filter((each) => member(each, 'is_bot') === true);
  return (
    (app !== undefined && apps.includes(app)) ||
    bots.some((each) => textMember(each, 'user_id') === user)
  );
}

/** Ids beginning with D are direct messages. */
const groupOf = (channel: string) => (channel.startsWith('D') ? {} : { group: { id: channel } });

/** A reply is in the thread of the message it replies to. */
function threadOf(channel: string, ts: string | undefined, first: string | undefined) {
  if (first === undefined || first === ts) return {};
  return { replyTo: `${channel}:${first}`, thread: `${channel}:${first}` };
}

function momentOf(ts: string | undefined): number | undefined {
  const seconds = Number(ts ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.floor(seconds * 1000) : undefined;
}

/** https://docs.slack.dev/reference/objects/file-object */
function filesIn(message: unknown) {
  return listMember(message, 'files').flatMap((file) => {
    const reference = textMember(file, 'id');
    const isGone = ['tombstone', 'hidden_by_limit'].includes(textMember(file, 'mode') ?? '');
    if (reference === undefined || isGone) return [];
    const mediaType = textMember(file, 'mimetype') || undefined;
    const name = textMember(file, 'name');
    return [{ type: mediaKind(mediaType), reference, ...omitUndefined({ mediaType, name }) }];
  });
}

function readForm(form: URLSearchParams): InboundEvent[] | undefined {
  if (form.has('payload')) return pressed(jsonBody(form.get('payload') ?? ''));
  return form.has('command') ? commanded(form) : ignored('form', 'no_event');
}

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
function pressed(payload: unknown): InboundEvent[] | undefined {
  const type = textMember(payload, 'type');
  if (type === undefined) return undefined;
  const channel = textMember(payload, 'channel', 'id') ?? '';
  const ts = textMember(payload, 'container', 'message_ts') ?? textMember(payload, 'message', 'ts');
  const id = textMember(payload, 'user', 'id');
  if (type !== 'block_actions') return ignored(type, 'no_event');
  if (channel === '' || id === undefined) return ignored(type, 'unanswerable');
  const name = textMember(payload, 'user', 'name') ?? textMember(payload, 'user', 'username');
  const first = textMember(payload, 'message', 'thread_ts');
  return listMember(payload, 'actions').flatMap<InboundEvent>((action) => {
    const button = buttonOf(action);
    if (!button) return ignored(`${type}.${textMember(action, 'type') ?? ''}`, 'no_content');
    const at = textMember(action, 'action_ts');
    const key = ['action', channel, ts, id, textMember(action, 'action_id'), at].join(':');
    return [
      {
        what: 'message' as const,
        key,
        from: { id, ...omitUndefined({ name }) },
        ...groupOf(channel),
        button,
        ...threadOf(channel, ts, first),
        ...omitUndefined({
          at: momentOf(at),
          replyTo: ts === undefined ? undefined : `${channel}:${ts}`,
        }),
      },
    ];
  });
}

/** Link buttons send nothing back. */
function buttonOf(action: unknown) {
  if (member(action, 'url') !== undefined) return undefined;
  const chosen = member(action, 'selected_option') ?? action;
  const name = textMember(chosen, 'text', 'text');
  const value = textMember(chosen, 'value');
  return name === undefined ? undefined : { name, ...omitUndefined({ value }) };
}

/** https://docs.slack.dev/interactivity/implementing-slash-commands */
function commanded(form: URLSearchParams) {
  const [id, channel, trigger] = ['user_id', 'channel_id', 'trigger_id'].map((key) =>
    form.get(key),
  );
  if (!id || !channel || !trigger) return ignored('command', 'incomplete');
  const text = [form.get('command') ?? '', form.get('text') ?? ''].filter(Boolean).join(' ');
  const from = { id, ...omitUndefined({ name: form.get('user_name') || undefined }) };
  const what = 'message' as const;
  return [{ what, key: `command:${trigger}`, from, ...groupOf(channel), text }];
}
