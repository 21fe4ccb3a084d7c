import { type Channel, matching } from './channel.ts';

/*
 * The web chat that is built in: it needs no vendor and no account.
 * Addresses: visitor ids, opaque, 1 to 128 of A-Z, a-z, 0-9, _, . and -.
 */
export const webmessenger: Channel = {
  name: 'webmessenger',
  title: 'Web Messenger',
  docs: '/docs',
  credentials: [
    {
      name: 'secret',
      label: 'Identity key',
      help: 'Any long random text of your choice (openssl rand -hex 32); your site signs the identity of its visitors with it. Leave it out for anonymous visitors.',
      secret: true,
    },
  ],
  needs: [[]],
  recipient: {
    form: 'a visitor id: 1 to 128 letters, digits, _, . and -',
    example: 'visitor-7f3a',
    check: matching(
      /^[A-Za-z0-9_.-]{1,128}$/,
      'must be a visitor id: 1 to 128 letters, digits, _, . and -',
    ),
  },
  limits: [],
};
