import type { ChannelOption, Destination, VendorRequest } from '../channel.ts';

export const WHATSAPP_OPTIONS: readonly ChannelOption[] = [
  {
    name: 'link_preview',
    label: 'Link preview',
    help: 'Whether WhatsApp shows a preview of the first link in a text. False by default.',
    rule: { type: 'boolean' },
    link: 'https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/text-messages',
  },
];

export function withWhatsAppOptions(
  request: VendorRequest,
  { options: { link_preview } }: Destination,
): VendorRequest {
  const { type, text } = request.body;
  if (link_preview === undefined || type !== 'text') return request;
  return {
    ...request,
    body: { ...request.body, text: { ...Object(text), preview_url: link_preview } },
  };
}
