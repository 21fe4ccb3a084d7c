import type { Channel } from './channel.ts';

/*
 * Zulip REST API. https://zulip.com/api/send-message
 * Text: 10,000 characters; stream and topic 60 each, unless the server says otherwise when asked
 * (https://zulip.com/api/register-queue). 200 requests a minute unless the server sets another rate.
 * Addresses: stream/topic, split at the first slash; or user ids, with commas between.
 */
export const zulip: Channel = {
  name: 'zulip',
  title: 'Zulip',
  docs: 'https://zulip.com/api/send-message',
  credentials: [
    {
      name: 'address',
      label: 'Organization URL',
      help: 'The address at which you open Zulip, such as https://example.zulipchat.com.',
      secret: false,
    },
    {
      name: 'username',
      label: 'Bot email',
      help: 'In Zulip, choose Personal settings, Bots: the email of your bot.',
      secret: false,
    },
    {
      name: 'token',
      label: 'API key',
      help: 'In Zulip, choose Personal settings, Bots: the API key of your bot.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Outgoing webhook token',
      help: 'Of a bot of the type Outgoing webhook: the token in its zuliprc file, under Personal settings, Bots.',
      secret: true,
    },
  ],
  needs: [['username', 'token', 'address']],
  recipient: {
    form: 'stream/topic, or user ids with commas between',
    example: 'general/greetings',
    check: (id) =>
      isTopic(id) || isPeople(id)
        ? undefined
        : 'must be stream/topic, or user ids with commas between',
  },
  limits: [
    {
      what: '10,000 characters of text, unless the server sets another',
      link: 'https://zulip.com/api/register-queue',
    },
    {
      what: '200 requests a minute, unless the server sets another rate',
      link: 'https://zulip.com/api/rest-error-handling',
    },
  ],
};

// A topic may be empty ("general chat"), a stream may not. Lengths are the server's to judge.
function isTopic(id: string): boolean {
  return /^[^/\p{Cc}]{1,200}\/[^\p{Cc}]{0,200}$/u.test(id);
}

function isPeople(id: string): boolean {
  return id.length <= 1024 && id.split(',').every((person) => /^\d{1,10}$/.test(person));
}
