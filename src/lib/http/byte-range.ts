import { Readable } from 'node:stream';

/** Bytes of a file, both ends included. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * Parses a Range header: https://www.rfc-editor.org/rfc/rfc9110#section-14.1.2. Undefined means the whole file: there is
 * no range, several, or an invalid one.
 */
export function readRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  const first = from === '' ? Math.max(size - Number(to), 0) : Number(from);
  if (from !== '' && to !== '' && Number(to) < first) return undefined;
  return first > last ? 'unsatisfiable' : { first, last };
}

/** The range of a body, which is read from its start. */
export function partOf(body: Readable, { first, last }: ByteRange): Readable {
  return Readable.from(slices(body, first, last), { objectMode: false });
}

async function* slices(body: Readable, first: number, last: number): AsyncGenerator<Buffer> {
  let position = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const part = chunk.subarray(Math.max(first - position, 0), Math.max(last + 1 - position, 0));
    position += chunk.length;
    if (part.length > 0) yield part;
    // Returning destroys the body.
    if (position > last) return;
  }
}
