/** One field of a form with files. */
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
 * Reads a form as RFC 7578 has it, and nothing that is only like it. Undefined when the request is no such form;
 * throws when it says that it is one and is not.
 */
export function readForm(contentType: string, body: Buffer): FormPart[] | undefined {
  if (!contentType.startsWith('multipart/')) return undefined;
  const [, boundary] = BOUNDARY.exec(contentType) ?? [];
  if (boundary === undefined) throw new Error(`no boundary in ${contentType}`);
  const parts: FormPart[] = [];
  const mark = Buffer.from(`\r\n--${boundary}`);
  // As if there were a line before the first.
  const text = Buffer.concat([Buffer.from('\r\n'), body]);
  if (text.indexOf(mark) !== 0) throw new Error('something stands before the form');
  for (let at = mark.length; ;) {
    const after = text.subarray(at, at + 4).toString('latin1');
    if (after === '--\r\n' && text.length === at + 4) return parts;
    if (!after.startsWith('\r\n')) throw new Error('a boundary does not end its line');
    const end = text.indexOf(mark, at);
    if (end === -1) throw new Error('the form has no end');
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
  const isOdd = second !== undefined && mediaType === undefined;
  if (name === undefined || isOdd || others.length > 0) throw new Error(`a part begins ${first}`);
  return {
    name,
    ...(filename !== undefined && { filename }),
    ...(mediaType !== undefined && { mediaType }),
    bytes: part.subarray(end + 4),
  };
}
