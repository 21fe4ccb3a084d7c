import { openSync, fstatSync, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

import { MAGIC, type Place, TRAILER_BYTES } from '../archive.ts';

/* Reads the archive behind the end of the executable; see scripts/binary/archive.ts. */

interface Archive {
  file: number;
  start: number;
  places: ReadonlyMap<string, Place>;
}

let archive: Archive | undefined;

/** Undefined if there is no such file. */
export function archivedFile(name: string): Buffer | undefined {
  archive ??= openArchive();
  const place = archive.places.get(name);
  if (!place) return undefined;
  const [start, size, packed] = place;
  const stored = read(archive.file, archive.start + start, size);
  return packed === 1 ? inflateRawSync(stored) : stored;
}

/** Reads this file instead of the executable, in the build. */
export function readArchive(path: string): void {
  archive = archiveIn(path);
}

/** The file stays open: an upgrade may replace it while the service runs. */
function openArchive(): Archive {
  for (const path of ownPaths()) {
    const found = archiveIn(path);
    if (found) return found;
  }
  throw new Error(`${process.execPath} is incomplete: download it again`);
}

/** Without /proc, as in a simple chroot, Node.js has only the name that was typed: it is then in a folder of PATH. */
function ownPaths(): string[] {
  // oxlint-disable-next-line node/no-process-env -- PATH, read before the configuration
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  const typed = process.execPath.includes('/') ? [] : folders;
  return [
    '/proc/self/exe',
    process.execPath,
    ...typed.map((folder) => `${folder}/${process.execPath}`),
  ];
}

function archiveIn(path: string): Archive | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined;
  }
  const end = fstatSync(file).size - TRAILER_BYTES;
  const trailer = read(file, Math.max(end, 0), TRAILER_BYTES);
  if (trailer.toString('latin1', 12) !== MAGIC) return undefined;
  const indexSize = trailer.readUIntLE(0, 6);
  const start = end - indexSize - trailer.readUIntLE(6, 6);
  const index = read(file, end - indexSize, indexSize).toString('utf8');
  const places = JSON.parse(index) as Record<string, Place>;
  return { file, start, places: new Map(Object.entries(places)) };
}

function read(file: number, position: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  for (let got = 0; got < size;) {
    const more = readSync(file, bytes, got, size - got, position + got);
    if (more === 0) throw new Error('the executable is incomplete: download it again');
    got += more;
  }
  return bytes;
}
