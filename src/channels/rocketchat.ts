import { type Channel, matching } from './channel.ts';

/*
 * Rocket.Chat REST API. https://developer.rocket.chat/apidocs/send-your-first-message-in-5-minutes
 * Text: 5,000 characters, calls: 10 a minute to an endpoint; the server may set both otherwise.
 * Addresses: room ids, #channel or @username.
 */
export const rocketchat: Channel = {
  name: 'rocketchat',
  title: 'Rocket.Chat',
  docs: 'https://developer.rocket.chat/apidocs/send-your-first-message-in-5-minutes',
  credentials: [
    {
      name: 'address',
      label: 'Server URL',
      help: 'The address at which you open Rocket.Chat, such as https://chat.example.com.',
      secret: false,
    },
    {
      name: 'token',
      label: 'Personal access token',
      help: 'In Rocket.Chat, as the user who is to send, choose your picture, Profile, Personal access tokens, Add.',
      secret: true,
    },
    {
      name: 'username',
      label: 'User ID',
      help: 'Shown together with the personal access token: 17 letters and digits, not the login name.',
      secret: false,
    },
    {
      name: 'secret',
      label: 'Outgoing webhook token',
      help: 'In Rocket.Chat, choose Administration, Integrations, Outgoing: the token of the one that calls our hook.',
      secret: true,
    },
  ],
  needs: [['token', 'username', 'address']],
  recipient: {
    form: 'a room id, a #channel or a @username',
    example: '#general',
    check: matching(
      /^[#@]?[^\s#@\p{Cc}][^\s\p{Cc}]{0,254}$/u,
      'must be a room id, a #channel or a @username, without spaces',
    ),
  },
  limits: [
    {
      what: '5,000 characters of text, unless the server sets another',
      link: 'https://docs.rocket.chat/docs/message',
    },
    {
      what: '10 calls a minute to an endpoint, unless the server sets another',
      link: 'https://docs.rocket.chat/docs/rate-limiter',
    },
  ],
};
