import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

import { type Denial, type Grant, askForAccess } from '../lib/access-grant.ts';
import { AccessToken } from '../lib/access-token.ts';
import { isMailAddress } from '../lib/mail-address.ts';
import { isUnstyled, plainText } from '../lib/rich-text.ts';
import { toHtml } from '../lib/rich-writers.ts';
import { type Letter, SmtpFault, SmtpPool, type SmtpServer } from '../lib/smtp-pool.ts';
import { type SmtpStep, readReply } from '../lib/smtp-reply.ts';
import { cut } from '../lib/split.ts';
import type { Credentials } from '../model/integration.ts';
import {
  type Blame,
  type Channel,
  type Closable,
  type Context,
  type Outcome,
  type Outgoing,
  type Unfit,
  type Wire,
  denied,
} from './channel.ts';

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
      isMailAddress(id) ? undefined : 'must be one mail address, such as ada@example.org',
  },
  limits: [
    {
      what: 'the size of a message, as the server announces it',
      link: 'https://www.rfc-editor.org/rfc/rfc1870',
    },
  ],
  text: { most: 1_000_000, measure: (text) => text.length, write: plainText },
  forms: {
    title: 'the subject',
    text: ({ text, rich }, { title }) => ({
      body: {
        subject: subjectOf(title) ?? subjectOf(text.trimStart().split(/[\r\n]/, 1)[0]) ?? '',
        text,
        ...(!isUnstyled(rich) && { html: toHtml(rich, '<br>\n') }),
      },
    }),
    reply: (wire, id) => about(wire, { inReplyTo: id }, id),
    thread: (wire, id) => about(wire, { thread: id }, id),
  },
  concurrency: 4,
  // The Message-ID is the same at every try: whoever receives a second copy can tell.
  knowsRepeats: true,
  async send(wire, message, context) {
    return withMailbox(context, async (mailbox) => {
      const letter = composeLetter(wire, message, mailbox.from, context.clock.now());
      const reply = await mailbox.pool.send(letter, context);
      return { outcome: 'sent', id: letter.messageId, detail: inOneLine(reply) };
    });
  },
  async check(context) {
    return withMailbox(context, async (mailbox) => {
      await mailbox.pool.verify(context);
      return { outcome: 'known', as: context.credentials.username ?? mailbox.from };
    });
  },
};

type Refusal = Exclude<Outcome, { outcome: 'sent' }>;

async function withMailbox<Result>(
  context: Context,
  work: (mailbox: Mailbox) => Promise<Result>,
): Promise<Result | Refusal> {
  const setting = readSetting(context.credentials);
  if (typeof setting === 'string') return refuse('credentials', setting);
  const mailbox = context.keep(() => new Mailbox(setting));
  for (let tries = 1; ; tries++) {
    const refusal = await mailbox.authorize(context);
    if (refusal) return refusal;
    try {
      return await work(mailbox);
    } catch (error) {
      if (!(error instanceof SmtpFault)) throw error;
      // Nothing was sent yet, and another access token may be a better one.
      const isLogin = error.step === 'login' && mailbox.forgetAccess();
      if (!isLogin || tries > 1) return outcomeOf(error);
    }
  }
}

interface Setting {
  from: string;
  server: Omit<SmtpServer, 'login'>;
  credentials: Credentials;
}

