import { type Channel, matching } from './channel.ts';

/*
 * LINE Messaging API. https://developers.line.biz/en/reference/messaging-api/#send-push-message
 * Text: 5,000 UTF-16 code units, 5 messages a request. 2,000 requests a second, and the monthly quota of
 * the account's plan. Addresses: U, C or R (user, group, room) and 32 hexadecimal digits.
 */
export const line: Channel = {
  name: 'line',
  title: 'LINE',
  docs: 'https://developers.line.biz/en/reference/messaging-api/#send-push-message',
  credentials: [
    {
      name: 'token',
      label: 'Channel access token',
      help: 'At developers.line.biz/console, choose your Messaging API channel, then Messaging API, Channel access token, Issue.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Channel secret',
      help: 'At developers.line.biz/console, choose your Messaging API channel, then Basic settings, Channel secret. It verifies what LINE sends to our hook.',
      secret: true,
    },
    {
      name: 'username',
      label: 'Channel ID',
      help: 'At developers.line.biz/console, choose your Messaging API channel, then Basic settings, Channel ID.',
      secret: false,
    },
  ],
  needs: [['token']],
  recipient: {
    form: 'the id of a user (U…), group (C…) or room (R…) from a webhook event, not the LINE ID that people search for',
    example: 'U4af4980629b1e2f3c4d5e6f708192a3b',
    check: matching(
      /^[UCR][0-9a-f]{32}$/,
      'must be U, C or R followed by 32 hexadecimal digits in lower case',
    ),
  },
  limits: [
    {
      what: '5,000 UTF-16 code units of text',
      link: 'https://developers.line.biz/en/reference/messaging-api/#text-message',
    },
    {
      what: '2,000 requests a second, and the monthly quota of the plan',
      link: 'https://developers.line.biz/en/reference/messaging-api/#rate-limits',
    },
  ],
};
