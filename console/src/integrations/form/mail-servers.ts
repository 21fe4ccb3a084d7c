/*
 * The servers of a mailbox, as people enter them and as the email channel stores them: `smtps://host:465`, followed by
 * `imaps://host:993/mailbox` if the mailbox also receives.
 */

export type Security = 'tls' | 'starttls';

export interface MailServer {
  host: string;
  /** Digits; empty for the default. */
  port: string;
  security: Security;
}

export interface MailServers {
  smtp: MailServer;
  /** Undefined if the integration only sends. */
  imap: (MailServer & { mailbox: string }) | undefined;
}

export const DEFAULT_PORTS = {
  smtp: { tls: '465', starttls: '587' },
  imap: { tls: '993', starttls: '143' },
} as const;

export const NO_SMTP: MailServer = { host: '', port: DEFAULT_PORTS.smtp.tls, security: 'tls' };
export const NO_IMAP = {
  host: '',
  port: DEFAULT_PORTS.imap.tls,
  security: 'tls',
  mailbox: '',
} as const;

/** Servers of well-known providers, from their help pages. */
export const PROVIDERS: readonly { name: string; smtp: MailServer; imap: MailServer }[] = [
  provider('Gmail', 'smtp.gmail.com', 'imap.gmail.com'),
  provider('Microsoft 365', 'smtp.office365.com', 'outlook.office365.com', 'starttls'),
  provider('Fastmail', 'smtp.fastmail.com', 'imap.fastmail.com'),
  provider('iCloud', 'smtp.mail.me.com', 'imap.mail.me.com', 'starttls'),
  provider('Yahoo', 'smtp.mail.yahoo.com', 'imap.mail.yahoo.com'),
];

function provider(name: string, smtp: string, imap: string, security: Security = 'tls') {
  return {
    name,
    smtp: { host: smtp, port: DEFAULT_PORTS.smtp[security], security },
    imap: { host: imap, port: DEFAULT_PORTS.imap.tls, security: 'tls' as const },
  };
}

const HOST = String.raw`(?<host>\[[\da-f:.]+\]|[^\s:/?#@\[\]%]+)(?::(?<port>\d{1,5}))?`;
const SMTP = new RegExp(`^(?<scheme>smtps?)://${HOST}/?$`, 'i');
const IMAP = new RegExp(`^(?<scheme>imaps?)://${HOST}(?:/(?<mailbox>[^\\s?#]*))?$`, 'i');

/** Undefined if the text has something that the parts cannot express. */
export function parseMailServers(text: string): MailServers | undefined {
  const [outgoing = '', incoming, ...others] = text.trim().split(/[\s,]+/);
  const smtp = serverIn(SMTP.exec(outgoing));
  if (!smtp || others.length > 0) return undefined;
  if (incoming === undefined) return { smtp, imap: undefined };
  const match = IMAP.exec(incoming);
  const imap = serverIn(match);
  const mailbox = decoded(match?.groups?.['mailbox'] ?? '');
  return imap && mailbox !== undefined ? { smtp, imap: { ...imap, mailbox } } : undefined;
}

function serverIn(match: RegExpExecArray | null): MailServer | undefined {
  if (!match) return undefined;
  const { scheme = '', host = '', port = '' } = match.groups ?? {};
  const security = scheme.toLowerCase().endsWith('s') ? 'tls' : 'starttls';
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port, security };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Empty if a host is missing. */
export function composeMailServers({ smtp, imap }: MailServers): string {
  if (smtp.host.trim() === '' || imap?.host.trim() === '') return '';
  const outgoing = addressOf('smtp', smtp);
  if (!imap) return outgoing;
  const mailbox = imap.mailbox.trim();
  const path = mailbox === '' ? '' : `/${encodeURIComponent(mailbox)}`;
  return `${outgoing} ${addressOf('imap', imap)}${path}`;
}

function addressOf(protocol: 'smtp' | 'imap', { host, port, security }: MailServer): string {
  const name = host.trim();
  const urlHost = name.includes(':') ? `[${name.replaceAll(/[[\]]/g, '')}]` : asciiName(name);
  const suffix = port.trim() === '' ? '' : `:${port.trim()}`;
  return `${protocol}${security === 'tls' ? 's' : ''}://${urlHost}${suffix}`;
}

/** International domain names are stored as their ASCII form. */
function asciiName(name: string): string {
  return /^[\x21-\x7e]*$/.test(name) ? name : (URL.parse(`http://${name}`)?.hostname ?? name);
}
