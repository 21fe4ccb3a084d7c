import { createHmac } from 'node:crypto';

import type { Actor, ReportContext, Reports, WebhookRequest } from '../../simulator.ts';

/*
 * Slack's webhook requests. https://docs.slack.dev/apis/events-api
 * https://docs.slack.dev/interactivity/handling-user-interaction
 */

/** The conversation on the wire: that of a person begins with D. */
export function channelOf(address: string): string {
  if (/^[UW]/.test(address)) return `D${address.slice(1)}`;
  if (!address.startsWith('#')) return address;
  return address === '#general'
    ? 'C0123456789'
    : `C${Buffer.from(address.slice(1)).toString('hex').toUpperCase().slice(0, 20)}`;
}

/** The person or room on the phone. */
export function personOf(address: string): string {
  return address.startsWith('D')
    ? `U${address.slice(1)}`
    : /^[UW]/.test(address)
      ? address
      : channelOf(address);
}

export const slackReports: Reports = {
  message({ text, media, replyTo, ...actor }, context) {
    const channel = conversationOf(actor);
    const ts = tsOf(context);
    const thread = replyTo?.entry.thread ?? replyTo?.vendorId;
    const file = media && {
      id: `F${media.file.id.toUpperCase()}`,
      name: media.file.name,
      mimetype: media.file.mediaType,
      size: media.file.bytes.length,
    };
    const event = {
      type: 'message',
      ...(file && { subtype: 'file_share', files: [file] }),
      channel,
      user: actor.person.address,
      user_profile: { real_name: actor.person.name },
      text: escaped(text ?? ''),
      ts,
      ...(thread !== undefined && { thread_ts: thread.split(':').at(-1) }),
    };
    return { ...eventRequest(event, context), id: `${channel}:${ts}` };
  },

  press({ message, button: { label, value }, ...actor }, context) {
    const ts = message.vendorId.split(':').at(-1);
    const channel = conversationOf(actor);
    const payload = {
      type: 'block_actions',
      user: { id: actor.person.address, name: actor.person.name },
      api_app_id: 'A1',
      channel: { id: channel },
      container: { type: 'message', message_ts: ts, channel_id: channel },
      message: { type: 'message', ts },
      actions: [
        {
          type: 'button',
          action_id: 'button-1',
          text: { type: 'plain_text', text: label },
          value,
          action_ts: tsOf(context),
        },
      ],
    };
    const form = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    return signed(form, 'application/x-www-form-urlencoded', context);
  },

  react: ({ message, emoji, person }, context) => {
    const [channel, ts] = message.vendorId.split(':');
    const item = { type: 'message', channel, ts };
    const event = { type: 'reaction_added', user: person.address, reaction: emoji, item };
    return eventRequest({ ...event, event_ts: tsOf(context) }, context);
  },

  join: (actor, context) => membership('member_joined_channel', actor, context),
  leave: (actor, context) => membership('member_left_channel', actor, context),
};

const conversationOf = ({ person, room }: Actor) => channelOf((room ?? person).address);

const tsOf = ({ now, number }: ReportContext) =>
  `${Math.floor(now / 1000)}.${String(number % 1_000_000).padStart(6, '0')}`;

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function membership(type: string, actor: Actor, context: ReportContext): WebhookRequest {
  const { person } = actor;
  const channel = conversationOf(actor);
  const event = { type, user: person.address, channel, channel_type: 'C', team: 'T1' };
  return eventRequest({ ...event, event_ts: tsOf(context) }, context);
}

function eventRequest(event: object, context: ReportContext): WebhookRequest {
  const body = {
    type: 'event_callback',
    team_id: 'T1',
    api_app_id: 'A1',
    event,
    event_id: `Ev${context.number}`,
    event_time: Math.floor(context.now / 1000),
    authorizations: [{ team_id: 'T1', user_id: 'U1', is_bot: true }],
  };
  return signed(JSON.stringify(body), 'application/json', context);
}

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
function signed(body: string, type: string, { credentials, now }: ReportContext): WebhookRequest {
  const at = String(Math.floor(now / 1000));
  const mac = createHmac('sha256', credentials.secret ?? '')
    .update(`v0:${at}:${body}`)
    .digest('hex');
  return {
    headers: {
      'content-type': type,
      'x-slack-request-timestamp': at,
      'x-slack-signature': `v0=${mac}`,
    },
    body,
  };
}
