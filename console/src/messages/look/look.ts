import type { Channel } from '../../api/types.ts';

/** The layout in which the app of a channel shows conversations. */
export type Look = 'bubbles' | 'sms' | 'rows' | 'mail' | 'notifications';

const LOOKS: Record<Channel['category'], Look> = {
  chat: 'bubbles',
  own: 'bubbles',
  sms: 'sms',
  'team-chat': 'rows',
  email: 'mail',
  push: 'notifications',
};

export const lookOf = (channel: Pick<Channel, 'category'> | undefined): Look =>
  channel ? LOOKS[channel.category] : 'bubbles';
