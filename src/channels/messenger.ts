import { type Channel, matching } from './channel.ts';

/*
 * Messenger Platform, Send API. https://developers.facebook.com/docs/messenger-platform/send-messages
 * Text: 2,000 characters, within 24 hours of the person's last message. 300 calls a second for a page,
 * and 200 times the number of engaged people in 24 hours.
 * Addresses: page-scoped ids (PSID), which a message from the person brings.
 */
export const messenger: Channel = {
  name: 'messenger',
  title: 'Messenger',
  docs: 'https://developers.facebook.com/docs/messenger-platform/send-messages',
  credentials: [
    {
      name: 'token',
      label: 'Page access token',
      help: 'At developers.facebook.com/apps, choose your app, then Messenger, Settings, Access tokens: generate one for your page.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Verify token',
      help: 'Any text of your choice; enter the same one in Messenger, Settings, Webhooks, Verify token.',
      secret: true,
    },
    {
      name: 'consumer_secret',
      label: 'App secret',
      help: 'At developers.facebook.com/apps, choose your app, then App settings, Basic, App secret. It verifies what Meta sends to our hook.',
      secret: true,
    },
  ],
  needs: [['token']],
  recipient: {
    form: 'the page-scoped id (PSID) of a person who wrote to the page, all digits',
    example: '4012345678901234',
    check: matching(/^\d{1,32}$/, 'must be a page-scoped id (PSID), all digits'),
  },
  limits: [
    {
      what: '2,000 characters of text',
      link: 'https://developers.facebook.com/docs/messenger-platform/reference/send-api',
    },
    {
      what: '300 calls a second for a page; in 24 hours, 200 times the number of engaged people',
      link: 'https://developers.facebook.com/documentation/business-messaging/messenger-platform/overview/rate-limiting',
    },
  ],
};
