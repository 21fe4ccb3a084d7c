import { type Channel, matching } from './channel.ts';

/*
 * Vonage Messages API, SMS. https://developer.vonage.com/en/api/messages
 * Text: 1,000 characters. Addresses: E.164 without + or 00, 7 to 15 digits.
 */
export const vonage: Channel = {
  name: 'vonage',
  title: 'Vonage',
  aliases: ['nexmo'],
  docs: 'https://developer.vonage.com/en/api/messages',
  credentials: [
    {
      name: 'token',
      label: 'API key',
      help: 'At dashboard.vonage.com, choose API Settings: the API key, 8 characters.',
      secret: false,
    },
    {
      name: 'secret',
      label: 'API secret',
      help: 'At dashboard.vonage.com, choose API Settings, Account secret.',
      secret: true,
    },
    {
      name: 'username',
      label: 'Sender',
      help: 'A number from Numbers, Your numbers, digits only; or a name of up to 11 letters and digits where the country allows it.',
      secret: false,
    },
    {
      name: 'consumer_key',
      label: 'Application ID',
      help: 'At dashboard.vonage.com, choose Applications and your application; it needs the Messages capability.',
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'Private key',
      help: 'The private.key file that you download under Applications, Edit, Generate public and private key; paste all of it.',
      secret: true,
    },
    {
      name: 'refresh',
      label: 'Signature secret',
      help: 'At dashboard.vonage.com, choose API Settings, Signature secret. It verifies what Vonage sends to our hook.',
      secret: true,
    },
  ],
  needs: [
    ['token', 'secret', 'username'],
    ['consumer_key', 'consumer_secret', 'username'],
  ],
  recipient: {
    form: 'a phone number with country code, digits only, without + or 00',
    example: '447700900000',
    check: matching(
      /^[1-9]\d{6,14}$/,
      'must be a phone number with country code, 7 to 15 digits, without + or 00',
    ),
  },
  limits: [
    {
      what: '1,000 characters of text',
      link: 'https://developer.vonage.com/en/api/messages',
    },
  ],
};
