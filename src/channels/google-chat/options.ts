import type { ChannelOption, Destination, VendorRequest } from '../channel.ts';

export const GOOGLE_CHAT_OPTIONS: readonly ChannelOption[] = [
  {
    name: 'silent',
    label: 'Silent',
    help: 'Sends without a notification. False by default. Requires a Chat app: webhooks ignore it.',
    rule: { type: 'boolean' },
    link: 'https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create',
  },
];

/** A parameter of the query, and accepted from apps only. */
export function withChatOptions(
  request: VendorRequest,
  { options: { silent }, credentials }: Destination,
): VendorRequest {
  if (silent !== true || credentials.address !== undefined) return request;
  const query = 'createMessageNotificationOptions.notificationType=NOTIFICATION_TYPE_SILENT';
  return { ...request, call: `${request.call}?${query}` };
}
