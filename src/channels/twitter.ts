import { type Channel, matching } from './channel.ts';

/*
 * X (Twitter), direct messages. https://docs.x.com/x-api/direct-messages/manage/introduction
 * Text: 10,000 characters. 15 messages in 15 minutes and 1,440 in 24 hours for a user.
 * Addresses: numeric user ids, 1 to 19 digits. OAuth 1.0a takes the first four credentials; OAuth 2.0 an
 * access token that lasts two hours, and what renews it.
 */
export const twitter: Channel = {
  name: 'twitter',
  title: 'X (Twitter)',
  aliases: ['x'],
  docs: 'https://docs.x.com/x-api/direct-messages/manage/introduction',
  credentials: [
    {
      name: 'consumer_key',
      label: 'API key, or OAuth 2.0 client ID',
      help: 'At developer.x.com, choose your app, then Keys and tokens: API Key; for OAuth 2.0, Client ID.',
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'API key secret, or OAuth 2.0 client secret',
      help: 'At developer.x.com, choose your app, then Keys and tokens: API Key Secret; for OAuth 2.0, Client Secret. It also verifies what X sends to our hook.',
      secret: true,
    },
    {
      name: 'token',
      label: 'Access token',
      help: 'At developer.x.com, choose your app, then Keys and tokens, Access Token, with permission to send direct messages; for OAuth 2.0, a user token with dm.write.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Access token secret',
      help: 'OAuth 1.0a only: X shows it beside the access token, once.',
      secret: true,
    },
    {
      name: 'refresh',
      label: 'Refresh token',
      help: 'OAuth 2.0 only: comes with the user token when the scope offline.access was asked for.',
      secret: true,
    },
  ],
  needs: [
    ['consumer_key', 'consumer_secret', 'token', 'secret'],
    ['consumer_key', 'token', 'refresh'],
  ],
  recipient: {
    form: 'a numeric user id, not the @name',
    example: '2244994945',
    check: matching(/^\d{1,19}$/, 'must be a numeric user id, 1 to 19 digits, not the @name'),
  },
  limits: [
    {
      what: '10,000 characters of text',
      link: 'https://developer.x.com/en/docs/x-api/v1/direct-messages/sending-and-receiving/api-reference/new-event',
    },
    {
      what: '15 messages in 15 minutes and 1,440 in 24 hours',
      link: 'https://docs.x.com/x-api/fundamentals/rate-limits',
    },
  ],
};
