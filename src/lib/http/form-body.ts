import { jsonBody } from '../json/json-body.ts';

/** Vendors send a few dozen fields. */
export const MAX_FORM_FIELDS = 1_000;

/** The fields of a posted form or JSON object. Omits values that are neither text nor number. */
export function fieldsOfBody(body: Buffer, contentType = ''): Map<string, string> {
  if (!/json/i.test(contentType)) return fieldsOfForm(body.toString());
  const json = jsonBody(body);
  const fields: [string, unknown][] =
    typeof json === 'object' && json !== null ? Object.entries(json) : [];
  return new Map(
    fields.flatMap(([name, value]) =>
      ['string', 'number', 'bigint'].includes(typeof value) ? [[name, String(value)]] : [],
    ),
  );
}

/** Empty if there are too many fields. */
function fieldsOfForm(text: string): Map<string, string> {
  let at = -1;
  for (let fields = 1; ; fields++) {
    at = text.indexOf('&', at + 1);
    if (at === -1) return new Map(new URLSearchParams(text));
    if (fields >= MAX_FORM_FIELDS) return new Map();
  }
}
