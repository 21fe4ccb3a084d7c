import { type FetchAnswer, type FetchRequest, beforeSending } from '../../lib/http/fetch.ts';
import type { FormFile } from '../../lib/http/multipart.ts';
import { textMember } from '../../lib/json/json-member.ts';
import { type Failure, isFailure } from '../channel.ts';

/*
 * Uploads files to Slack: request a URL, upload the bytes, name the conversation that shows the file.
 * https://docs.slack.dev/messaging/working-with-files#upload
 */

/** Calls a Web API method with form fields and returns the response, or why no request was made. */
type SlackCall = (
  method: string,
  fields: Readonly<Record<string, string>>,
) => Promise<FetchAnswer | Failure>;

interface SlackUpload {
  call: SlackCall;
  fetch(url: string, request: FetchRequest): Promise<FetchAnswer>;
  /** Redacts the upload URL. */
  redact(secret: string): void;
}

/**
 * Slack's response to the last request made, and whether that request shares the file. Slack creates the message
 * later and does not return its `ts`, only the file id.
 */
export interface Uploaded {
  answer: FetchAnswer | Failure;
  isPosted: boolean;
  id?: string;
}

export async function uploadToSlack(
  file: FormFile,
  where: Readonly<Record<string, string>>,
  { call, fetch, redact }: SlackUpload,
): Promise<Uploaded> {
  const { name: filename, bytes } = file;
  const begun = await beforeSending(async () =>
    call('files.getUploadURLExternal', { filename, length: String(bytes.length) }),
  );
  if (isFailure(begun)) return { answer: begun, isPosted: false };
  const json = begun.json();
  const [url, id] = [textMember(json, 'upload_url'), textMember(json, 'file_id')];
  if (url === undefined || id === undefined) return { answer: begun, isPosted: false };
  redact(url);
  const put = await beforeSending(async () =>
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
