import { createHash } from 'node:crypto';

import type { Clock } from '../../lib/clock.ts';
import type { ImapSession } from './imap-session.ts';
import { type MailReport, type MailSaid, readMail } from './reader.ts';

/* Follows a mailbox, from where it was left. */

/** A letter of which more is there is told without its files. */
const LARGEST = 16 * 1024 * 1024;
const BEGINNING = 256 * 1024;

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
  let last = lastIn(cursor, validity, here);
  if (last === undefined) {
    // What was there before anybody listened is not told, nor what has got other numbers since.
    last = next - 1;
    await tell(undefined, cursorAt(last));
  }
  for (;;) {
    for (const uid of await session.after(last)) {
      const heard = await readLetter(session, validity, uid, self);
      await tell(heard && { key: cursorAt(uid), ...heard }, cursorAt(uid));
      last = uid;
    }
    await session.wait(clock);
  }
}

function lastIn(cursor = '', validity: number, here: string): number | undefined {
  const [, before, uid, where] = /^(\d{1,10}):(\d{1,10}):([\w-]{16})$/.exec(cursor) ?? [];
  return Number(before) === validity && where === here ? Number(uid) : undefined;
}

async function readLetter(
  session: ImapSession,
  validity: number,
  uid: number,
  self: string,
): Promise<Omit<HeardMail, 'key'> | undefined> {
  const letter = await session.fetch(uid, { largest: LARGEST, otherwise: BEGINNING });
  if (!letter) return undefined;
  const isWhole = letter.bytes.length >= letter.size;
  const read = await readMail(letter.bytes, self, isWhole ? `${validity}:${uid}` : undefined);
  return read && { ...read, ...(letter.at !== undefined && { at: letter.at }) };
}
