/* How much of an event a text takes. https://spec.matrix.org/latest/client-server-api/#size-limits */

export function bytesInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** An event has the text without markup, and with it where there is any: which is the longer of the two. */
export function bytesInEvent(html: string): number {
  const isPlain = !/<(?!br>)/.test(html);
  if (!isPlain) return 2 * bytesInJson(html);
  const text = html
    .replaceAll('<br>', '\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
  return bytesInJson(text);
}