/** What the credentials mean; or what is wrong with them. */
function readSetting(credentials: Credentials): Setting | string {
  const { address = '', username = '', token, refresh } = credentials;
  const url = URL.parse(address);
  const secure = url?.protocol === 'smtps:';
  if (!url || !(secure || url.protocol === 'smtp:') || url.hostname === '') {
    return 'address must be smtp://host:port or smtps://host:port';
  }
  if (url.username !== '' || url.password !== '') {
    return 'address must not hold a login: that is what username and token are for';
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const from = isMailAddress(username) ? username : `${username}@${domainOf(host)}`;
  if (!isMailAddress(from)) return 'username must be a mail address, or what stands before its @';
  const hasSecret = token !== undefined || refresh !== undefined;
  const server = {
    host,
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    // A password is never sent in the clear; but what stays on this machine has no wire to listen at,
    // and a mail server there seldom has a certificate for its own name.
    requireTls: !secure && hasSecret && !isLoopback(host),
  };
  return { from, server, credentials };
}

function domainOf(host: string): string {
  return { 0: host, 4: `[${host}]`, 6: `[IPv6:${host}]` }[isIP(host)] ?? host;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** A server, a login at it, and the access token where a password will not do. */
class Mailbox implements Closable {
  readonly from: string;
  readonly pool: SmtpPool;
  readonly #setting: Setting;
  readonly #access = new AccessToken<Refusal>();
  #token = '';
  #refresh: string;

  constructor(setting: Setting) {
    const { from, server, credentials } = setting;
    const { username: user = '', token: password } = credentials;
    this.from = from;
    this.#setting = setting;
    this.#refresh = credentials.refresh ?? '';
    const accessToken = () => this.#token;
    if (usesOAuth(credentials)) {
      this.pool = new SmtpPool({ ...server, login: { user, accessToken } });
    } else {
      this.pool = new SmtpPool({ ...server, ...(password && { login: { user, password } }) });
    }
  }

  /** Sees to it that there is an access token, where one is needed; or says why there is none. */
  async authorize(context: Context): Promise<Refusal | undefined> {
    if (!usesOAuth(this.#setting.credentials)) return undefined;
    const token = await this.#access.get(context.clock.now(), () => this.#ask(context));
    if (typeof token !== 'string') return token;
    this.#token = token;
    return undefined;
  }

  /** Whether there can be another. */
  forgetAccess(): boolean {
    this.#access.forget(this.#token);
    return usesOAuth(this.#setting.credentials);
  }

  async #ask(context: Context): Promise<{ token: string; seconds: number } | Refusal> {
    const { server, credentials } = this.#setting;
    const access = await renewAccess(
      server.host,
      { ...credentials, refresh: this.#refresh },
      context,
    );
    if (!('token' in access)) return denied(access);
    // Microsoft gives another each time. The one before stays good for a while, should this be lost.
    if (access.refresh !== undefined && access.refresh !== this.#refresh) {
      this.#refresh = access.refresh;
      await context.renew({ refresh: access.refresh }).catch(() => {});
    }
    return access;
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}

function usesOAuth({ refresh, consumer_key, consumer_secret }: Credentials): boolean {
  return Boolean(refresh && consumer_key && consumer_secret);
}

// https://developers.google.com/identity/protocols/oauth2/web-server#offline
const GOOGLE = 'https://oauth2.googleapis.com/token';
// https://learn.microsoft.com/exchange/client-developer/legacy-protocols/how-to-authenticate-an-imap-pop-smtp-application-by-using-oauth
const MICROSOFT = 'https://login.microsoftonline.com/common/oauth2/v2.0/token';

/** https://www.rfc-editor.org/rfc/rfc6749#section-6 */
function renewAccess(
  host: string,
  { refresh = '', consumer_key = '', consumer_secret = '' }: Credentials,
  { fetch }: Context,
): Promise<Grant | Denial> {
  const endpoint = /(?:^|\.)(?:office365|outlook)\.com$/i.test(host) ? MICROSOFT : GOOGLE;
  const grant = {
    grant_type: 'refresh_token',
    client_id: consumer_key,
    client_secret: consumer_secret,
    refresh_token: refresh,
  };
  return askForAccess(endpoint, grant, fetch);
}

function composeLetter(
  { body }: Wire,
  { key, recipient }: Outgoing,
  from: string,
  now: number,
): Letter {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const id = /^[\w-]{1,64}$/.test(key) ? key : createHash('sha256').update(key).digest('hex');
  const { subject, text, html, inReplyTo, thread } = body as Pick<Letter, 'subject' | 'text'> &
    Partial<Letter>;
  return {
    from,
    to: recipient,
    subject,
    text,
    ...(html !== undefined && { html }),
    messageId: `<${id}@${domain.startsWith('[') ? domain : domainToASCII(domain) || 'localhost'}>`,
    date: new Date(now),
    ...(inReplyTo !== undefined && { inReplyTo }),
    ...(thread !== undefined && { thread }),
  };
}

/** No longer than a line of a header should be: RFC 5322, 2.1.1. */
const SUBJECT = { most: 78, measure: (text: string) => text.length };

function subjectOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value
    .slice(0, 1000)
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return line === '' ? undefined : cut(line, SUBJECT);
}

/** Letters are known by their Message-ID only. */
function about(wire: Wire, what: object, id: string): Wire | Unfit {
  const isMessageId = /^<[^\s<>@\p{Cc}]{1,200}@[^\s<>@\p{Cc}]{1,200}>$/u.test(id);
  if (!isMessageId) return { unfit: 'letters are known by their Message-ID, such as <a@b.org>' };
  return { ...wire, body: { ...wire.body, ...what } };
}

function inOneLine(text: string): string {
  return text
    .slice(0, 1000)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

function refuse(blame: Blame, detail: string): Refusal {
  return { outcome: 'permanent', blame, detail };
}

function outcomeOf({ step, reply, message, perhapsSent, hopeless }: SmtpFault): Refusal {
  if (reply === undefined) {
    const detail = inOneLine(message);
    if (hopeless) return refuse(BLAMES[step], detail);
    return { outcome: 'transient', perhapsSent, detail };
  }
  const { code, meaning } = readReply(reply, step);
  const detail = inOneLine(
    step === 'secure' ? `the server does not go over to TLS: ${reply}` : reply,
  );
  const said = { detail, code };
  if (meaning === 'later') return { outcome: 'transient', perhapsSent: false, ...said };
  if (meaning === 'slower') return { outcome: 'limited', whom: 'integration', ...said };
  if (meaning === 'slower-to-recipient') return { outcome: 'limited', whom: 'recipient', ...said };
  return { outcome: 'permanent', blame: BLAMES[meaning], ...said };
}

/** Who sends is who logs in; and a server that turns us away at the door was named by the same hand. */
const BLAMES: Readonly<Record<SmtpStep, Blame>> = {
  connect: 'credentials',
  secure: 'credentials',
  login: 'credentials',
  sender: 'credentials',
  recipient: 'recipient',
  content: 'content',
};
