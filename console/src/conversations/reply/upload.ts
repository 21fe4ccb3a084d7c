import { api } from '../../api/client.ts';
import type { UploadedFile } from '../../api/types.ts';

const MEBIBYTE = 1024 * 1024;
/** As the API accepts them. */
export const MAX_FILE_BYTES = 10 * MEBIBYTE;

/** A reply that was refused is sent again without uploading its file again. */
const uploaded = new WeakMap<File, UploadedFile>();

/** Stores a file for a message to the person. */
export async function uploadFile(
  application: number,
  conversation: number,
  file: File,
): Promise<UploadedFile> {
  const earlier = uploaded.get(file);
  if (earlier) return earlier;
  const type = file.type === '' ? 'application/octet-stream' : file.type;
  const path = `/1/conversations/${conversation}/files`;
  const stored = await api.upload<UploadedFile>(
    path,
    { bytes: file, type },
    { application, query: { name: file.name } },
  );
  uploaded.set(file, stored);
  return stored;
}

/** A size for people, such as 2.4 MB. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${value.toLocaleString(undefined, { maximumFractionDigits: 1 })} ${unit}`;
}
