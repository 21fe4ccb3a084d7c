import type { Channel } from './channel.ts';

/*
 * Mail over SMTP. https://www.rfc-editor.org/rfc/rfc5321
 * Addresses: 64 octets before the @, 255 after it, 254 in all. Names, lists and comments are refused:
 * one bare address. The server says how large a message may be: https://www.rfc-editor.org/rfc/rfc1870
 */
export const email: Channel = {
  name: 'email',
  title: 'Email',
  aliases: ['smtp', 'mail'],
  docs: 'https://www.rfc-editor.org/rfc/rfc5321',
  credentials: [
    {
      name: 'address',
      label: 'SMTP server',
      help: 'smtp://host:587, or smtps://host:465 for TLS from the start; your mail provider names it under outgoing mail.',
      secret: false,
    },
    {
      name: 'username',
      label: 'User name',
      help: 'The login at that server, which is the address that mail comes from.',
      secret: false,
    },
    {
      name: 'token',
      label: 'Password',
      help: 'The password for that login; with two-step verification, an app password from the security page of the account.',
      secret: true,
    },
    {
      name: 'refresh',
      label: 'OAuth refresh token',
      help: 'In place of a password: the refresh token that your OAuth client got for this mailbox.',
      secret: true,
    },
    {
      name: 'consumer_key',
      label: 'OAuth client ID',
      help: 'With a refresh token: the client ID, from the Google Cloud console (Credentials) or the Microsoft Entra app registration.',
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'OAuth client secret',
      help: 'With a refresh token: the secret of that client, from the same page.',
      secret: true,
    },
  ],
  needs: [['address', 'username']],
  recipient: {
    form: 'a mail address',
    example: 'ada@example.org',
    check: (id) =>
      isAddress(id) ? undefined : 'must be one mail address, such as ada@example.org',
  },
  limits: [
    {
      what: 'the size of a message, as the server announces it',
      link: 'https://www.rfc-editor.org/rfc/rfc1870',
    },
  ],
};

// Sections 4.1.2 and 4.5.3.1, and letters of every script (RFC 6531).
function isAddress(id: string): boolean {
  if (Buffer.byteLength(id) > 254) return false;
  const at = id.lastIndexOf('@');
  const local = id.slice(0, Math.max(at, 0));
  const domain = id.slice(at + 1);
  return (
    Buffer.byteLength(local) <= 64 &&
    (/^[^\s"(),:;<>@[\\\]\p{Cc}]{1,64}$/u.test(local) || /^"[^"\\\p{Cc}]{0,62}"$/u.test(local)) &&
    (isHost(domain) || /^\[[0-9A-Za-z.:-]{2,64}\]$/.test(domain))
  );
}

function isHost(domain: string): boolean {
  return /^[\p{L}\p{M}\p{N}.-]{1,253}$/u.test(domain) && !/^[.-]|\.\.|[.-]$/.test(domain);
}
