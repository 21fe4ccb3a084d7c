import { type Channel, matching } from './channel.ts';

/*
 * CALLR, SMS by JSON-RPC (sms.send). https://www.callr.com/docs/
 * Text of more than 160 characters goes as several parts. Addresses: E.164.
 */
export const callr: Channel = {
  name: 'callr',
  title: 'CALLR',
  docs: 'https://www.callr.com/docs/',
  credentials: [
    {
      name: 'token',
      label: 'Login',
      help: 'The login of your CALLR API user, which CALLR gave you when the account was opened.',
      secret: false,
    },
    {
      name: 'secret',
      label: 'Password',
      help: 'The password for that login.',
      secret: true,
    },
    {
      name: 'username',
      label: 'Sender',
      help: 'SMS, or a number or brand name that CALLR has authorized for you; without one, CALLR chooses.',
      secret: false,
    },
  ],
  needs: [['token', 'secret']],
  recipient: {
    form: 'a phone number in E.164 form',
    example: '+33123456789',
    check: matching(
      /^\+[1-9]\d{4,14}$/,
      'must be a phone number in E.164 form, such as +33123456789',
    ),
  },
  limits: [],
};
