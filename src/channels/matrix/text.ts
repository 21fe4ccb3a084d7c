/* The size of a text in an event. https://spec.matrix.org/latest/client-server-api/#size-limits */

export function bytesInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** An event has the plain text and, if there is formatting, also the markup; each counts with the size of the markup. */
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
