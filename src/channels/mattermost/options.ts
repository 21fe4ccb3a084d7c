import type { ChannelOption, Destination, VendorRequest } from '../channel.ts';

export const MATTERMOST_OPTIONS: readonly ChannelOption[] = [
  {
    name: 'priority',
    label: 'Priority',
    help: 'Marks the message as important or urgent. Replies cannot have a priority.',
    rule: { type: 'choice', choices: ['important', 'urgent'] },
    link: 'https://docs.mattermost.com/developers/integrate/reference/message-priority',
  },
];

/** The server refuses a priority of replies. */
export function withMattermostOptions(
  request: VendorRequest,
  { options: { priority } }: Destination,
): VendorRequest {
  if (priority === undefined || 'root_id' in request.body) return request;
  return { ...request, body: { ...request.body, metadata: { priority: { priority } } } };
}
