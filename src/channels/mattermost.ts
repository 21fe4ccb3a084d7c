import { type Channel, matching } from './channel.ts';

/*
 * Mattermost REST API v4. https://developers.mattermost.com/api-documentation/#/operations/CreatePost
 * Text: 16,383 characters. Rate limiting is off unless the server turns it on, then 10 requests a second
 * if it does not say otherwise. Addresses: ids of 26 small letters and digits.
 */
export const mattermost: Channel = {
  name: 'mattermost',
  title: 'Mattermost',
  docs: 'https://developers.mattermost.com/api-documentation/#/operations/CreatePost',
  credentials: [
    {
      name: 'address',
      label: 'Server URL',
      help: 'The address at which you open Mattermost, such as https://chat.example.com.',
      secret: false,
    },
    {
      name: 'token',
      label: 'Bot token',
      help: 'In Mattermost, choose Integrations, Bot Accounts, Add Bot Account; it is shown once. Then add the bot to the team and the channel.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Outgoing webhook token',
      help: 'In Mattermost, choose Integrations, Outgoing Webhooks: the token of the one that calls our hook.',
      secret: true,
    },
  ],
  needs: [['token', 'address']],
  recipient: {
    form: 'a channel id: 26 small letters and digits, shown by View Info at the name of the channel',
    example: '4xp9fdt77pncbef59f4k1qe83o',
    check: matching(/^[a-z0-9]{26}$/, 'must be a channel id: 26 small letters and digits'),
  },
  limits: [
    {
      what: '16,383 characters of text',
      link: 'https://docs.mattermost.com/manage/product-limits.html',
    },
    {
      what: '10 requests a second, when the server limits rates and sets no other',
      link: 'https://docs.mattermost.com/administration-guide/configure/rate-limiting-configuration-settings.html',
    },
  ],
};
