import type { ChannelOption, Destination, VendorRequest } from '../channel.ts';

/* https://docs.slack.dev/reference/methods/chat.postMessage; files and edits do not have these options. */
const LINK = 'https://docs.slack.dev/reference/methods/chat.postMessage';

export const SLACK_OPTIONS: readonly ChannelOption[] = [
  {
    name: 'link_preview',
    label: 'Link preview',
    help: 'Whether Slack shows previews of links. By default, Slack shows previews of media only.',
    rule: { type: 'boolean' },
    link: LINK,
  },
  {
    name: 'reply_broadcast',
    label: 'Also send to channel',
    help: 'Also shows a reply in the channel, not just in its thread. False by default.',
    rule: { type: 'boolean' },
    link: LINK,
  },
];

export function withSlackOptions(
  request: VendorRequest,
  { options: { link_preview: preview, reply_broadcast } }: Destination,
): VendorRequest {
  if (request.file) return request;
  const isBroadcast = reply_broadcast === true && 'thread_ts' in request.body;
  return {
    ...request,
    body: {
      ...request.body,
      ...(preview !== undefined && { unfurl_links: preview, unfurl_media: preview }),
      ...(isBroadcast && { reply_broadcast: true }),
    },
  };
}

/** The fields of a message that an update accepts: https://docs.slack.dev/reference/methods/chat.update */
export function changeOf(body: VendorRequest['body']): VendorRequest['body'] {
  const {
    channel: _,
    mrkdwn: __,
    thread_ts: ___,
    unfurl_links: ____,
    unfurl_media: _____,
    reply_broadcast: ______,
    ...change
  } = body;
  return change;
}
