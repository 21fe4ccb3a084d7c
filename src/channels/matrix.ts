import type { Channel } from './channel.ts';

/*
 * Matrix client-server API.
 * https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid
 * An event is 65,536 bytes. The homeserver sets the rate. Addresses: room ids, with a server name or
 * (from room version 12) without, and user ids; 255 bytes.
 */
export const matrix: Channel = {
  name: 'matrix',
  title: 'Matrix',
  aliases: ['gitter'],
  docs: 'https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid',
  credentials: [
    {
      name: 'address',
      label: 'Homeserver URL',
      help: 'Where the client API answers, such as https://matrix.example.org; in Element: All settings, Help & About, Homeserver.',
      secret: false,
    },
    {
      name: 'token',
      label: 'Access token',
      help: 'In Element, signed in as the bot: All settings, Help & About, Access Token; or the as_token of an application service.',
      secret: true,
    },
    {
      name: 'username',
      label: 'User ID',
      help: 'The full id of the bot, such as @bot:example.org.',
      secret: false,
    },
    {
      name: 'secret',
      label: 'Homeserver token',
      help: 'Only for an application service: hs_token in its registration file. It verifies what the homeserver sends to our hook.',
      secret: true,
    },
    {
      name: 'refresh',
      label: 'Refresh token',
      help: 'Only when access tokens expire: refresh_token in the answer to the login.',
      secret: true,
    },
  ],
  needs: [['token', 'address']],
  recipient: {
    form: 'a room id (!…) or a user id (@name:server)',
    example: '!AbCdEfGhIjKlMnOpQr:example.org',
    check: (id) =>
      isAddress(id)
        ? undefined
        : 'must be a room id (!…) or a user id (@name:server), at most 255 bytes',
  },
  limits: [
    {
      what: '65,536 bytes an event',
      link: 'https://spec.matrix.org/latest/client-server-api/#size-limits',
    },
    {
      what: 'a rate that the homeserver sets',
      link: 'https://spec.matrix.org/latest/client-server-api/#rate-limiting',
    },
  ],
};

// https://spec.matrix.org/latest/appendices/#common-identifier-format
function isAddress(id: string): boolean {
  return (
    Buffer.byteLength(id) <= 255 &&
    (/^![^\s\p{Cc}]{1,254}$/u.test(id) || /^@[^\s:\p{Cc}]{1,253}:[^\s\p{Cc}]{1,253}$/u.test(id))
  );
}
