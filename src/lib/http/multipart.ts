import { randomBytes } from 'node:crypto';

import { fileName } from '../text/file-name.ts';

/** RFC 9110, section 8.3.1, without parameters. */
export const MEDIA_TYPE = /^[!#$&^_.+0-9A-Za-z-]{1,100}\/[!#$&^_.+0-9A-Za-z-]{1,100}$/;

export interface FormFile {
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}

/** A downloaded file, with the name and media type to present it under. */
export function toFormFile(
  { url, name, mediaType }: { url: string; name?: string; mediaType?: string },
  downloaded: { bytes: Uint8Array; mediaType: string },
): FormFile {
  const declaredType =
    mediaType !== undefined && MEDIA_TYPE.test(mediaType) ? mediaType : undefined;
  const type = declaredType ?? downloaded.mediaType;
  return { name: fileName(url, name, type), mediaType: type, bytes: downloaded.bytes };
}

/** A form field: text, text with a media type, or a file. */
export type FormValue = string | { text: string; mediaType: string } | FormFile;

/**
 * Encodes a multipart form as RFC 7578 and browsers do. Escapes line breaks and quotes in names as `%0D`, `%0A` and
 * `%22`, so that a name cannot end its line.
 * https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data
 */
export function multipart(fields: Iterable<readonly [name: string, value: FormValue]>): {
  headers: { 'content-type': string };
  body: Uint8Array;
} {
  // 128 random bits, so that no content can contain the boundary on purpose.
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
