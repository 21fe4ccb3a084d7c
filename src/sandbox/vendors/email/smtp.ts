import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

import { mediaKind } from '../../../lib/http/media-kind.ts';
import { readHtml } from '../../../lib/rich-text/readers.ts';
import type { Phone } from '../../phone.ts';
import type { Session, SessionRefusal } from '../../session.ts';
import { type ShownContent, type ShownMedia, shownText } from '../../shown.ts';

/* The outgoing mail server: a real one, https://www.npmjs.com/package/smtp-server, whose mails go to the phone. */

export interface MailLogin {
  user: string;
  password: string;
}

/** In bytes, the limit of Gmail and many others. */
const MAX_MAIL_BYTES = 25 * 1024 * 1024;

export function serveSmtp(socket: Socket, session: Session, login: MailLogin): void {
  const server = new SMTPServer({
    // Replies have their own enhanced status codes.
    hideENHANCEDSTATUSCODES: true,
    // The connection needs no encryption: it does not leave this process.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN'],
    disableReverseLookup: true,
    logger: false,
    size: MAX_MAIL_BYTES,
    onAuth({ username, password }, _, done) {
      const isRight = username === login.user && password === login.password;
      const no = refusal('535 5.7.8 Bad user name or password');
      session
        .admits()
        .then((admits) => (isRight && admits ? done(null, { user: username }) : done(no)), done);
    },
    onData(stream, { envelope }, done) {
      const receive = async () => {
        const bytes = await buffer(stream);
        if (stream.sizeExceeded) return done(refusal('552 5.3.4 Message too big'));
        const mail = await PostalMime.parse(bytes);
        let number = 0;
        for (const { address } of envelope.rcptTo) {
          const result = await session.take(address, async () => {
            // Mail servers drop duplicates by their Message-ID.
            const before = await session.phone.find(mail.messageId ?? '');
            if (before?.person === address) return before;
            const content = await contentOf(mail, session.phone);
            const shown = await session.phone.show(
              address,
              content,
              (id) => mail.messageId ?? `<${id}@sandbox.test>`,
            );
            ({ number } = shown);
            return shown;
          });
          if (result.refusal === 'lost') return void socket.destroy();
          if (result.refusal) return done(refusal(replyTo(result.refusal)));
        }
        done(null, `2.0.0 queued as ${number}`);
      };
      receive().catch((error: unknown) =>
        done(error instanceof Error ? error : new Error('failed')),
      );
    },
  });
  server.on('error', () => {});
  server.connect(socket, { id: '' });
}

const refusal = (reply: string) =>
  Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });

function replyTo(reason: Exclude<SessionRefusal, 'lost'>): string {
  switch (reason) {
    case 'blocked':
      return '550 5.2.1 The recipient does not accept mail from you';
    case 'unknown':
      return '550 5.1.1 No such user';
    case 'limited':
      return '450 4.7.1 Rate limit exceeded, try again later';
    case 'credentials':
      return '535 5.7.8 Authentication is no longer valid';
    case 'server_error':
      return '451 4.3.0 Internal error';
    case 'unavailable':
      return '421 4.3.2 Service not available';
  }
}

async function contentOf(mail: Email, phone: Phone): Promise<ShownContent> {
  const media: ShownMedia[] = [];
  for (const attachment of mail.attachments) media.push(await fileOf(attachment, phone));
  const { subject, html, text = '', inReplyTo, references } = mail;
  const rich = html === undefined ? [{ text, look: {} }] : readHtml(html);
  const shown = shownText(rich);
  const [thread] = references?.match(/<[^<>\s]+>/) ?? [];
  return {
    ...(subject && { title: subject }),
    ...shown,
    ...(shown.text !== undefined && { text: shown.text.trimEnd() }),
    ...(media.length > 0 && { media }),
    ...(inReplyTo !== undefined && { reply_to: inReplyTo }),
    ...(thread !== undefined && { thread }),
  };
}

async function fileOf(
  { content, mimeType: mediaType, filename }: Attachment,
  phone: Phone,
): Promise<ShownMedia> {
  const id = phone.newId();
  const name = filename ?? id;
  const bytes =
    typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content));
  await phone.putFile({ id, name, mediaType, bytes });
  return { type: mediaKind(mediaType), file: id, name, media_type: mediaType };
}
