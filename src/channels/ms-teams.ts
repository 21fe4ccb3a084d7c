import { type Channel, matching } from './channel.ts';

/*
 * Microsoft Teams through the Bot Connector.
 * https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-send-and-receive-messages
 * A message is about 100 KB in UTF-16, 80 KB advised. 50 requests a second for an app and tenant.
 * Addresses: conversation ids, opaque (19:…@thread.tacv2, a:1…).
 */
export const msTeams: Channel = {
  name: 'ms-teams',
  title: 'Microsoft Teams',
  aliases: ['skype'],
  docs: 'https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-send-and-receive-messages',
  credentials: [
    {
      name: 'token',
      label: 'App ID',
      help: 'At portal.azure.com, choose your Azure Bot, then Configuration, Microsoft App ID.',
      secret: false,
    },
    {
      name: 'secret',
      label: 'App password',
      help: 'At portal.azure.com, choose your Azure Bot, then Configuration, Manage password, New client secret: its value.',
      secret: true,
    },
    {
      name: 'username',
      label: 'Tenant ID',
      help: 'For a single-tenant bot: at portal.azure.com, choose your Azure Bot, then Configuration, App Tenant ID.',
      secret: false,
    },
    {
      name: 'address',
      label: 'Service URL',
      help: 'The serviceUrl of any activity from the conversation; for the public cloud https://smba.trafficmanager.net/teams/.',
      secret: false,
    },
  ],
  needs: [['token', 'secret']],
  recipient: {
    form: 'a conversation id, as conversation.id of an activity from it says',
    example: '19:0123456789abcdef0123456789abcdef@thread.tacv2',
    check: matching(
      /^[!-~]{1,512}$/,
      'must be a conversation id: up to 512 printable ASCII characters, without spaces',
    ),
  },
  limits: [
    {
      what: 'about 100 KB a message in UTF-16, 80 KB advised',
      link: 'https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages',
    },
    {
      what: '50 requests a second for an app and tenant, fewer for a conversation',
      link: 'https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit',
    },
  ],
};
