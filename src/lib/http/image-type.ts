/** Formats that every browser shows and that cannot contain scripts, by their first bytes. */
const SIGNATURES: readonly { type: string; offset: number; bytes: Buffer }[] = [
  { type: 'image/png', offset: 0, bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') },
  { type: 'image/jpeg', offset: 0, bytes: Buffer.from('\xff\xd8\xff', 'latin1') },
  { type: 'image/gif', offset: 0, bytes: Buffer.from('GIF8') },
  { type: 'image/webp', offset: 8, bytes: Buffer.from('WEBP') },
  { type: 'image/avif', offset: 4, bytes: Buffer.from('ftypavif') },
];

/** The media type of an image, whatever its server declares; undefined for anything else, including SVG. */
export function imageTypeOf(file: Uint8Array): string | undefined {
  return SIGNATURES.find(({ offset, bytes }) =>
    bytes.equals(file.subarray(offset, offset + bytes.length)),
  )?.type;
}
