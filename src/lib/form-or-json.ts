import { jsonBody } from './json-body.ts';

/** The fields of what was posted, as a form or as an object of JSON; what is no text or number is left out. */
export function fieldsOfBody(body: Buffer, contentType = ''): Map<string, string> {
  if (!/json/i.test(contentType)) return new Map(new URLSearchParams(body.toString()));
  const json = jsonBody(body);
  const fields: [string, unknown][] =
    typeof json === 'object' && json !== null ? Object.entries(json) : [];
  return new Map(
    fields.flatMap(([name, value]) =>
      ['string', 'number', 'bigint'].includes(typeof value) ? [[name, String(value)]] : [],
    ),
  );
}
