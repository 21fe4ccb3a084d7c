import { JsonError, parseJson } from './parse-json.ts';

/** Parses an untrusted JSON body; undefined if it is missing or invalid. */
export function jsonBody(body: Buffer | string | undefined): unknown {
  if (body === undefined) return undefined;
  try {
    return parseJson(body.toString());
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
