/** The only asset of the executable; see scripts/binary/archive.ts. */
export const ARCHIVE = 'files';
