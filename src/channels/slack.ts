import { type Channel, matching } from './channel.ts';

/*
 * Slack Web API. https://docs.slack.dev/reference/methods/chat.postMessage
 * Text: cut off after 40,000 characters, 4,000 advised. About one message a second to a conversation,
 * with a limit over the whole workspace besides: https://docs.slack.dev/apis/web-api/rate-limits
 * Addresses: conversations C…, G…, D…; people U…, W… (opens a direct message); or #name.
 */
export const slack: Channel = {
  name: 'slack',
  title: 'Slack',
  docs: 'https://docs.slack.dev/reference/methods/chat.postMessage',
  credentials: [
    {
      name: 'token',
      label: 'Bot token',
      help: 'At api.slack.com/apps, choose your app, then OAuth & Permissions: the Bot User OAuth Token, which starts with xoxb-.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Signing secret',
      help: 'At api.slack.com/apps, choose your app, then Basic Information, App Credentials, Signing Secret.',
      secret: true,
    },
    {
      name: 'refresh',
      label: 'Refresh token',
      help: 'Only when token rotation is on: OAuth & Permissions shows it beside the token; it starts with xoxe-.',
      secret: true,
    },
    {
      name: 'consumer_key',
      label: 'Client ID',
      help: 'Only when token rotation is on: Basic Information, App Credentials, Client ID.',
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'Client secret',
      help: 'Only when token rotation is on: Basic Information, App Credentials, Client Secret.',
      secret: true,
    },
  ],
  needs: [['token']],
  recipient: {
    form: 'a conversation id (C…, G… or D…), a member id (U… or W…) or a #name',
    example: 'C0123456789',
    check: matching(
      /^([CDGUW][A-Z0-9]{2,30}|#[^\s#@,:<>\p{Cc}]{1,80})$/u,
      'must be a conversation id (C…, G… or D…), a member id (U… or W…) or a #name',
    ),
  },
  limits: [
    {
      what: '40,000 characters of text, 4,000 advised',
      link: 'https://docs.slack.dev/reference/methods/chat.postMessage',
    },
    {
      what: 'about 1 message a second to a conversation',
      link: 'https://docs.slack.dev/apis/web-api/rate-limits',
    },
  ],
};
