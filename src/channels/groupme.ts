import { type Channel, matching } from './channel.ts';

/*
 * GroupMe. https://dev.groupme.com/docs/v3#bots_post
 * Text: 1,000 characters. A bot lives in one group and needs no more than its id to post there; an access
 * token posts as the person it belongs to, in any of that person's groups. Addresses: group ids.
 */
export const groupme: Channel = {
  name: 'groupme',
  title: 'GroupMe',
  docs: 'https://dev.groupme.com/docs/v3#bots_post',
  credentials: [
    {
      name: 'token',
      label: 'Bot ID',
      help: 'At dev.groupme.com/bots, choose or create your bot: Bot ID. Whoever has it can post, so keep it secret.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Access token',
      help: 'At dev.groupme.com, choose Access Token at the top right.',
      secret: true,
    },
    {
      name: 'username',
      label: 'Bot name',
      help: 'At dev.groupme.com/bots, the name of your bot.',
      secret: false,
    },
  ],
  needs: [['token'], ['secret']],
  recipient: {
    form: 'a group id, all digits',
    example: '1234567890',
    check: matching(/^\d{1,20}$/, 'must be a group id, all digits'),
  },
  limits: [
    {
      what: '1,000 characters of text',
      link: 'https://dev.groupme.com/docs/v3#messages_create',
    },
  ],
};
