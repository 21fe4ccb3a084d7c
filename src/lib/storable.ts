/** A text as every store takes it: PostgreSQL takes no NUL, and half a character is no text. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
