import { Readable } from 'node:stream';

import { type ByteRange, partOf, readRange } from '../../lib/http/byte-range.ts';
import { attachmentNamed } from '../../lib/http/content-disposition.ts';
import type { FoundFile } from '../../lib/http/download.ts';
import { MEDIA_TYPE } from '../../lib/http/multipart.ts';
import { Problem } from '../../model/problem.ts';
import { type Answer, type Call, notFound } from './route.ts';

/** A vendor's file; the headers keep browsers from showing it as a page of this service. */
export function fileAnswer(file: FoundFile): Answer {
  if ('fault' in file) throw missingFile(file);
  const { body, size } = file;
  const length = size === undefined ? {} : { 'content-length': String(size) };
  return { status: 200, stream: body, headers: { ...headersOf(file), ...length } };
}

/** Like `fileAnswer`, but also answers HEAD, and a range if the size is known. */
export function servedFile(
  file: FoundFile,
  call: Pick<Call<unknown, unknown>, 'method' | 'headers'>,
): Answer {
  if ('fault' in file) throw missingFile(file);
  const { body, size } = file;
  const whole = fileAnswer(file);
  const headers = { ...whole.headers, ...(size !== undefined && { 'accept-ranges': 'bytes' }) };
  const isHead = call.method === 'HEAD';
  const range = size === undefined || isHead ? undefined : readRange(call.headers.range, size);
  if (isHead || range === 'unsatisfiable') body.destroy();
  // Fastify would read the stream to its end and discard it.
  if (isHead) return { status: 200, stream: Readable.from([]), headers };
  if (range === 'unsatisfiable') {
    throw new Problem('range_not_satisfiable', `the file has ${size} bytes`, {
      headers: { 'content-range': `bytes */${size}` },
    });
  }
  if (!range) return { ...whole, headers };
  return {
    status: 206,
    stream: partOf(body, range),
    headers: { ...headers, ...rangeHeaders(range, size) },
  };
}

function rangeHeaders({ first, last }: ByteRange, size = 0): Record<string, string> {
  return {
    'content-range': `bytes ${first}-${last}/${size}`,
    'content-length': String(last - first + 1),
  };
}

function missingFile({ fault, isGone }: Extract<FoundFile, { fault: string }>): Problem {
  if (isGone) return notFound('the file');
  return new Problem('vendor_unavailable', fault, { headers: { 'retry-after': '5' } });
}

function headersOf({ mediaType = '', name }: Exclude<FoundFile, { fault: string }>) {
  return {
    'content-type': isMediaType(mediaType) ? mediaType : 'application/octet-stream',
    'content-disposition': attachmentNamed(name),
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, max-age=300',
  };
}

/** Whether the text may be sent as a media type in a header. The sender of the file chose it. */
function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text.split(';', 1)[0] ?? '') && /^[\x20-\x7e]+$/.test(text);
}
