import { isIP } from 'node:net';

import { isMailAddress } from './address.ts';

/* The servers of a mailbox in the credentials: smtps://host:465, optionally followed by imaps://host:993. */

export interface MailServer {
  host: string;
  port: number;
  /** TLS from the start. */
  secure: boolean;
}

export interface MailServers {
  /** The sender address. */
  from: string;
  smtp: MailServer;
  /** The IMAP server and the name of the mailbox. */
  imap?: MailServer & { mailbox: string };
}

/** Parses the servers; returns the problem if they are invalid. */
export function readServers(address: string, username: string): MailServers | string {
  const urls = address.split(/[\s,]+/).map((each) => URL.parse(each));
  const [outgoing, incoming, ...others] = urls;
  if (!outgoing || !/^smtps?:$/.test(outgoing.protocol) || outgoing.hostname === '') {
    return 'address must be smtp://host:port or smtps://host:port';
  }
  const isImap = incoming && /^imaps?:$/.test(incoming.protocol) && incoming.hostname !== '';
  if (others.length > 0 || (urls.length > 1 && !isImap)) {
    return 'only imap://host:port or imaps://host:port may follow the SMTP server in address';
  }
  if (urls.some((url) => url?.username !== '' || url.password !== '')) {
    return 'address must not contain a login; use username and token';
  }
  const smtp = serverAt(outgoing, { plain: 587, secure: 465 });
  const from = isMailAddress(username) ? username : `${username}@${domainOf(smtp.host)}`;
  if (!isMailAddress(from)) return 'username must be an email address or its local part';
  if (!isImap) return { from, smtp };
  const mailbox = mailboxIn(incoming.pathname);
  if (mailbox === undefined)
    return 'the mailbox name in address must have at most 200 ASCII characters';
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

/** Nobody can eavesdrop on connections within this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
