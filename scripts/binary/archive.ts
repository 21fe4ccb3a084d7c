import { deflateRawSync } from 'node:zlib';

/*
 * The programs and files of the executable, behind its end: the files, an index, and a trailer that says where both
 * begin. scripts/binary/embedded/archive.ts reads it from the file, as needed. In a section of the executable, they would
 * be mapped: all that was ever read would stay in the memory of the process.
 */

/** Place of a file: where it begins in the archive, its stored size, and whether it is compressed. */
export type Place = readonly [start: number, size: number, packed: 0 | 1];

/** Ends an executable with an archive. */
export const MAGIC = 'switchboard-files';
/** The size of the index and that of the files, 6 bytes each, and the magic text. */
export const TRAILER_BYTES = 12 + MAGIC.length;

export interface ArchivedFile {
  content: Uint8Array;
  /** Programs are not compressed, so that they start sooner. */
  isPacked: boolean;
}

export function archiveOf(files: ReadonlyMap<string, ArchivedFile>): Buffer {
  const places: Record<string, Place> = {};
  const contents: Uint8Array[] = [];
  let end = 0;
  for (const [name, { content, isPacked }] of files) {
    const stored = isPacked ? deflateRawSync(content, { level: 9 }) : content;
    places[name] = [end, stored.length, isPacked ? 1 : 0];
    contents.push(stored);
    end += stored.length;
  }
  const index = Buffer.from(JSON.stringify(places));
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUIntLE(index.length, 0, 6);
  trailer.writeUIntLE(end, 6, 6);
  trailer.write(MAGIC, 12);
  return Buffer.concat([...contents, index, trailer]);
}
