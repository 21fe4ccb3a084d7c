import { isIP } from 'node:net';

import { isMailAddress } from './address.ts';

/* The servers of a mailbox, as they are written: smtps://host:465, and imaps://host:993 after it. */

export interface MailServer {
  host: string;
  port: number;
  /** TLS from the start. */
  secure: boolean;
}

export interface MailServers {
  /** The address that mail comes from. */
  from: string;
  smtp: MailServer;
  /** Where mail comes to, and which of the mailboxes there. */
  imap?: MailServer & { mailbox: string };
}

/** What they are; or what is wrong with them. */
export function readServers(address: string, username: string): MailServers | string {
  const urls = address.split(/[\s,]+/).map((each) => URL.parse(each));
  const [outgoing, incoming, ...others] = urls;
  if (!outgoing || !/^smtps?:$/.test(outgoing.protocol) || outgoing.hostname === '') {
    return 'address must be smtp://host:port or smtps://host:port';
  }
  const isImap = incoming && /^imaps?:$/.test(incoming.protocol) && incoming.hostname !== '';
  if (others.length > 0 || (urls.length > 1 && !isImap)) {
    return 'address may have imap://host:port or imaps://host:port after the SMTP server, and nothing else';
  }
  if (urls.some((url) => url?.username !== '' || url.password !== '')) {
    return 'address must not hold a login: that is what username and token are for';
  }
  const smtp = serverAt(outgoing, { plain: 587, secure: 465 });
  const from = isMailAddress(username) ? username : `${username}@${domainOf(smtp.host)}`;
  if (!isMailAddress(from)) return 'username must be a mail address, or what stands before its @';
  if (!isImap) return { from, smtp };
  const mailbox = mailboxIn(incoming.pathname);
  if (mailbox === undefined)
    return 'the mailbox in address must be a name without signs that cannot be seen';
  return { from, smtp, imap: { ...serverAt(incoming, { plain: 143, secure: 993 }), mailbox } };
}

function serverAt(url: URL, ports: { plain: number; secure: number }): MailServer {
  const secure = url.protocol.endsWith('s:');
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (secure ? ports.secure : ports.plain),
    secure,
  };
}

function mailboxIn(path: string): string | undefined {
  try {
    const name = decodeURIComponent(path.replace(/^\//, ''));
    return /^[\x20-\x7e]{0,200}$/.test(name) ? name || 'INBOX' : undefined;
  } catch {
    return undefined;
  }
}

function domainOf(host: string): string {
  return { 0: host, 4: `[${host}]`, 6: `[IPv6:${host}]` }[isIP(host)] ?? host;
}

/** What stays on this machine has no wire to listen at. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
