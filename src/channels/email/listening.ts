import { createHash, randomBytes } from 'node:crypto';

import type { Clock } from '../../lib/runtime/clock.ts';
import { type FetchedEmail, ImapFault, type ImapSession } from './imap-session.ts';
import { readMail } from './isolated-reader.ts';
import { type MailFault, type MailReport, type MailContent, headOfMail } from './reader.ts';

/*
 * Follows a mailbox from the stored cursor. The cursor also holds the email being parsed and the process that parses
 * it: an email that another process did not finish may have crashed it, and is skipped.
 */

/** Identifies this process. */
const PROCESS = randomBytes(8).toString('hex');

/** Larger emails are received without their files. */
const MAX_EMAIL_BYTES = 16 * 1024 * 1024;
const TRUNCATED_EMAIL_BYTES = 256 * 1024;
const SKIPPED_EMAIL_BYTES = 16 * 1024;
/** Emails in a row that a server may refuse to return. */
const MAX_REFUSED = 10;

interface FollowedMailbox {
  /** A unique name of the mailbox. */
  name: string;
  mailbox: string;
  /** The mailbox's own address. */
  self: string;
}

export interface ReceivedMail {
  /** A unique key of the email. */
  key: string;
  at?: number;
  message?: MailContent;
  reports?: readonly MailReport[];
  ignored?: 'own' | 'bot' | 'incomplete';
  /** Set for a skipped email, with the fields that could be parsed. */
  skipped?: { reason: MailFault; sender?: string; id?: string };
}

/** Reports each new email, with the cursor after it, until the connection ends: rejects with an ImapFault. */
export async function followMailbox(
  session: ImapSession,
  { name, mailbox, self }: FollowedMailbox,
  clock: Clock,
  cursor: string | undefined,
  emit: (received: ReceivedMail | undefined, cursor: string) => Promise<void>,
): Promise<never> {
  const { validity, next } = await session.examine(mailbox);
  const mailboxHash = createHash('sha256')
    .update(`${name}/${mailbox}`)
    .digest('base64url')
    .slice(0, 16);
  const cursorAt = (uid: number) => `${validity}:${uid}:${mailboxHash}`;
  const stored = positionIn(cursor, validity, mailboxHash);
  let last = stored?.last;
  if (last === undefined) {
    // Skips emails that arrived before listening began, or whose UIDs are no longer valid.
    last = next - 1;
    await emit(undefined, cursorAt(last));
  }
  for (;;) {
    // Refused emails are skipped once the server returns a later one, which shows that the server is available.
    const refused: { uid: number; fault: ImapFault }[] = [];
    for (const uid of await session.after(last)) {
      const isSkipped = uid === stored?.interrupted;
      const size = isSkipped
        ? { maxBytes: 0, truncatedBytes: SKIPPED_EMAIL_BYTES }
        : { maxBytes: MAX_EMAIL_BYTES, truncatedBytes: TRUNCATED_EMAIL_BYTES };
      const mail = await session.fetch(uid, size).catch(refusalOrThrow);
      if (mail instanceof ImapFault) {
        if (refused.push({ uid, fault: mail }) < MAX_REFUSED) continue;
        throw mail;
      }
      if (mail) {
        for (const { uid: unreadable } of refused.splice(0)) {
          const key = cursorAt(unreadable);
          await emit({ key, skipped: { reason: 'malformed' } }, key);
          last = unreadable;
        }
      }
      if (refused.length > 0) continue;
      if (mail && !isSkipped) await emit(undefined, `${cursorAt(last)}:${uid}:${PROCESS}`);
      const received = mail && (await parseMail(mail, `${validity}:${uid}`, self, isSkipped));
      await emit(received && { key: cursorAt(uid), ...received }, cursorAt(uid));
      last = uid;
    }
    const [first] = refused;
    if (first) throw first.fault;
    await session.wait(clock);
  }
}

function refusalOrThrow(error: unknown): ImapFault {
  if (error instanceof ImapFault && error.isRefusal) return error;
  throw error;
}

interface Position {
  last: number;
  /** The email that another process did not finish. */
  interrupted?: number;
}

const CURSOR = /^(\d{1,10}):(\d{1,10}):([\w-]{16})(?::(\d{1,10}):([0-9a-f]{16}))?$/;

function positionIn(cursor = '', validity: number, mailboxHash: string): Position | undefined {
  const [, before, last, where, reading, reader] = CURSOR.exec(cursor) ?? [];
  if (Number(before) !== validity || where !== mailboxHash) return undefined;
  const isInterrupted = reading !== undefined && reader !== PROCESS;
  return { last: Number(last), ...(isInterrupted && { interrupted: Number(reading) }) };
}

async function parseMail(
  { bytes, size, at }: FetchedEmail,
  number: string,
  self: string,
  isSkipped: boolean,
): Promise<Omit<ReceivedMail, 'key'>> {
  const isWhole = bytes.length >= size;
  const read = isSkipped
    ? { unreadable: 'interrupted' as const }
    : await readMail(bytes, self, isWhole ? number : undefined);
  const when = at === undefined ? {} : { at };
  if (!('unreadable' in read)) return { ...read, ...when };
  return { skipped: { reason: read.unreadable, ...headOfMail(bytes) }, ...when };
}
