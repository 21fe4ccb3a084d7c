import type { ChannelOption, Destination, VendorRequest } from '../channel.ts';

export const ROCKETCHAT_OPTIONS: readonly ChannelOption[] = [
  {
    name: 'link_preview',
    label: 'Link preview',
    help: 'Whether Rocket.Chat shows previews of links. True by default.',
    rule: { type: 'boolean' },
    link: 'https://developer.rocket.chat/apidocs/post-message',
  },
];

/** Uploads do not have this option. */
export function withRocketChatOptions(
  request: VendorRequest,
  { options: { link_preview } }: Destination,
): VendorRequest {
  if (link_preview === undefined || request.file) return request;
  return { ...request, body: { ...request.body, parseUrls: link_preview } };
}
