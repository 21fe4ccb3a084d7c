import { parseJson } from '../../lib/json/parse-json.ts';
import { type FormPart, readForm } from './form.ts';

/** A request to a vendor, as received. */
export interface Request {
  method: string;
  /** The path and query, relative to the vendor's base URL. */
  path: string;
  headers: Readonly<Record<string, string>>;
  text: string;
  bytes: Buffer;
  /** The body as a multipart form; undefined when it is not one. */
  parts: readonly FormPart[] | undefined;
  /** The body as JSON, or the `payload_json` of a multipart form; undefined when there is none. */
  json: unknown;
  /** The text fields of a form, URL-encoded or multipart; undefined when it is not a form. */
  form: Readonly<Record<string, string>> | undefined;
}

export interface Reply {
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** Objects are written as JSON, bytes and text as they are. */
  body?: unknown;
}

/** Undefined for a malformed multipart form. */
export function readRequest(received: {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
}): Request | undefined {
  const { headers, bytes } = received;
  const text = bytes.toString();
  const type = headers['content-type'] ?? '';
  const parts = partsOf(type, bytes);
  if (parts === 'broken') return undefined;
  return {
    ...received,
    text,
    parts,
    json: parts ? jsonOf(fieldsOf(parts)['payload_json'] ?? '') : jsonOf(text),
    form: type.startsWith('application/x-www-form-urlencoded')
      ? Object.fromEntries(new URLSearchParams(text))
      : parts && fieldsOf(parts),
  };
}

/** The body of a reply as bytes and, for JSON, the content type to use unless the reply gives one. */
export function encodeBody({ body }: Reply): { bytes: Buffer; type?: string } {
  if (body === undefined) return { bytes: Buffer.alloc(0) };
  if (body instanceof Uint8Array) return { bytes: Buffer.from(body) };
  if (typeof body === 'string') return { bytes: Buffer.from(body) };
  return { bytes: Buffer.from(JSON.stringify(body)), type: 'application/json' };
}

function partsOf(type: string, bytes: Buffer): FormPart[] | 'broken' | undefined {
  try {
    return readForm(type, bytes);
  } catch {
    return 'broken';
  }
}

const fieldsOf = (parts: readonly FormPart[]) =>
  Object.fromEntries(
    parts.flatMap(({ name, filename, bytes }) =>
      filename === undefined ? [[name, bytes.toString()] as const] : [],
    ),
  );

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
