import { AccessToken } from '../../lib/crypto/access-token.ts';
import { toFormFile } from '../../lib/http/multipart.ts';
import { plainText } from '../../lib/rich-text/rich-text.ts';
import type { Credentials } from '../../model/integration.ts';
import {
  type Destination,
  type Channel,
  type Closable,
  type Context,
  type Attachment,
  type Failure,
  type MediaPart,
  type Outcome,
  type Unsupported,
  type VendorRequest,
  denied,
  fileOf,
  isFailure,
  linkTo,
} from '../channel.ts';
import { mailAddress } from '../consent-address.ts';
import { type InboundEvent, ignored } from '../inbound.ts';
import { renewAccess } from './access.ts';
import { isMailAddress } from './address.ts';
import { type RequestedFile, asLinks, inLines, missingReason } from './attachments.ts';
import { ImapFault, type ImapOptions, ImapSession } from './imap-session.ts';
import { fileInMail } from './isolated-reader.ts';
import { type ReceivedMail, followMailbox } from './listening.ts';
import { type EmailContent, composeEmail, mergeParts, inOneLine, writeEmail } from './message.ts';
import { EMAIL_OPTIONS, withEmailOptions } from './options.ts';
import { HARD_BOUNCES, outcomeOf, refuse } from './outcome.ts';
import { type MailServers, isLoopback, readServers } from './servers.ts';
import { SmtpFault, SmtpPool, type SmtpServer, isTooLarge } from './smtp-pool.ts';

/** In characters; API requests are smaller. */
const MAX_TEXT_LENGTH = 1_000_000;
/** Files of this size take 25 MB when encoded in an email. */
const MAX_FILES_BYTES = 18_000_000;

/*
 * Email over SMTP. https://www.rfc-editor.org/rfc/rfc5321
 * Addresses: 64 octets before the @, 255 after it, 254 in total; one bare address, without names, lists or comments.
 * The server announces the maximum message size: https://www.rfc-editor.org/rfc/rfc1870
 */
