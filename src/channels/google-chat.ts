import { type Channel, matching } from './channel.ts';

/*
 * Google Chat API. https://developers.google.com/workspace/chat/create-messages
 * A message is 32,000 bytes. 60 writes a minute in a space, which all apps share, and 3,000 messages a
 * minute for a project. Addresses: spaces/AAAA. An incoming webhook writes to its own space only.
 */
export const googleChat: Channel = {
  name: 'google-chat',
  title: 'Google Chat',
  docs: 'https://developers.google.com/workspace/chat/create-messages',
  credentials: [
    {
      name: 'address',
      label: 'Incoming webhook URL',
      help: 'In Google Chat, open the space, then Apps & integrations, Webhooks, Add webhook: copy the whole URL. It holds a key, so keep it secret.',
      secret: true,
    },
    {
      name: 'token',
      label: 'Service account key or access token',
      help: 'At console.cloud.google.com, choose IAM & Admin, Service accounts, Keys, Add key, JSON; paste the whole file.',
      secret: true,
    },
    {
      name: 'consumer_key',
      label: 'Service account email',
      help: 'In place of the whole key file: its client_email.',
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'Service account private key',
      help: 'In place of the whole key file: its private_key, from BEGIN to END.',
      secret: true,
    },
  ],
  needs: [['address'], ['token'], ['consumer_key', 'consumer_secret']],
  recipient: {
    form: 'the name of a space, spaces/…',
    example: 'spaces/AAAAqWB1Abc',
    check: matching(
      /^spaces\/[A-Za-z0-9_-]{1,128}$/,
      'must be the name of a space, such as spaces/AAAAqWB1Abc',
    ),
  },
  limits: [
    {
      what: '32,000 bytes a message',
      link: 'https://developers.google.com/workspace/chat/create-messages',
    },
    {
      what: '60 writes a minute in a space (all apps together), 3,000 messages a minute for a project',
      link: 'https://developers.google.com/workspace/chat/limits',
    },
  ],
};
