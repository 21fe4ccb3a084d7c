import type { Channel } from '../../api/types.ts';

/** The layout in which a product shows its conversations. */
export type Look = 'bubbles' | 'sms' | 'channel' | 'mail' | 'notifications';

const LOOKS: Record<Channel['category'], Look> = {
  chat: 'bubbles',
  own: 'bubbles',
  sms: 'sms',
  'team-chat': 'channel',
  email: 'mail',
  push: 'notifications',
};

export const lookOf = (channel: Pick<Channel, 'category'> | undefined): Look =>
  channel ? LOOKS[channel.category] : 'bubbles';
