import { type Channel, matching } from './channel.ts';

/*
 * Any HTTP endpoint, by Standard Webhooks.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * The recipient is part of what the endpoint receives, and its own affair.
 */
export const webhook: Channel = {
  name: 'webhook',
  title: 'Webhook',
  docs: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  credentials: [
    {
      name: 'address',
      label: 'Endpoint URL',
      help: 'The http or https URL of your own service, to which each message is posted.',
      secret: false,
    },
    {
      name: 'secret',
      label: 'Signing secret',
      help: 'whsec_ and 24 to 64 random bytes in base64, of your choice (openssl rand -base64 32); your service verifies our signature with it.',
      secret: true,
    },
  ],
  needs: [['address']],
  recipient: {
    form: 'any text that your endpoint understands, up to 512 characters',
    example: 'customer-42',
    check: matching(/^.{1,512}$/su, 'must be 1 to 512 characters'),
  },
  limits: [
    {
      what: '20 kB a message advised',
      link: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
    },
  ],
};
