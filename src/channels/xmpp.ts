import { type Channel, matching } from './channel.ts';

/*
 * XMPP. https://www.rfc-editor.org/rfc/rfc6121#section-5
 * No length limit; servers must take a stanza of 10,000 bytes and may refuse longer ones.
 * Addresses: local@domain/resource, of which only the domain must be there; each part up to 1,023 bytes:
 * https://www.rfc-editor.org/rfc/rfc7622
 */
export const xmpp: Channel = {
  name: 'xmpp',
  title: 'XMPP',
  docs: 'https://www.rfc-editor.org/rfc/rfc6121#section-5',
  credentials: [
    {
      name: 'username',
      label: 'JID',
      help: 'The address of the account that sends, such as bot@example.org.',
      secret: false,
    },
    {
      name: 'token',
      label: 'Password',
      help: 'The password of that account, chosen when it was registered at its server.',
      secret: true,
    },
    {
      name: 'address',
      label: 'Server',
      help: 'host:port, such as xmpp.example.org:5222. Only when the DNS records of the domain do not lead to the server.',
      secret: false,
    },
  ],
  needs: [['username', 'token']],
  recipient: {
    form: 'a JID: local@domain or local@domain/resource',
    example: 'romeo@example.net',
    check: matching(
      /^([^\s"&'/:<>@\p{Cc}]{1,1023}@)?[^\s"&'/<>@\p{Cc}]{1,1023}(\/[^\p{Cc}]{1,1023})?$/u,
      'must be a JID, such as romeo@example.net',
    ),
  },
  limits: [
    {
      what: 'at least 10,000 bytes a stanza; more as the server allows',
      link: 'https://www.rfc-editor.org/rfc/rfc6120#section-13.12',
    },
  ],
};
