/** The UTF-16 length of a text within a JSON string: quotation marks and backslashes count twice. */
export function jsonLength(text: string): number {
  return JSON.stringify(text).length - 2;
}

/** The bytes of a text within a JSON string. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
