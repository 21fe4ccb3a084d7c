import { type FetchAnswer, type FetchRequest, beforehand } from '../../lib/fetch.ts';
import { textMember } from '../../lib/member.ts';
import type { FormFile } from '../../lib/multipart.ts';

/*
 * Files for Slack: ask for an address, put the bytes there, say where the file is to be shown.
 * https://docs.slack.dev/messaging/working-with-files#upload
 */

/** A call of Slack's Web API with the fields of a form, and what was answered; or why it was not asked. */
export type SlackCall<Failure> = (
  method: string,
  fields: Readonly<Record<string, string>>,
) => Promise<FetchAnswer | Failure>;

export interface SlackUpload<Failure> {
  call: SlackCall<Failure>;
  fetch(url: string, request: FetchRequest): Promise<FetchAnswer>;
  /** Where the bytes go to is not for others to know. */
  conceal(secret: string): void;
}

/**
 * What Slack answered to the last of the calls that was made, and whether that was the one that shows the file. The
 * message is made later, and its `ts` is not told: what is known is the id of the file.
 */
export interface Uploaded<Failure> {
  answer: FetchAnswer | Failure;
  isPosted: boolean;
  id?: string;
}

export async function uploadToSlack<Failure extends object>(
  file: FormFile,
  where: Readonly<Record<string, string>>,
  { call, fetch, conceal }: SlackUpload<Failure>,
): Promise<Uploaded<Failure>> {
  const { name: filename, bytes } = file;
  const begun = await beforehand(async () =>
    call('files.getUploadURLExternal', { filename, length: String(bytes.length) }),
  );
  if ('outcome' in begun) return { answer: begun, isPosted: false };
  const json = 'json' in begun ? begun.json() : undefined;
  const [url, id] = [textMember(json, 'upload_url'), textMember(json, 'file_id')];
  if (url === undefined || id === undefined) return { answer: begun, isPosted: false };
  conceal(url);
  const put = await beforehand(async () =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes,
    }),
  );
  if (put.status !== 200) return { answer: put, isPosted: false };
  const files = JSON.stringify([{ id, title: filename }]);
  const answer = await call('files.completeUploadExternal', { ...where, files });
  return { answer, isPosted: true, id };
}
