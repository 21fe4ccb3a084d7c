import { JsonError, parseJson } from './json.ts';

/** What a stranger sent as JSON; undefined when it is none, or is broken. */
export function jsonBody(body: Buffer | string | undefined): unknown {
  if (body === undefined) return undefined;
  try {
    return parseJson(body.toString());
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
