/** Makes a text storable: PostgreSQL rejects NUL, and lone surrogates have no UTF-8 encoding. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
