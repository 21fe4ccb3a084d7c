import { createHash, randomBytes } from 'node:crypto';

import type { Clock } from '../../lib/clock.ts';
import type { FetchedLetter, ImapSession } from './imap-session.ts';
import { readMail } from './isolated-reader.ts';
import { type MailFault, type MailReport, type MailSaid, headOfMail } from './reader.ts';

/*
 * Follows a mailbox, from where it was left. The cursor also says which letter is being read, and by which process: one
 * that another process did not come to the end of may have ended it, and is skipped.
 */

/** Tells this process from the one before. */
const PROCESS = randomBytes(8).toString('hex');

/** A letter of which more is there is told without its files. */
const LARGEST = 16 * 1024 * 1024;
const BEGINNING = 256 * 1024;
/** What is fetched of a letter that is skipped. */
const HEAD = 16 * 1024;

export interface FollowedMailbox {
  /** What the mailbox is called, so that it is told from every other. */
  name: string;
  mailbox: string;
  /** Whose it is. */
  self: string;
}

export interface HeardMail {
  /** What the letter is called by, here and nowhere else. */
  key: string;
  at?: number;
  said?: MailSaid;
  reports?: readonly MailReport[];
  ignored?: 'own' | 'bot' | 'incomplete';
  /** Set for a letter that was skipped, with what can be said of it all the same. */
  skipped?: { reason: MailFault; sender?: string; id?: string };
}

/** Tells each letter that comes, with where to go on after it, until the connection ends: rejects with an ImapFault. */
export async function followMailbox(
  session: ImapSession,
  { name, mailbox, self }: FollowedMailbox,
  clock: Clock,
  cursor: string | undefined,
  tell: (heard: HeardMail | undefined, cursor: string) => Promise<void>,
): Promise<never> {
  const { validity, next } = await session.examine(mailbox);
  const here = createHash('sha256').update(`${name}/${mailbox}`).digest('base64url').slice(0, 16);
  const cursorAt = (uid: number) => `${validity}:${uid}:${here}`;
  const left = positionIn(cursor, validity, here);
  let last = left?.last;
  if (last === undefined) {
    // What was there before anybody listened is not told, nor what has got other numbers since.
    last = next - 1;
    await tell(undefined, cursorAt(last));
  }
  for (;;) {
    for (const uid of await session.after(last)) {
      const isSkipped = uid === left?.interrupted;
      const size = isSkipped
        ? { largest: 0, otherwise: HEAD }
        : { largest: LARGEST, otherwise: BEGINNING };
      const letter = await session.fetch(uid, size);
      if (letter && !isSkipped) await tell(undefined, `${cursorAt(last)}:${uid}:${PROCESS}`);
      const heard = letter && (await hear(letter, `${validity}:${uid}`, self, isSkipped));
      await tell(heard && { key: cursorAt(uid), ...heard }, cursorAt(uid));
      last = uid;
    }
    await session.wait(clock);
  }
}

interface Position {
  last: number;
  /** The letter that another process did not come to the end of. */
  interrupted?: number;
}

const CURSOR = /^(\d{1,10}):(\d{1,10}):([\w-]{16})(?::(\d{1,10}):([0-9a-f]{16}))?$/;

function positionIn(cursor = '', validity: number, here: string): Position | undefined {
  const [, before, last, where, reading, reader] = CURSOR.exec(cursor) ?? [];
  if (Number(before) !== validity || where !== here) return undefined;
  const isInterrupted = reading !== undefined && reader !== PROCESS;
  return { last: Number(last), ...(isInterrupted && { interrupted: Number(reading) }) };
}

async function hear(
  { bytes, size, at }: FetchedLetter,
  number: string,
  self: string,
  isSkipped: boolean,
): Promise<Omit<HeardMail, 'key'>> {
  const isWhole = bytes.length >= size;
  const read = isSkipped
    ? { unreadable: 'interrupted' as const }
    : await readMail(bytes, self, isWhole ? number : undefined);
  const when = at === undefined ? {} : { at };
  if (!('unreadable' in read)) return { ...read, ...when };
  return { skipped: { reason: read.unreadable, ...headOfMail(bytes) }, ...when };
}
