import { type Channel, matching } from './channel.ts';

/*
 * ntfy. https://docs.ntfy.sh/publish/
 * Text: 4,096 bytes, then it becomes an attachment. 60 requests at once and then one every 5 seconds,
 * 250 messages a day, unless the server or the account has others. Addresses: topics.
 */
export const ntfy: Channel = {
  name: 'ntfy',
  title: 'ntfy',
  docs: 'https://docs.ntfy.sh/publish/',
  credentials: [
    {
      name: 'address',
      label: 'Server URL',
      help: 'https://ntfy.sh, or the address of your own server.',
      secret: false,
    },
    {
      name: 'token',
      label: 'Access token',
      help: 'In the web app, choose Account, Access tokens, Create; on your own server, ntfy token add. It starts with tk_. Leave it out for topics open to all.',
      secret: true,
    },
  ],
  needs: [['address']],
  recipient: {
    form: 'a topic: 1 to 64 letters, digits, _ and -',
    example: 'switchboard-alerts',
    check: matching(/^[A-Za-z0-9_-]{1,64}$/, 'must be a topic: 1 to 64 letters, digits, _ and -'),
  },
  limits: [
    {
      what: '4,096 bytes of text; longer text arrives as an attachment',
      link: 'https://docs.ntfy.sh/publish/#limitations',
    },
    {
      what: '60 requests at once, then 1 every 5 seconds; 250 messages a day; a server may set others',
      link: 'https://docs.ntfy.sh/publish/#limitations',
    },
  ],
};
