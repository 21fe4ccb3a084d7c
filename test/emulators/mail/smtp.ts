import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

import {
  SMTPServer,
  type SMTPServerAuthentication,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server';

import type { Peer } from '../../channels/suite.ts';

/*
 * A real mail server, https://www.npmjs.com/package/smtp-server, that fails on demand. Its only user is below. It
 * stores the emails it receives.
 */

export const USER = 'ada@example.org';
export const PASSWORD = 'not-a-secret-of-ada';
export const ACCESS_TOKEN = 'fake-access-token';

type Step = 'connect' | 'login' | 'sender' | 'recipient' | 'content';

/** One step's answer, once: a reply such as `550 5.1.1 No such user`, no reply, or the end of the connection. */
export type SmtpAnswer = { at: Step } & ({ reply: string } | { does: 'hang' | 'reset' });

export interface SmtpEmail {
  from: string;
  to: readonly string[];
  /** By lower-case name; encoded words are decoded. */
  headers: Readonly<Record<string, string>>;
  /** The plain text, also when there is HTML. */
  body: string;
  html?: string;
  raw: string;
  user: string | undefined;
  secure: boolean;
  /** The same for all emails of one connection. */
  connection: string;
}

export interface SmtpPeer extends Peer<SmtpEmail, SmtpAnswer>, AsyncDisposable {
  readonly port: number;
  /** Number of connections made. */
  readonly connections: number;
  /** Ends all connections, like a server restart. */
  hangUp(): void;
  /** Answers everything left unanswered. */
  answerPending(): void;
  /** Waits until all scripted answers are used. */
  done(): Promise<void>;
  /** Waits until all connections are closed. */
  idle(): Promise<void>;
}

export async function openSmtp(options: SMTPServerOptions = {}): Promise<SmtpPeer> {
  const answers: SmtpAnswer[] = [];
  const seen: SmtpEmail[] = [];
  const sockets = new Map<number, Socket>();
  const unanswered: (() => void)[] = [];
  let connections = 0;

  const answer = (
    at: Step,
    session: SMTPServerSession,
    otherwise: () => void,
    no: (error: Error) => void,
  ) => {
    const index = answers.findIndex((each) => each.at === at);
    const [next] = index === -1 ? [] : answers.splice(index, 1);
    if (next && answers.length === 0) server.emit('done');
    if (!next) otherwise();
    else if ('reply' in next) no(refusal(next.reply));
    else if (next.does === 'reset') sockets.get(session.remotePort)?.resetAndDestroy();
    else unanswered.push(otherwise);
  };

  const server = new SMTPServer({
    // Scripted replies contain their own enhanced status code.
    hideENHANCEDSTATUSCODES: true,
    disabledCommands: options.key ? [] : ['STARTTLS'],
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
    authOptional: true,
    disableReverseLookup: true,
    onConnect: (session, done) => answer('connect', session, done, done),
    onAuth: (auth, session, done) => {
      const known = isKnown(auth);
      const user = auth.username ?? '';
      const no = refusal('535 5.7.8 Bad user name or password');
      answer('login', session, () => (known ? done(null, { user }) : done(no)), done);
    },
    onMailFrom: (_, session, done) => answer('sender', session, done, done),
    onRcptTo: (_, session, done) => answer('recipient', session, done, done),
    onData: (stream, session, done) => {
      const keep = async () => {
        const raw = await text(stream);
        if (stream.sizeExceeded) return done(refusal('552 5.3.4 Too big'));
        answer(
          'content',
          session,
          () => {
            seen.push(emailOf(raw, session));
            done(null, `2.0.0 queued as ${seen.length}`);
          },
          done,
        );
      };
      // An incomplete email is not stored.
      keep().catch(() => {});
    },
    ...options,
  });
  server.on('error', () => {});
  // For a secure connection the outer socket: Node crashes when the inner one is destroyed.
  server.server.on(options.secure ? 'secureConnection' : 'connection', (socket: Socket) => {
    const port = socket.remotePort ?? 0;
    connections++;
    sockets.set(port, socket);
    socket.once('close', () => {
      sockets.delete(port);
      if (sockets.size === 0) server.emit('idle');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;

  const close = async () => {
    for (const socket of sockets.values()) socket.destroy();
    await new Promise<void>((resolve) => server.close(resolve));
  };
  return {
    port,
    url: `${options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    seen,
    get connections() {
      return connections;
    },
    next: (each) => void answers.push(each),
    answerPending: () => {
      for (const answerNow of unanswered.splice(0)) answerNow();
    },
    hangUp: () => {
      for (const socket of sockets.values()) socket.destroy();
    },
    done: async () => {
      if (answers.length > 0) await once(server, 'done');
    },
    idle: async () => {
      if (sockets.size > 0) await once(server, 'idle');
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function isKnown({ method, username, password, accessToken }: SMTPServerAuthentication): boolean {
  if (username !== USER) return false;
  return method === 'XOAUTH2' ? accessToken === ACCESS_TOKEN : password === PASSWORD;
}

function refusal(reply: string): Error {
  return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });
}

function emailOf(raw: string, session: SMTPServerSession): SmtpEmail {
  const end = raw.indexOf('\r\n\r\n');
  const headers = headersOf(raw.slice(0, end));
  const { mailFrom, rcptTo } = session.envelope;
  return {
    from: mailFrom ? mailFrom.address : '',
    to: rcptTo.map(({ address }) => address),
    headers,
    ...bodiesOf(raw.slice(end + 4), headers),
    raw,
    user: session.user === undefined ? undefined : String(session.user),
    secure: session.secure,
    connection: session.id,
  };
}

/** RFC 2046, 5.1.4: the same content as text and as HTML. Emails with files are parsed by the tests. */
function bodiesOf(
  content: string,
  headers: Readonly<Record<string, string>>,
): Pick<SmtpEmail, 'body' | 'html'> {
  const type = headers['content-type'] ?? '';
  const [, boundary] = /^multipart\/alternative; *boundary="([^"]+)"$/.exec(type) ?? [];
  if (boundary === undefined || /^Content-Type: multipart\//m.test(content)) {
    return { body: decodeBody(content, headers['content-transfer-encoding']) };
  }
  const [, plain = '', html = '', ...rest] = content.split(`--${boundary}`);
  if (rest.length !== 1) throw new Error(`expected two parts: ${content}`);
  const read = (part: string, expected: string) => {
    const end = part.indexOf('\r\n\r\n');
    const own = headersOf(part.slice(2, end));
    if (own['content-type'] !== `${expected}; charset=utf-8`) throw new Error(part);
    return decodeBody(part.slice(end + 4).replace(/\r\n$/, ''), own['content-transfer-encoding']);
  };
  return { body: read(plain, 'text/plain'), html: read(html, 'text/html') };
}

/** RFC 5322, 2.2, unfolded; repeated headers are joined, so that a test notices. */
function headersOf(head: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of head.replaceAll(/\r\n(?=[ \t])/g, '').split('\r\n')) {
    const [, name = '', value = ''] = /^([!-9;-~]+):[ \t]*(.*)$/.exec(line) ?? [];
    const key = name.toLowerCase();
    headers[key] =
      key in headers ? `${headers[key]} AND ${decodeWords(value)}` : decodeWords(value);
  }
  return headers;
}

/** RFC 2047. */
function decodeWords(value: string): string {
  const joined = value.replaceAll(/\?=[ \t]+=\?/g, '?==?');
  // A character may be spread over encoded words, so their bytes are joined first.
  return joined.replaceAll(/(?:=\?utf-8\?[BQ]\?[^?]*\?=)+/gi, (words) => {
    const parts = [...words.matchAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi)];
    const bytes = parts.map(([, kind = '', word = '']) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64')
        : fromQuoted(word.replaceAll('_', ' ')),
    );
    return Buffer.concat(bytes).toString();
  });
}

function decodeBody(body: string, encoding = '7bit'): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding === 'quoted-printable') return fromQuoted(body.replaceAll('=\r\n', '')).toString();
  return body;
}

function fromQuoted(text_: string): Buffer {
  const latin = text_.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(latin, 'latin1');
}
