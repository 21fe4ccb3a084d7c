import type { ChannelOption, Destination, VendorRequest } from '../channel.ts';

export const GOOGLE_CHAT_OPTIONS: readonly ChannelOption[] = [
  {
    name: 'silent',
    label: 'Silent',
    help: 'Sends without a notification. False by default. Requires a Chat app: webhooks ignore it, and so do messages in threads.',
    rule: { type: 'boolean' },
    link: 'https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create',
  },
];

/** A parameter of the query. Google accepts it from apps only, and refuses it for messages in threads (403). */
export function withChatOptions(
  request: VendorRequest,
  { options: { silent }, credentials }: Destination,
): VendorRequest {
  const isThreaded = 'thread' in request.body;
  if (silent !== true || credentials.address !== undefined || isThreaded) return request;
  const query = 'createMessageNotificationOptions.notificationType=NOTIFICATION_TYPE_SILENT';
  return { ...request, call: `${request.call}?${query}` };
}
