import type { Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';

import type { Mail, SMTPPoolOptions, SMTPPoolSentMessageInfo } from 'nodemailer';

import { FetchFault } from '../../lib/http/fetch.ts';
import { certificateFault } from '../../lib/net/certificate.ts';
import type { Enclosure } from './attachments.ts';
import { type SmtpStep, isAboutSize } from './smtp-reply.ts';
import { boundReplies, passThrough } from './smtp-socket.ts';

/*
 * Pooled connections to one mail server. https://nodemailer.com/smtp/pooled/
 * Nodemailer implements SMTP; we own the sockets and the deadlines.
 */

export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the start; otherwise STARTTLS if the server offers it. */
  secure: boolean;
  /** Whether to fail without STARTTLS. */
  requireTls: boolean;
  login?: { user: string } & ({ password: string } | { accessToken(): string });
}

export interface OutboundMail {
  from: string;
  to: string;
  subject: string;
  text: string;
  html?: string;
  enclosures: readonly Enclosure[];
  /** The MIME boundary. */
  boundary: string;
  /** With angle brackets. */
  messageId: string;
  date: Date;
  /** The Message-IDs of the email it replies to, and of the start of the thread. */
  inReplyTo?: string;
  thread?: string;
  priority?: 'high' | 'normal' | 'low';
  /** The address for replies. */
  replyTo?: string;
  /** Where the recipient unsubscribes with one click. */
  unsubscribeUrl?: string;
}

/** The services available to one send. */
interface SmtpCall {
  dial(host: string, port: number, options: { tls: boolean }): Promise<Socket>;
  signal: AbortSignal;
}

/** The email was not accepted. */
export class SmtpFault extends Error {
  override name = 'SmtpFault';
  readonly step: SmtpStep;
  /** The server's reply, such as `550 5.1.1 No such user`; undefined without one. */
  readonly reply: string | undefined;
  /** Whether the server may have received the email anyway. */
  readonly maybeSent: boolean;
  /** Whether the email was not submitted, and retrying cannot help. */
  readonly isPermanent: boolean;

  constructor(message: string, fault: Partial<SmtpFault> & { step: SmtpStep }) {
    super(message, { cause: fault.cause });
    this.step = fault.step;
    this.reply = fault.reply;
    this.maybeSent = fault.maybeSent ?? false;
    this.isPermanent = fault.isPermanent ?? false;
  }
}

/** Whether the server refused the size of the email, or announced a smaller limit. */
export function isTooLarge({ step, reply, isPermanent }: SmtpFault): boolean {
  return reply === undefined ? isPermanent && step === 'content' : isAboutSize(reply);
}

type Mailer = Mail<SMTPPoolSentMessageInfo, SMTPPoolOptions>;

/** An email in transfer. Its content is read only after the server has accepted the envelope. */
interface Transfer {
  content?: Readable;
  abortError?: Error;
}

interface Connection {
  connection: Socket;
  secured: boolean;
  tls: { socket: Duplex };
}

export class SmtpPool {
  readonly #server: SmtpServer;
  readonly #transfers = new Map<string, Transfer>();
  #mailer: Promise<Mailer> | undefined;
  /** Connections outlive sends; the latest send dials the next connection. */
  #latest: SmtpCall | undefined;

  constructor(server: SmtpServer) {
    this.#server = server;
  }

