import { type Channel, matching } from './channel.ts';

/*
 * Gotify. https://gotify.net/docs/pushmsg
 * No limit is documented. There are no addresses: a message goes to the owner of the application whose
 * token it bears, so the recipient is only a name.
 */
export const gotify: Channel = {
  name: 'gotify',
  title: 'Gotify',
  docs: 'https://gotify.net/docs/pushmsg',
  credentials: [
    {
      name: 'address',
      label: 'Server URL',
      help: 'The address at which you open Gotify, such as https://push.example.com.',
      secret: false,
    },
    {
      name: 'token',
      label: 'Application token',
      help: 'In Gotify, choose Apps, Create application: its token, which starts with A. A client token (C…) cannot send.',
      secret: true,
    },
  ],
  needs: [['address', 'token']],
  recipient: {
    form: 'any name, up to 512 characters; the application token decides who receives',
    example: 'ops',
    check: matching(/^.{1,512}$/su, 'must be 1 to 512 characters'),
  },
  limits: [],
};
