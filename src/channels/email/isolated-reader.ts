import { IsolatedThread, IsolationError } from '../../lib/threads/isolated-thread.ts';
import type { MailAnswer, MailRequest } from './reader-worker.ts';
import {
  MAIL_BEGINNING,
  type MailBounds,
  type MailFault,
  type MailRead,
  WHOLE_MAIL,
} from './reader.ts';

/* Emails are parsed in a separate thread: anybody can send one, and the parser needs 2 kB for each line of text. */

const MAIL_TIMEOUT_MS = 10_000;
/** Enough for 16 MiB in base64; including memory outside the heap, the thread uses up to 200 MB. */
const MAIL_HEAP_MB = 64;

const thread = new IsolatedThread<MailRequest, MailAnswer>(
  new URL('./reader-worker.ts', import.meta.url),
  { timeoutMs: MAIL_TIMEOUT_MS, heapMb: MAIL_HEAP_MB },
);

/**
 * Like `readMail` of the reader. If an email exceeds the thread's limits, only its beginning is parsed, without
 * files.
 */
export async function readMail(
  bytes: Buffer,
  self: string,
  number: string | undefined,
): Promise<MailRead> {
  const read = await attempt(bytes, self, number, WHOLE_MAIL);
  if (!('unreadable' in read) || read.unreadable === 'malformed') return read;
  return attempt(bytes.subarray(0, MAIL_BEGINNING.bytes), self, undefined, MAIL_BEGINNING);
}

async function attempt(
  bytes: Buffer,
  self: string,
  number: string | undefined,
  bounds: MailBounds,
): Promise<MailRead> {
  try {
    const answer = await thread.run({ what: 'email', bytes, self, number, bounds });
    return 'read' in answer ? answer.read : { unreadable: 'malformed' };
  } catch (error) {
    return { unreadable: faultOf(error) };
  }
}

/** An attachment by its index; undefined if it does not exist or cannot be parsed. */
export async function fileInMail(
  bytes: Buffer,
  index: number,
): Promise<{ bytes: Buffer; mediaType: string; name?: string } | undefined> {
  try {
    const answer = await thread.run({ what: 'file', bytes, index });
    const file = 'file' in answer ? answer.file : undefined;
    return file && { ...file, bytes: Buffer.from(file.bytes) };
  } catch (error) {
    faultOf(error);
    return undefined;
  }
}

function faultOf(error: unknown): MailFault {
  if (!(error instanceof IsolationError)) throw error;
  return error.fault === 'failed' ? 'malformed' : error.fault;
}
