import { type Channel, matching } from './channel.ts';

/*
 * Twilio Programmable Messaging. https://www.twilio.com/docs/messaging/api/message-resource
 * Text: 1,600 characters. What is over the sender's rate waits in Twilio's own queue.
 * Addresses: E.164, or one of Twilio's channel addresses: https://www.twilio.com/docs/messaging/channels
 */
export const twilio: Channel = {
  name: 'twilio',
  title: 'Twilio',
  docs: 'https://www.twilio.com/docs/messaging/api/message-resource',
  credentials: [
    {
      name: 'token',
      label: 'Account SID',
      help: 'The first page of console.twilio.com shows it under Account Info; it starts with AC.',
      secret: false,
    },
    {
      name: 'secret',
      label: 'Auth token',
      help: 'The first page of console.twilio.com shows it under Account Info. It also verifies what Twilio sends to our hook.',
      secret: true,
    },
    {
      name: 'username',
      label: 'Sender',
      help: 'A number of yours (+15551234567, or whatsapp:+15551234567) from Phone Numbers, Manage, Active numbers; or the SID of a messaging service (MG…).',
      secret: false,
    },
    {
      name: 'consumer_key',
      label: 'API key SID',
      help: 'To send without the auth token: in the console, choose Account, API keys & tokens, Create API key; it starts with SK.',
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'API key secret',
      help: 'Twilio shows it once, when the API key is made.',
      secret: true,
    },
  ],
  needs: [
    ['token', 'secret', 'username'],
    ['token', 'consumer_key', 'consumer_secret', 'username'],
  ],
  recipient: {
    form: 'a phone number in E.164 form, or whatsapp:, rcs: or messenger: and an address there',
    example: '+15558675310',
    check: matching(
      /^((whatsapp:|rcs:)?\+[1-9]\d{4,14}|messenger:\d{1,32})$/,
      'must be a phone number in E.164 form (+15558675310), or whatsapp: and such a number',
    ),
  },
  limits: [
    {
      what: '1,600 characters of text',
      link: 'https://www.twilio.com/docs/messaging/api/message-resource',
    },
    {
      what: 'a rate for each sender, by its kind and country',
      link: 'https://help.twilio.com/articles/115002943027-Understanding-Twilio-Rate-Limits-and-Message-Queues',
    },
  ],
};
