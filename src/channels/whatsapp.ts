import { type Channel, matching } from './channel.ts';

/*
 * WhatsApp Business Platform, Cloud API.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-messages
 * Text: 4,096 characters, freely only within 24 hours of the person's last message. 80 messages a
 * second from a number, one every 6 seconds to a person.
 * Addresses: a phone number in international form, or a business-scoped user id (US.1349…) of a
 * person who hides the number.
 */
export const whatsapp: Channel = {
  name: 'whatsapp',
  title: 'WhatsApp',
  docs: 'https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-messages',
  credentials: [
    {
      name: 'token',
      label: 'Access token',
      help: 'In Meta Business Settings, choose Users, System users, Generate token, with the permission whatsapp_business_messaging.',
      secret: true,
    },
    {
      name: 'username',
      label: 'Phone number ID',
      help: 'At developers.facebook.com/apps, choose your app, then WhatsApp, API Setup: the id below the sending number, not the number itself.',
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'App secret',
      help: 'At developers.facebook.com/apps, choose your app, then App settings, Basic, App secret. It verifies what Meta sends to our hook.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Verify token',
      help: 'Any text of your choice; enter the same one in WhatsApp, Configuration, Webhook, Verify token.',
      secret: true,
    },
  ],
  needs: [['token', 'username']],
  recipient: {
    form: 'a phone number with country code, digits only (a leading + may stay), or a business-scoped user id',
    example: '16505551234',
    check: matching(
      /^(\+?[1-9]\d{4,14}|[A-Z]{2}\.[A-Za-z0-9.]{1,128})$/,
      'must be a phone number with country code, digits only, or a business-scoped user id such as US.13491208655302741918',
    ),
  },
  limits: [
    {
      what: '4,096 characters of text',
      link: 'https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages',
    },
    {
      what: '80 messages a second from a number, 1 every 6 seconds to a person',
      link: 'https://developers.facebook.com/docs/whatsapp/cloud-api/overview',
    },
  ],
};
