import { parseLenientJson } from './parse-json.ts';

/** Parses the JSON body of a vendor; undefined if it is missing or invalid. */
export function jsonBody(body: Buffer | string | undefined): unknown {
  return body === undefined ? undefined : parseLenientJson(body.toString());
}
