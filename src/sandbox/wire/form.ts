/** One field of a multipart form. */
export interface FormPart {
  name: string;
  filename?: string;
  mediaType?: string;
  bytes: Buffer;
}

const BOUNDARY = /^multipart\/form-data; boundary=([\w-]{1,70})$/;
const DISPOSITION =
  /^content-disposition: form-data; name="([^"\r\n]+)"(?:; filename="([^"\r\n]+)")?$/i;
const TYPE = /^content-type: ([\w.+-]+\/[\w.+-]+)$/i;

/**
 * Parses a multipart form strictly by RFC 7578. Undefined when the request is not multipart; throws when a
 * multipart request is malformed.
 */
export function readForm(contentType: string, body: Buffer): FormPart[] | undefined {
  if (!contentType.startsWith('multipart/')) return undefined;
  const [, boundary] = BOUNDARY.exec(contentType) ?? [];
  if (boundary === undefined) throw new Error(`no boundary in ${contentType}`);
  const parts: FormPart[] = [];
  const mark = Buffer.from(`\r\n--${boundary}`);
  // As if a line preceded the first boundary.
  const text = Buffer.concat([Buffer.from('\r\n'), body]);
  if (text.indexOf(mark) !== 0) throw new Error('data before the form');
  for (let at = mark.length; ;) {
    const after = text.subarray(at, at + 4).toString('latin1');
    if (after === '--\r\n' && text.length === at + 4) return parts;
    if (!after.startsWith('\r\n')) throw new Error('a boundary does not end its line');
    const end = text.indexOf(mark, at);
    if (end === -1) throw new Error('the form is not terminated');
    parts.push(readPart(text.subarray(at + 2, end)));
    at = end + mark.length;
  }
}

function readPart(part: Buffer): FormPart {
  const end = part.indexOf('\r\n\r\n');
  if (end === -1) throw new Error('a part has no content');
  const [first = '', second, ...others] = part.subarray(0, end).toString().split('\r\n');
  const [, name, filename] = DISPOSITION.exec(first) ?? [];
  const [, mediaType] = TYPE.exec(second ?? '') ?? [];
  const isMalformed = second !== undefined && mediaType === undefined;
  if (name === undefined || isMalformed || others.length > 0)
    throw new Error(`a part begins ${first}`);
  return {
    name,
    ...(filename !== undefined && { filename }),
    ...(mediaType !== undefined && { mediaType }),
    bytes: part.subarray(end + 4),
  };
}
