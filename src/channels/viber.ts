import { type Channel, matching } from './channel.ts';

/*
 * Viber bots. https://creators.viber.com/docs/bots-api/resources/messaging/send-message
 * Text: 7,000 characters, a request of 30 KB. 100 messages an hour to a person who does not answer.
 * Addresses: the id that Viber gives a person for this bot, in base64. New bots need a commercial
 * contract since February 2024.
 */
export const viber: Channel = {
  name: 'viber',
  title: 'Viber',
  docs: 'https://creators.viber.com/docs/bots-api/resources/messaging/send-message',
  credentials: [
    {
      name: 'token',
      label: 'Authentication token',
      help: 'In Viber, choose More, Settings, Bots, Edit info, Your app key; or at partners.viber.com, the page of the bot. It also verifies what Viber sends to our hook.',
      secret: true,
    },
    {
      name: 'username',
      label: 'Sender name',
      help: 'The name that people see above the message, of your choice, up to 28 characters.',
      secret: false,
    },
  ],
  needs: [['token', 'username']],
  recipient: {
    form: 'the id of a person who subscribed or wrote to the bot, in base64',
    example: '01234567890A=',
    check: matching(
      /^[A-Za-z0-9+/]{1,128}={0,2}$/,
      'must be a Viber user id: base64, such as 01234567890A=',
    ),
  },
  limits: [
    {
      what: '7,000 characters of text',
      link: 'https://developers.viber.com/docs/api/rest-bot-api/#text-message',
    },
    {
      what: '30 KB a request; 100 messages an hour to a person who does not answer',
      link: 'https://creators.viber.com/docs/bots-api/resources/messaging/send-message',
    },
  ],
};
