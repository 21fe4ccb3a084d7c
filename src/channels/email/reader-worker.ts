import { serveIsolated } from '../../lib/threads/isolated-thread.ts';
import { type MailBounds, type MailRead, fileInMail, readMail } from './reader.ts';

/* The thread that parses emails. */

export type MailRequest =
  | {
      what: 'email';
      bytes: Uint8Array;
      self: string;
      number: string | undefined;
      bounds: MailBounds;
    }
  | { what: 'file'; bytes: Uint8Array; index: number };

interface MailFile {
  bytes: Uint8Array;
  mediaType: string;
  name?: string;
}

export type MailAnswer = { read: MailRead } | { file: MailFile | undefined };

async function answerMail(request: MailRequest): Promise<MailAnswer> {
  const { buffer, byteOffset, byteLength } = request.bytes;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  if (request.what === 'file') return { file: await fileInMail(bytes, request.index) };
  return { read: await readMail(bytes, request.self, request.number, request.bounds) };
}

serveIsolated({ answer: answerMail });