export const email: Channel = {
  name: 'email',
  title: 'Email',
  category: 'email',
  summary: 'Mail through any SMTP server, and answers from any IMAP mailbox.',
  keywords: ['e-mail', 'imap', 'gmail', 'outlook', 'office 365', 'newsletter', 'mailbox'],
  aliases: ['smtp', 'mail'],
  docs: 'https://www.rfc-editor.org/rfc/rfc5321',
  credentials: [
    {
      name: 'address',
      label: 'Servers',
      help: "smtp://host:587, or smtps://host:465 for implicit TLS; see your provider's settings for outgoing mail. To receive, add a space and imaps://host:993.",
      secret: false,
      parts: 'mail_servers',
    },
    {
      name: 'username',
      label: 'User name',
      help: 'The login at these servers, which is the sender address.',

      secret: false,
    },
    {
      name: 'token',
      label: 'Password',
      help: 'The password for that login. With two-step verification, create an app password on the security page of your account.',
      secret: true,
    },
    {
      name: 'refresh',
      label: 'OAuth refresh token',
      help: 'Replaces the password. The refresh token of your OAuth client for this mailbox.',
      secret: true,
    },
    {
      name: 'consumer_key',
      label: 'OAuth client ID',
      help: 'Required with a refresh token. The client ID from the Google Cloud console (Credentials) or the Microsoft Entra app registration.',
      secret: false,
    },
    {
      name: 'consumer_secret',
      label: 'OAuth client secret',
      help: 'Required with a refresh token. The client secret from the same page.',
      secret: true,
    },
  ],
  needs: [
    ['address', 'username', 'token'],
    ['address', 'username', 'refresh', 'consumer_key', 'consumer_secret'],
    ['address', 'username'],
  ],
  needNames: ['Password', 'OAuth', 'No login'],
  recipient: {
    format: 'an email address',
    example: 'ada@example.org',
    validate: (id) =>
      isMailAddress(id) ? undefined : 'must be one email address, such as ada@example.org',
    consentAddress: mailAddress,
  },
  limits: [
    {
      what: 'the message size that the server announces; larger files become links',
      link: 'https://www.rfc-editor.org/rfc/rfc1870',
    },
    {
      what: '18 MB of attachments per email, which is 25 MB in base64, the limit of Gmail and many others',
      link: 'https://support.google.com/mail/answer/6584',
    },
  ],
  text: {
    max: MAX_TEXT_LENGTH,
    measure: (text) => text.length,
    write: plainText,
    shows: ['lists', 'tables', 'headings'],
  },
  renderers: {
    title: 'the subject',
    text: (part, { title }) => ({ body: writeEmail(part, title) }),
    image: { maxCaptionLength: MAX_TEXT_LENGTH, compose: (part, to) => withFile(part, to, true) },
    video: { maxCaptionLength: MAX_TEXT_LENGTH, compose: withFile },
    audio: { maxCaptionLength: MAX_TEXT_LENGTH, compose: withFile },
    document: { maxCaptionLength: MAX_TEXT_LENGTH, compose: withFile },
    merge: (requests) => ({
      body: mergeParts(requests.map(({ body }) => body as EmailContent)),
      attachments: requests.flatMap(({ attachments = [] }) => attachments),
    }),
    reply: (request, id) => about(request, { inReplyTo: id }, id),
    thread: (request, id) => about(request, { thread: id }, id),
    options: withEmailOptions,
  },
  options: EMAIL_OPTIONS,
  concurrency: 4,
  // The Message-ID is the same at every attempt, so that the recipient's server can drop duplicates.
  idempotent: true,
  async send({ body, attachments = [] }, message, context) {
    const wanted = attachments.length === 0 ? [] : await download(attachments, context);
    if (isFailure(wanted)) return wanted;
    return withMailbox(context, async ({ from, pool }) => {
      const now = context.clock.now();
      const post = async (files: readonly RequestedFile[]): Promise<Outcome> => {
        const mail = composeEmail(body as EmailContent, files, message, from, now, context);
        const reply = await pool.send(mail, context);
        const detail = inLines([reply, ...files.map(missingReason)], '; ');
        return { outcome: 'sent', id: mail.messageId, detail: inOneLine(detail) };
      };
      return post(wanted).catch(async (error: unknown) => {
        const hasFiles = wanted.some(({ file }) => file !== undefined);
        if (!hasFiles || !(error instanceof SmtpFault) || !isTooLarge(error)) throw error;
        return post(asLinks(wanted, error.reply ?? error.message));
      });
    });
  },
  checkLogsIn: true,
  async check(context) {
    return withMailbox(context, async (mailbox) => {
      await mailbox.pool.verify(context);
      return { outcome: 'known', as: context.credentials.username ?? mailbox.from };
    });
  },

  // Other reports are processed when they arrive, but emails do not request them.
  receipts: ['failed'],
  blockedCodes: HARD_BOUNCES,

  async listen(context) {
    const { signal, clock, credentials } = context;
    const setting = readSetting(credentials);
    if (typeof setting === 'string') return refuse('credentials', setting);
    const { imap, from } = setting;
    if (!imap) {
      context.notConfigured();
      return untilAborted(signal);
    }
    const followed = {
      name: `${credentials.username}@${imap.host}`,
      mailbox: imap.mailbox,
      self: from,
    };
    return withImap(context, setting, async (session) => {
      context.connected();
      return followMailbox(session, followed, clock, context.cursor, async (received, cursor) =>
        context.emit(received ? inboundEventsOf(received) : [], cursor),
      );
    });
  },

  async media(reference, context) {
    const [, validity, uid, index] = /^(\d+):(\d+):(\d+)$/.exec(reference) ?? [];
    const setting = readSetting(context.credentials);
    if (typeof setting === 'string') return refuse('credentials', setting);
    return withImap(context, setting, async (session) => {
      const now = await session.examine(setting.imap?.mailbox ?? '');
      const isPresent = now.validity === Number(validity);
      const mail = isPresent && (await session.fetch(Number(uid), WHOLE));
      const file = mail && (await fileInMail(mail.bytes, Number(index)));
      return file || refuse('content', 'the email is no longer in the mailbox');
    });
  },
};

function withFile(part: MediaPart, { title }: Destination, isShown = false): VendorRequest {
  return {
    body: writeEmail(part.caption, title, { ...part, isShown }),
    attachments: [{ ...fileOf(part), fallback: linkTo(part) }],
  };
}

/**
 * Downloads the attachments; each result is the file or why it is missing. Returns a failure if the email must wait.
 */
async function download(
  enclosed: readonly Attachment[],
  context: Context,
): Promise<RequestedFile[] | Failure> {
  const urls = enclosed.map(({ url }) => url);
  const files = await context.downloadAll(urls, { maxBytes: MAX_FILES_BYTES });
  const wanted: RequestedFile[] = [];
  for (const [i, each] of enclosed.entries()) {
    const file = files[i];
    if (!file) continue;
    if ('bytes' in file) wanted.push({ ...each, file: toFormFile(each, file) });
    else if (file.outcome === 'permanent') wanted.push({ ...each, why: file.detail });
    else return file;
  }
  return wanted;
}

const MEBIBYTE = 1024 * 1024;
const WHOLE = { maxBytes: 32 * MEBIBYTE, truncatedBytes: 32 * MEBIBYTE };

function inboundEventsOf(received: ReceivedMail): InboundEvent[] {
  const { message, reports = [], skipped, ignored: reason, ...common } = received;
  if (message) return [{ what: 'message', ...common, ...message }];
  if (skipped) return [{ what: 'unreadable', ...common, ...skipped }];
  if (reason) return ignored('mail', reason);
  if (reports.length === 0) return ignored('report', 'no_event');
  return reports.map((report) => Object.assign({ what: 'receipt' as const }, report));
}

async function untilAborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

