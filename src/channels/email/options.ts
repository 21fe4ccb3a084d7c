import type { ChannelOption, Destination, VendorRequest } from '../channel.ts';
import { isMailAddress } from './address.ts';

export const EMAIL_OPTIONS: readonly ChannelOption[] = [
  {
    name: 'priority',
    label: 'Priority',
    help: 'How mail programs mark the email. Normal by default.',
    rule: { type: 'choice', choices: ['high', 'normal', 'low'] },
    link: 'https://www.rfc-editor.org/rfc/rfc2156#section-5.3.6',
  },
  {
    name: 'reply_to',
    label: 'Reply to',
    help: 'The address that receives replies. By default, the sender receives them.',
    rule: {
      type: 'text',
      maxLength: 254,
      example: 'support@example.org',
      validate: (value) => (isMailAddress(value) ? undefined : 'must be one email address'),
    },
    link: 'https://www.rfc-editor.org/rfc/rfc5322#section-3.6.2',
  },
];

export function withEmailOptions(
  request: VendorRequest,
  { options: { priority, reply_to: replyTo } }: Destination,
): VendorRequest {
  return {
    ...request,
    body: {
      ...request.body,
      ...(priority !== undefined && { priority }),
      ...(replyTo !== undefined && { replyTo }),
    },
  };
}
