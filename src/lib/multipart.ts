import { randomBytes } from 'node:crypto';

import { fileName } from './file-name.ts';

/** RFC 9110, section 8.3.1, without parameters. */
export const MEDIA_TYPE = /^[!#$&^_.+0-9A-Za-z-]{1,100}\/[!#$&^_.+0-9A-Za-z-]{1,100}$/;

/** A file in a form. */
export interface FormFile {
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}

/** A file that was downloaded, by the name and as what it is to be shown. */
export function toFormFile(
  { url, name, mediaType }: { url: string; name?: string; mediaType?: string },
  downloaded: { bytes: Uint8Array; mediaType: string },
): FormFile {
  const said = mediaType !== undefined && MEDIA_TYPE.test(mediaType) ? mediaType : undefined;
  const type = said ?? downloaded.mediaType;
  return { name: fileName(url, name, type), mediaType: type, bytes: downloaded.bytes };
}

/** What a field of a form holds: a text, one that says what it is, or a file. */
export type FormValue = string | { text: string; mediaType: string } | FormFile;

/**
 * A form with files, as RFC 7578 and browsers write it: names in quotes, and in them line breaks and quotes as
 * `%0D`, `%0A` and `%22`, so that no name can end its line.
 * https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data
 */
export function multipart(fields: Iterable<readonly [name: string, value: FormValue]>): {
  headers: { 'content-type': string };
  body: Uint8Array;
} {
  // 128 bits by chance: nobody who wrote what is in the form knew it.
  const boundary = `form-${randomBytes(16).toString('hex')}`;
  const parts: Uint8Array[] = [];
  for (const [name, value] of fields) {
    const { file, type, content } = partOf(value);
    const disposition = `form-data; name="${escaped(name)}"${file}`;
    const head = `--${boundary}\r\ncontent-disposition: ${disposition}\r\n${type}\r\n`;
    parts.push(Buffer.from(head), content, Buffer.from('\r\n'));
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  return { headers, body: Buffer.concat(parts) };
}

function partOf(value: FormValue): { file: string; type: string; content: Uint8Array } {
  if (typeof value === 'string') return { file: '', type: '', content: Buffer.from(value) };
  const type = typeHeader(value.mediaType);
  if ('text' in value) return { file: '', type, content: Buffer.from(value.text) };
  return { file: `; filename="${escaped(value.name)}"`, type, content: value.bytes };
}

function typeHeader(mediaType: string): string {
  return `content-type: ${MEDIA_TYPE.test(mediaType) ? mediaType : 'application/octet-stream'}\r\n`;
}

function escaped(name: string): string {
  return name
    .toWellFormed()
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A')
    .replaceAll('"', '%22')
    .replaceAll(/\p{Cc}/gu, '_');
}
