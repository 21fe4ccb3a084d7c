import { type Channel, matching } from './channel.ts';

/*
 * Instagram messaging.
 * https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/messaging-api
 * Text: 1,000 bytes of UTF-8, within 24 hours of the person's last message. 300 calls a second for an
 * account. Addresses: Instagram-scoped ids (IGSID), which a message from the person brings.
 */
export const instagram: Channel = {
  name: 'instagram',
  title: 'Instagram',
  docs: 'https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/messaging-api',
  credentials: [
    {
      name: 'token',
      label: 'Access token',
      help: 'At developers.facebook.com/apps, choose your app, then Instagram, API setup, Generate token for your professional account; the token of a page linked to it serves as well.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Verify token',
      help: 'Any text of your choice; enter the same one in Instagram, API setup, Configure webhooks, Verify token.',
      secret: true,
    },
    {
      name: 'consumer_secret',
      label: 'App secret',
      help: 'At developers.facebook.com/apps, choose your app, then Instagram, API setup: Instagram app secret; with a page token, App settings, Basic, App secret.',
      secret: true,
    },
  ],
  needs: [['token']],
  recipient: {
    form: 'the Instagram-scoped id (IGSID) of a person who wrote to the account, all digits',
    example: '1784140123456789',
    check: matching(/^\d{1,32}$/, 'must be an Instagram-scoped id (IGSID), all digits'),
  },
  limits: [
    {
      what: '1,000 bytes of text in UTF-8',
      link: 'https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/messaging-api',
    },
    {
      what: '300 calls a second for an account',
      link: 'https://developers.facebook.com/documentation/business-messaging/messenger-platform/overview/rate-limiting',
    },
  ],
};
