import { type Channel, matching } from './channel.ts';

/*
 * MessageBird (Bird) SMS. https://developers.messagebird.com/api/sms-messaging/
 * Text: up to 9 parts, which is 1,377 characters, or 603 when one of them is outside GSM 03.38.
 * Addresses: phone numbers in international form.
 */
export const messagebird: Channel = {
  name: 'messagebird',
  title: 'MessageBird',
  docs: 'https://developers.messagebird.com/api/sms-messaging/',
  credentials: [
    {
      name: 'token',
      label: 'Access key',
      help: 'At dashboard.messagebird.com, choose Developers, API access, Add access key (a live one).',
      secret: true,
    },
    {
      name: 'username',
      label: 'Originator',
      help: 'The sender: a number from Numbers in the dashboard, with country code, or a name of up to 11 letters and digits.',
      secret: false,
    },
    {
      name: 'secret',
      label: 'Signing key',
      help: 'At dashboard.messagebird.com, choose Developers, Settings, Signing key. It verifies what MessageBird sends to our hook.',
      secret: true,
    },
  ],
  needs: [['token', 'username']],
  recipient: {
    form: 'a phone number with country code, digits only (a leading + may stay)',
    example: '31612345678',
    check: matching(
      /^\+?[1-9]\d{4,14}$/,
      'must be a phone number with country code, digits only, such as 31612345678',
    ),
  },
  limits: [
    {
      what: '1,377 characters of text, 603 when one is outside GSM 03.38',
      link: 'https://developers.messagebird.com/api/sms-messaging/',
    },
  ],
};
