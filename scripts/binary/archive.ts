import { deflateRawSync } from 'node:zlib';

/*
 * The files inside the executable as one asset: the length of the index, the index, and the compressed files.
 * scripts/binary/embedded/assets.ts reads it. At its start Node.js looks at every asset of an executable, which loads
 * the pages around each from disk: with 400 of them, all of them, for as long as the service runs.
 */

/** Place of a file behind the index: where it begins, and its compressed size. */
export type Place = readonly [start: number, size: number];

export function archiveOf(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const places: Record<string, Place> = {};
  const contents: Buffer[] = [];
  let end = 0;
  for (const [name, content] of files) {
    const packed = deflateRawSync(content, { level: 9 });
    places[name] = [end, packed.length];
    contents.push(packed);
    end += packed.length;
  }
  const index = Buffer.from(JSON.stringify(places));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(index.length);
  return Buffer.concat([length, index, ...contents]);
}