/** Opens a connection to the IMAP server for the duration of the work. */
async function withImap<Result>(
  context: Context,
  setting: Setting,
  work: (session: ImapSession) => Promise<Result>,
): Promise<Result | Failure> {
  const { imap } = setting;
  if (!imap) return refuse('credentials', 'address has no IMAP server');
  const mailbox = context.resource(() => new Mailbox(setting));
  for (let attempts = 1; ; attempts++) {
    const refusal = await mailbox.authorize(context);
    if (refusal) return refusal;
    try {
      const { host, port, secure } = imap;
      const socket = await context.dial(host, port, { tls: secure });
      const options = {
        host,
        isSecure: secure,
        trustsWire: isLoopback(host),
        login: mailbox.login,
      };
      const session = await ImapSession.open(socket, options, context.signal);
      return await work(session).finally(() => session.quit());
    } catch (error) {
      if (!(error instanceof ImapFault)) throw error;
      const { message, code, isLasting, isLogin } = error;
      if (isLogin && attempts === 1 && mailbox.forgetAccess()) continue;
      const reason = { detail: inOneLine(message), ...(code !== undefined && { code }) };
      if (isLasting) return { outcome: 'permanent', blame: 'credentials', ...reason };
      return { outcome: 'transient', maybeSent: false, ...reason };
    }
  }
}

async function withMailbox<Result>(
  context: Context,
  work: (mailbox: Mailbox) => Promise<Result>,
): Promise<Result | Failure> {
  const setting = readSetting(context.credentials);
  if (typeof setting === 'string') return refuse('credentials', setting);
  const mailbox = context.resource(() => new Mailbox(setting));
  for (let attempts = 1; ; attempts++) {
    const refusal = await mailbox.authorize(context);
    if (refusal) return refusal;
    try {
      return await work(mailbox);
    } catch (error) {
      if (!(error instanceof SmtpFault)) throw error;
      // Nothing was sent yet, and a new access token may be accepted.
      const isLogin = error.step === 'login' && mailbox.forgetAccess();
      if (!isLogin || attempts > 1) return outcomeOf(error);
    }
  }
}

interface Setting extends MailServers {
  server: Omit<SmtpServer, 'login'>;
  credentials: Credentials;
}

/** Parses the credentials; returns the problem if they are invalid. */
function readSetting(credentials: Credentials): Setting | string {
  const { address = '', username = '', token, refresh } = credentials;
  const servers = readServers(address, username);
  if (typeof servers === 'string') return servers;
  const { host, secure } = servers.smtp;
  const hasSecret = token !== undefined || refresh !== undefined;
  // Passwords are never sent unencrypted, except to this machine, where nobody can eavesdrop and mail servers seldom
  // have a certificate for their name.
  const requireTls = !secure && hasSecret && !isLoopback(host);
  return { ...servers, server: { ...servers.smtp, requireTls }, credentials };
}

/** A server, the login for it, and the access token if it requires one. */
class Mailbox implements Closable {
  readonly from: string;
  readonly pool: SmtpPool;
  readonly #setting: Setting;
  readonly #access = new AccessToken<Failure>();
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

  /** Obtains an access token if one is needed; returns the failure if that is impossible. */
  async authorize(context: Context): Promise<Failure | undefined> {
    if (!usesOAuth(this.#setting.credentials)) return undefined;
    const token = await this.#access.get(context.clock.now(), () => this.#ask(context));
    if (typeof token !== 'string') return token;
    this.#token = token;
    return undefined;
  }

  /** The login for the IMAP server; call `authorize` first. */
  get login(): ImapOptions['login'] {
    const { username: user = '', token: password = '' } = this.#setting.credentials;
    const isOAuth = usesOAuth(this.#setting.credentials);
    return isOAuth ? { user, accessToken: this.#token } : { user, password };
  }

  /** Discards the access token. Returns whether another can be obtained. */
  forgetAccess(): boolean {
    this.#access.forget(this.#token);
    return usesOAuth(this.#setting.credentials);
  }

  async #ask(context: Context): Promise<{ token: string; seconds: number } | Failure> {
    const { server, credentials } = this.#setting;
    const { consumer_key: id = '', consumer_secret: secret = '' } = credentials;
    const client = { refresh: this.#refresh, id, secret };
    const access = await renewAccess(server.host, client, context.fetch);
    if (!('token' in access)) return denied(access);
    // Microsoft returns a new refresh token each time. The previous one stays valid for a while, in case this one is
    // lost.
    if (access.refresh !== undefined && access.refresh !== this.#refresh) {
      this.#refresh = access.refresh;
      await context.storeCredentials({ refresh: access.refresh }).catch(() => {});
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

/** Emails can be referenced by Message-ID only. */
function about(request: VendorRequest, what: object, id: string): VendorRequest | Unsupported {
  const isMessageId = /^<[^\s<>@\p{Cc}]{1,200}@[^\s<>@\p{Cc}]{1,200}>$/u.test(id);
  if (!isMessageId) return { unsupported: 'an email ID is its Message-ID, such as <a@b.org>' };
  return { ...request, body: { ...request.body, ...what } };
}
