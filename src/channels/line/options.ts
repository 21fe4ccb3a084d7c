import type { ChannelOption, Destination, VendorRequest } from '../channel.ts';

export const LINE_OPTIONS: readonly ChannelOption[] = [
  {
    name: 'silent',
    label: 'Silent',
    help: 'Sends without a push notification. False by default.',
    rule: { type: 'boolean' },
    link: 'https://developers.line.biz/en/reference/messaging-api/#send-push-message',
  },
];

export function withLineOptions(
  request: VendorRequest,
  { options: { silent } }: Destination,
): VendorRequest {
  return silent === true
    ? { ...request, body: { ...request.body, notificationDisabled: true } }
    : request;
}
