import { type Channel, matching } from './channel.ts';

/*
 * IRC. https://modern.ircdocs.horse/#privmsg-message
 * A line is 512 bytes with its end and the prefix that the server adds: about 400 bytes of text, longer
 * text goes as several lines. Addresses: a nick or a #channel, one only; a target that starts with $
 * would reach everybody on a server.
 */
export const irc: Channel = {
  name: 'irc',
  title: 'IRC',
  docs: 'https://modern.ircdocs.horse/#privmsg-message',
  credentials: [
    {
      name: 'address',
      label: 'Server',
      help: 'host:port, with +tls after it for TLS, such as irc.libera.chat:6697+tls; the page of the network says which.',
      secret: false,
    },
    {
      name: 'username',
      label: 'Nick',
      help: 'The nick to send as; the account name too, when there is a password.',
      secret: false,
    },
    {
      name: 'token',
      label: 'Password',
      help: 'Of the account that you registered with NickServ, or of the server; leave it out when neither asks for one.',
      secret: true,
    },
  ],
  needs: [['username', 'address']],
  recipient: {
    form: 'a nick or a #channel',
    example: '#switchboard',
    check: matching(
      /^[^\s,:$\p{Cc}][^\s,\p{Cc}]{0,199}$/u,
      'must be one nick or #channel, without spaces and commas',
    ),
  },
  limits: [
    {
      what: '512 bytes a line, about 400 of them text; longer text goes as several lines',
      link: 'https://www.rfc-editor.org/rfc/rfc2812#section-2.3',
    },
  ],
};