  /** Returns the server's reply on acceptance. Rejects with SmtpFault or FetchFault. */
  async send(rawMail: OutboundMail, call: SmtpCall): Promise<string> {
    const transfer: Transfer = {};
    this.#transfers.set(rawMail.messageId, transfer);
    try {
      return await this.#run(call, transfer, async (mailer) => {
        const { thread, enclosures, boundary, replyTo, unsubscribeUrl, ...rest } = rawMail;
        const earlier = new Set([thread, rawMail.inReplyTo].filter((id) => id !== undefined));
        const { response } = await mailer.sendMail({
          ...rest,
          ...(earlier.size > 0 && { references: [...earlier] }),
          // Objects are not parsed, so an address stays one address.
          from: { name: '', address: rawMail.from },
          to: { name: '', address: rawMail.to },
          ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
          envelope: { from: rawMail.from, to: [rawMail.to], ...sizeOf(rawMail) },
          ...(unsubscribeUrl !== undefined && { headers: unsubscribeHeaders(unsubscribeUrl) }),
          attachments: enclosures.map(attachmentOf),
          baseBoundary: boundary,
          disableFileAccess: true,
          disableUrlAccess: true,
        });
        return response;
      });
    } finally {
      this.#transfers.delete(rawMail.messageId);
    }
  }

  /** Connects and logs in. Rejects like `send`. */
  async verify(call: SmtpCall): Promise<void> {
    await this.#run(call, {}, async (mailer) => mailer.verify());
  }

  /** Waits for transfers in progress. */
  async close(): Promise<void> {
    const mailer = await this.#mailer;
    mailer?.close();
  }

  async #run<Value>(
    call: SmtpCall,
    transfer: Transfer,
    work: (mailer: Mailer) => Promise<Value>,
  ): Promise<Value> {
    this.#latest = call;
    const { signal } = call;
    this.#mailer ??= this.#open();
    const mailer = await this.#mailer;
    const { promise: abort, reject } = Promise.withResolvers<never>();
    const onAbort = () => {
      const maybeSent = transfer.content?.readableDidRead ?? false;
      const step = transfer.content ? 'content' : 'connect';
      // Fails the read of the content, which releases the connection.
      transfer.abortError = new Error('given up');
      transfer.content?.destroy(transfer.abortError);
      reject(new SmtpFault('the mail server did not answer in time', { step, maybeSent }));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
    const result = signal.aborted ? abort : work(mailer);
    try {
      return await Promise.race([result, abort]);
    } catch (error) {
      throw error instanceof FetchFault || error instanceof SmtpFault
        ? error
        : toFault(error, transfer.content?.readableDidRead ?? false);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #open(): Promise<Mailer> {
    // Imported on first use, to save startup time and memory.
    const { createTransport } = await import('nodemailer');
    const { host, port, secure, requireTls, login } = this.#server;
    const options: SMTPPoolOptions & { pool: true } = {
      pool: true,
      maxConnections: 4,
      // Resends over another connection if an idle connection ended before the first byte.
      maxRequeues: 1,
      host,
      port,
      secure,
      requireTLS: requireTls,
      // If the server offers no login, it is not the server that the password is for.
      forceAuth: login !== undefined,
      ...(login && { auth: authOf(login) }),
      connectionTimeout: 5000,
      greetingTimeout: 5000,
      socketTimeout: 15_000,
      maxResponseSize: 64 * 1024,
      getSocket: (_, done) => {
        this.#connect().then((socket) => done(null, socket), done);
      },
    };
    const mailer = createTransport(options);
    if (login && 'accessToken' in login) {
      mailer.set('oauth2_provision_cb', (_user, renew, done) => {
        // The owner of a refused token obtains a new one before the next email.
        if (renew) done(new Error('the mail server refused the access token'), '');
        else done(null, login.accessToken());
      });
    }
    mailer.use('stream', (mail, done) => {
      this.#watch(mail.message);
      done();
    });
    return mailer;
  }

  async #connect(): Promise<Connection> {
    const { host, port, secure } = this.#server;
    if (!this.#latest) throw new Error('no SMTP server is configured');
    const connection = await this.#latest.dial(host, port, { tls: secure });
    boundReplies(connection);
    // For a later STARTTLS.
    return { connection, secured: secure, tls: { socket: passThrough(connection) } };
  }

  /** Remembers the content stream, which shows whether it was read. */
  #watch(message: Message): void {
    const create = message.createReadStream.bind(message);
    const files = filesIn(message);
    message.createReadStream = () => {
      for (const [node, bytes] of files) node.content = inChunks(bytes);
      const content = create();
      const transfer = this.#transfers.get(message.messageId());
      if (!transfer || transfer.abortError)
        content.destroy(transfer?.abortError ?? new Error('given up'));
      else transfer.content = content;
      return content;
    };
  }
}

