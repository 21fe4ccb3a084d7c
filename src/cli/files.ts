import { stat } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';

import { CliError, EXIT } from './exit.ts';

/** The size of a file that a person named. */
export async function sizeOf(file: string): Promise<number> {
  try {
    const found = await stat(file);
    if (!found.isDirectory()) return found.size;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw error;
  }
  throw new CliError(`there is no file ${file}`, EXIT.usage);
}

/**
 * Decodes pieces of a file; call it without one at the end. Rejects other encodings than UTF-8, because replacing what
 * cannot be read would change the text.
 */
export function utf8Decoder(): (piece?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (piece) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new CliError('the file must be UTF-8');
    }
  };
}

/** What is wrong with a file, such as "a.csv: no such file or directory"; undefined for any other error. */
export function explainFileError(error: unknown): string | undefined {
  const { errno, path } = error as NodeJS.ErrnoException;
  const [, detail] = getSystemErrorMap().get(errno ?? 0) ?? [];
  return path === undefined || detail === undefined ? undefined : `${path}: ${detail}`;
}
