import { type Channel, matching } from './channel.ts';

/*
 * Discord HTTP API v10. https://discord.com/developers/docs/resources/message#create-message
 * Text: 2,000 characters. Limits come per route in the X-RateLimit headers, and are 50 requests a
 * second over all routes: https://discord.com/developers/docs/topics/rate-limits
 * Addresses are snowflakes, 64-bit integers written in decimal.
 */
export const discord: Channel = {
  name: 'discord',
  title: 'Discord',
  docs: 'https://discord.com/developers/docs/resources/message#create-message',
  credentials: [
    {
      name: 'token',
      label: 'Bot token',
      help: 'At discord.com/developers/applications, choose your application, then Bot, Reset Token.',
      secret: true,
    },
    {
      name: 'consumer_key',
      label: 'Application ID',
      help: 'At discord.com/developers/applications, choose your application: General Information, Application ID.',
      secret: false,
    },
    {
      name: 'secret',
      label: 'Public key',
      help: 'At discord.com/developers/applications, choose your application: General Information, Public Key (64 hexadecimal digits). It verifies what Discord sends to our hook.',
      secret: false,
    },
  ],
  needs: [['token']],
  recipient: {
    form: 'the id of a text channel, thread or direct message (a snowflake, all digits)',
    example: '175928847299117063',
    check: matching(/^[1-9]\d{0,19}$/, 'must be the id of a Discord channel, all digits'),
  },
  limits: [
    {
      what: '2,000 characters of text',
      link: 'https://discord.com/developers/docs/resources/message#create-message',
    },
    {
      what: '50 requests a second in all, and a limit for each channel that Discord states in its answers',
      link: 'https://discord.com/developers/docs/topics/rate-limits',
    },
  ],
};