/** Nodemailer's tree of MIME parts. */
interface Part {
  content?: unknown;
  childNodes: Part[];
}

interface Message extends Part {
  messageId(): string;
  createReadStream(): Readable;
}

function attachmentOf({ name, mediaType, bytes, contentId }: Enclosure) {
  return {
    filename: name,
    contentType: mediaType,
    contentDisposition: contentId === undefined ? 'attachment' : 'inline',
    contentTransferEncoding: 'base64',
    content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    ...(contentId !== undefined && { cid: contentId }),
  };
}

/** A base64 line encodes 57 bytes in 78, including its end; 1,000 for the headers of each part. */
const lengthOf = (bytes: number) => Math.ceil(bytes / 57) * 78 + 1000;

/** The approximate size, so that the server can refuse the email before the transfer. RFC 1870 */
function sizeOf({ text, html = '', enclosures }: OutboundMail): { size?: number } {
  if (enclosures.length === 0) return {};
  const files = enclosures.map(({ bytes }) => lengthOf(bytes.length));
  return { size: files.reduce((sum, size) => sum + size, Buffer.byteLength(text + html)) };
}

function filesIn(part: Part): [Part, Buffer][] {
  const file: [Part, Buffer][] = Buffer.isBuffer(part.content) ? [[part, part.content]] : [];
  return [...file, ...part.childNodes.flatMap(filesIn)];
}

/** https://www.rfc-editor.org/rfc/rfc8058#section-3.1; the address must not be folded. */
const unsubscribeHeaders = (url: string) => ({
  'List-Unsubscribe': { prepared: true, value: `<${url}>` },
  'List-Unsubscribe-Post': { prepared: true, value: 'List-Unsubscribe=One-Click' },
});

const CHUNK_BYTES = 64 * 1024;

/** Encoding a large file in one piece would block the event loop. */
function inChunks(bytes: Buffer): Readable {
  const starts = Array.from(
    { length: Math.ceil(bytes.length / CHUNK_BYTES) },
    (_, i) => i * CHUNK_BYTES,
  );
  return Readable.from(starts.map((start) => bytes.subarray(start, start + CHUNK_BYTES)));
}

function authOf(login: NonNullable<SmtpServer['login']>) {
  return 'password' in login
    ? { user: login.user, pass: login.password }
    : { type: 'OAuth2' as const, user: login.user };
}

const STEPS: Readonly<Record<string, SmtpStep>> = {
  STARTTLS: 'secure',
  'MAIL FROM': 'sender',
  'RCPT TO': 'recipient',
  DATA: 'content',
};

const PERMANENT_CODES: ReadonlySet<unknown> = new Set([
  'EAUTH',
  'ENOAUTH',
  'EENVELOPE',
  'EMESSAGE',
]);

function toFault(error: unknown, maybeSent: boolean): SmtpFault {
  const { message, code, command, response } = error as {
    message: string;
    code?: unknown;
    command?: unknown;
    response?: unknown;
  };
  const step = stepOf(code, typeof command === 'string' ? command : '');
  const reply = typeof response === 'string' && /^[2-5]\d\d/.test(response) ? response : undefined;
  const untrusted = certificateFault(error);
  return new SmtpFault(untrusted ?? message, {
    step,
    reply,
    // A negative reply is definite.
    maybeSent: maybeSent && reply === undefined,
    // The server does not offer the login, or announced a smaller maximum size.
    isPermanent: reply === undefined && (PERMANENT_CODES.has(code) || untrusted !== undefined),
    cause: error,
  });
}

function stepOf(code: unknown, command: string): SmtpStep {
  if (code === 'EAUTH' || code === 'ENOAUTH' || code === 'EOAUTH2') return 'login';
  if (code === 'EENVELOPE') return STEPS[command] ?? 'recipient';
  if (code === 'EMESSAGE') return 'content';
  return STEPS[command] ?? 'connect';
}
